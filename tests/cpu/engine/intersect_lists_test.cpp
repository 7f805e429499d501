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

TEST_P(CommonTargets, AreFoundByMerging) {
  expect_common([&](const auto& g, const auto& found) {
    return merge_common(g, span_of(a_), span_of(b_), found);
  });
}

TEST_P(CommonTargets, AreFoundBySearching) {
  expect_common([&](const auto& g, const auto& found) {
    return search_common(g, span_of(a_), span_of(b_), found);
  });
}

TEST_P(CommonTargets, AreFoundByTheChosenMethod) {
  expect_common([&](const auto& g, const auto& found) {
    return common_targets(g, span_of(a_), span_of(b_), found);
  });
}

TEST_P(CommonTargets, AreFoundInMarks) {
  std::vector<std::uint32_t> marks(kBelow / 32 + 1, 0);
  for (const VertexId w : a_) marks[w >> 5] |= 1u << (w & 31);
  expect_common([&](const auto& g, const auto& found) {
    return marked_common(g, marks.data(), span_of(b_), found);
  });
}

INSTANTIATE_TEST_SUITE_P(Lengths, CommonTargets,
                         ::testing::Values(std::pair{0, 5}, std::pair{5, 0}, std::pair{1, 1},
                                           std::pair{7, 300}, std::pair{300, 7}, std::pair{40, 41},
                                           std::pair{200, 200}));

TEST(SearchPays, ForAFewEntriesInALongListOnly) {
  EXPECT_TRUE(search_pays(4, 4000));
  EXPECT_FALSE(search_pays(4000, 4000));
}

}  // namespace
}  // namespace fathom
