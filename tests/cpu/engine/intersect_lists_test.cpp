// The list intersections that kernels share with the host: every method finds the same targets, on
// one lane and on eight.
#include "fathom/ops/intersect_lists.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <random>
#include <set>

#include "tests/suites/thread_lanes.hpp"

namespace fathom {
namespace {

std::vector<VertexId> ascending(std::mt19937& random, std::size_t size, VertexId below) {
  std::set<VertexId> chosen;
  while (chosen.size() < size) chosen.insert(static_cast<VertexId>(random()) % below);
  return {chosen.begin(), chosen.end()};
}

PlainSpan span_of(const std::vector<VertexId>& list) {
  return {list.data(), nullptr, static_cast<std::uint32_t>(list.size())};
}

class CommonTargets : public ::testing::TestWithParam<std::pair<std::size_t, std::size_t>> {
 protected:
  static constexpr VertexId kBelow = 400;

  void SetUp() override {
    std::mt19937 random(5);
    a_ = ascending(random, GetParam().first, kBelow);
    b_ = ascending(random, GetParam().second, kBelow);
    std::set_intersection(a_.begin(), a_.end(), b_.begin(), b_.end(), std::back_inserter(common_));
  }

  /// Runs method(group, found), which returns what its lane found, on 1 and on 8 lanes.
  template <class Method>
  void expect_common(const Method& method) {
    std::mutex mutex;
    std::vector<VertexId> seen;
    std::atomic<std::uint64_t> count{0};
    auto found = [&](VertexId w) {
      const std::lock_guard lock(mutex);
      seen.push_back(w);
    };
    auto expect_same = [&] {
      std::sort(seen.begin(), seen.end());
      EXPECT_EQ(seen, common_);
      EXPECT_EQ(count, common_.size());
      seen.clear();
      count = 0;
    };
    count = method(OneLane{}, found);
    expect_same();
    testing::LaneTeam(8).run([&](const auto& lane) { count += method(lane, found); });
    expect_same();
  }

  std::vector<VertexId> a_, b_, common_;
};

TEST_P(CommonTargets, AreFoundBySearching) {
  expect_common([&](const auto& g, const auto& found) {
    return search_common(g, span_of(a_), span_of(b_), found);
  });
}

template <bool kCounts>
void expect_in_table(const std::vector<VertexId>& a, const std::vector<VertexId>& b,
                     const std::vector<VertexId>& common) {
  std::vector<VertexId> words(2048);
  const TargetTable<kCounts> table(words.data(), static_cast<std::uint32_t>(a.size()));
  ASSERT_LE(table.slots() * (kCounts ? 2 : 1), words.size());
  std::atomic<std::uint64_t> count{0};
  testing::LaneTeam(8).run([&](const auto& lane) {
    table.clear(lane.rank(), lane.size());
    lane.ballot(true);
    for (std::uint32_t i = lane.rank(); i < a.size(); i += lane.size()) table.insert(a[i]);
    lane.ballot(true);
    for (int times = 0; times < 2; ++times) count += table_common(lane, table, span_of(b));
  });
  EXPECT_EQ(count, 2 * common.size());
  for (const VertexId v : a) {
    const std::uint32_t slot = table.find(v);
    ASSERT_NE(slot, table.kAbsent);
    EXPECT_EQ(table.target(slot), v);
    if constexpr (kCounts) {
      const bool found = std::binary_search(common.begin(), common.end(), v);
      EXPECT_EQ(table.hits(slot), found ? 2u : 0u);
    }
  }
}

TEST_P(CommonTargets, AreFoundInATable) {
  expect_in_table<false>(a_, b_, common_);
  expect_in_table<true>(a_, b_, common_);
}

INSTANTIATE_TEST_SUITE_P(Lengths, CommonTargets,
                         ::testing::Values(std::pair{0, 5}, std::pair{5, 0}, std::pair{1, 1},
                                           std::pair{7, 300}, std::pair{300, 7}, std::pair{40, 41},
                                           std::pair{200, 200}, std::pair{256, 90}));

}  // namespace
}  // namespace fathom
