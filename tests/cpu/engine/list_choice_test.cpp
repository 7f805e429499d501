// Which lists a cache holds.
#include "fathom/residency/list_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "fathom/core/random.hpp"

namespace fathom {
namespace {

struct Lists {
  std::vector<EdgeId> offset{0};
  std::vector<VertexId> target;
  std::vector<std::uint32_t> reads;

  explicit Lists(VertexId n) {
    const RandomStream random(5, 0);
    for (VertexId v = 0; v < n; ++v) {
      const std::uint64_t word = random.at(v);
      EdgeId degree = word % 7 == 0 ? 0 : word % 23;
      if (word % 1001 == 0) degree = 5000 + word % 100;  // beyond the last class
      offset.push_back(offset.back() + degree);
      reads.push_back(static_cast<std::uint32_t>(word >> 40) % 50);
    }
    target.resize(offset.back());
  }
  CsrView csr() const {
    return {static_cast<VertexId>(offset.size() - 1), offset.back(), offset.data(), target.data(),
            nullptr};
  }
};

class ListChoices : public ::testing::TestWithParam<CachePolicy> {
 protected:
  ListChoice choose(EdgeId capacity, int threads = 3) const {
    return choose_lists(lists_.csr(), GetParam(), capacity, lists_.reads, threads,
                        MemoryPool::unlimited());
  }
  /// Lists with a smaller one go first.
  std::uint64_t rank(VertexId v) const {
    const std::uint64_t degree = std::min<std::uint64_t>(lists_.csr().degree(v), 4095);
    if (GetParam() == CachePolicy::LowDegree) return degree;
    if (GetParam() == CachePolicy::HighDegree) return 4095 - degree;
    if (GetParam() == CachePolicy::Reuse) return 4095 - lists_.reads[v];
    return v;
  }
  Lists lists_{200000};
};

TEST_P(ListChoices, FitApartFromEachOtherAndAreTheFirstByTheirPolicy) {
  const CsrView csr = lists_.csr();
  for (const EdgeId capacity : {EdgeId{0}, EdgeId{100}, csr.edges / 3, csr.edges - 1, csr.edges}) {
    SCOPED_TRACE(capacity);
    const ListChoice choice = choose(capacity);
    EXPECT_EQ(choice.unit_shift, 0u);
    std::vector<std::pair<EdgeId, EdgeId>> taken;
    EdgeId edges = 0;
    std::uint64_t last = 0, first_left = ~std::uint64_t{0};
    for (VertexId v = 0; v < csr.vertices; ++v) {
      if (choice.at[v] == ListChoice::kNone) {
        if (csr.degree(v) > 0) first_left = std::min(first_left, rank(v));
        continue;
      }
      ASSERT_GT(csr.degree(v), 0u);
      taken.emplace_back(choice.at[v], choice.at[v] + csr.degree(v));
      edges += csr.degree(v);
      last = std::max(last, rank(v));
    }
    EXPECT_EQ(choice.edges, edges);
    EXPECT_LE(choice.used, capacity);
    std::sort(taken.begin(), taken.end());
    for (std::size_t i = 1; i < taken.size(); ++i) ASSERT_GE(taken[i].first, taken[i - 1].second);
    if (!taken.empty()) {
      EXPECT_EQ(choice.used, taken.back().second);
    }
    // What is left out is no better than what is there, and the longest list would not have fitted.
    EXPECT_TRUE(taken.empty() || GetParam() == CachePolicy::Prefix || last <= first_left);
    EXPECT_TRUE(capacity != csr.edges || edges == csr.edges);
    EXPECT_TRUE(capacity != csr.edges / 3 || edges + 5100 >= capacity);
  }
}

TEST_P(ListChoices, AreTheSameForAnyNumberOfThreads) {
  const ListChoice one = choose(lists_.csr().edges / 2, 1),
                   many = choose(lists_.csr().edges / 2, 7);
  EXPECT_TRUE(std::equal(one.at.begin(), one.at.end(), many.at.begin(), many.at.end()));
  EXPECT_EQ(one.used, many.used);
}

TEST_P(ListChoices, BeginWithUnitsNotLessThanAskedFor) {
  const CsrView csr = lists_.csr();
  for (const std::uint32_t shift : {1u, 3u}) {
    for (const EdgeId capacity : {csr.edges / 3 + 1, 2 * csr.edges}) {
      const ListChoice choice =
          choose_lists(csr, GetParam(), capacity, lists_.reads, 3, MemoryPool::unlimited(), shift);
      EXPECT_EQ(choice.unit_shift, shift);
      EXPECT_LE(choice.used, capacity);
      EXPECT_EQ(choice.used % (1u << shift), 0u);
      std::vector<std::pair<EdgeId, EdgeId>> taken;
      for (VertexId v = 0; v < csr.vertices; ++v) {
        if (choice.at[v] == ListChoice::kNone) continue;
        const EdgeId begin = EdgeId{choice.at[v]} << shift;
        taken.emplace_back(begin, begin + csr.degree(v));
      }
      std::sort(taken.begin(), taken.end());
      ASSERT_FALSE(taken.empty());
      EXPECT_GE(choice.used, taken.back().second);
      for (std::size_t i = 1; i < taken.size(); ++i) ASSERT_GE(taken[i].first, taken[i - 1].second);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, ListChoices,
                         ::testing::Values(CachePolicy::LowDegree, CachePolicy::HighDegree,
                                           CachePolicy::Prefix, CachePolicy::Reuse),
                         [](const auto& policy) {
                           return "policy_" + std::to_string(static_cast<int>(policy.param));
                         });

}  // namespace
}  // namespace fathom
