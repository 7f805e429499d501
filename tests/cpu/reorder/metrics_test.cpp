#include "fathom/reorder/metrics.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <set>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::reorder {
namespace {

using Depths = std::vector<std::uint32_t>;
using Offsets = std::vector<EdgeId>;
using fathom::testing::expect_error;

constexpr std::uint32_t kNo = kUnreached;

TEST(IntraLevelCost, IsTheMeanLogOfGapsInsideLevels) {
  // Level 0: 2. Level 1: 0, 4, 5. Level 2: 1, 3.
  const GapCost cost = intra_level_cost(Depths{1, 2, 0, 2, 1, 1, kNo});
  EXPECT_EQ(cost.gaps, 3u);
  EXPECT_DOUBLE_EQ(cost.log2_sum, 2.0 + 0.0 + 1.0);
  EXPECT_DOUBLE_EQ(cost.average(), 1.0);
}
TEST(IntraLevelCost, OfLevelsOfOneVertexIsNothing) {
  EXPECT_EQ(intra_level_cost(Depths{0, 1, 2}).average(), 0);
  EXPECT_EQ(intra_level_cost(Depths{}).gaps, 0u);
}

TEST(ReadVolume, CountsEachUnitOncePerLevel) {
  // Lists of 2, 2, 0 and 4 entries of 4 bytes in units of 16: [0 0 1 1] [3 3 3 3].
  const Offsets offset{0, 2, 4, 4, 8};
  const ReadVolume together = read_volume(offset, Depths{0, 0, 0, 0}, 16, 4);
  EXPECT_EQ(together.needed, 32u);
  EXPECT_EQ(together.fetched, 32u);
  const ReadVolume apart = read_volume(offset, Depths{0, 1, 1, kNo}, 16, 4);
  EXPECT_EQ(apart.needed, 16u);
  EXPECT_EQ(apart.fetched, 32u);
  EXPECT_DOUBLE_EQ(apart.amplification(), 2);
}
TEST(ReadVolume, OfASearchWithoutEdgesIsNothing) {
  EXPECT_EQ(read_volume(Offsets{0, 0}, Depths{0}, 128).amplification(), 0);
}

TEST(LruFetches, FetchesAgainWhatHadToMakeRoom) {
  // Lists of one unit each; the levels use pages 0, 1, 2, then 0 is not among the two newest.
  const Offsets offset{0, 2, 3, 4, 8, 12};
  // Entries of 4 bytes, pages of 16: page 0 has lists 0 to 2, page 1 list 3, page 2 list 4.
  const Depths depth{0, 3, 4, 1, 2};
  const PageFetches small = lru_fetches(offset, depth, 16, 32, 4);
  EXPECT_EQ(small.fetches, 4u);
  EXPECT_EQ(small.times, (std::vector<std::uint64_t>{0, 2, 1}));
  const PageFetches large = lru_fetches(offset, depth, 16, 48, 4);
  EXPECT_EQ(large.fetches, 3u);
  EXPECT_EQ(large.times, (std::vector<std::uint64_t>{0, 3}));
  EXPECT_EQ(large.needed, 48u);
}

/// Everything in the plainest way, from sets and lists.
RC_GTEST_PROP(MetricsProperty, EqualWhatSetsAndListsSay, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 40);
  Offsets offset{0};
  Depths depth;
  for (std::size_t v = 0; v < n; ++v) {
    offset.push_back(offset.back() + *rc::gen::inRange<EdgeId>(0, 9));
    const auto d = *rc::gen::inRange<std::uint32_t>(0, 6);
    depth.push_back(d == 5 ? kNo : d);
  }
  const auto unit = *rc::gen::element<std::size_t>(4, 12, 16, 64);
  const auto room = *rc::gen::inRange<std::size_t>(1, 6);
  double log_sum = 0;
  std::uint64_t fetched = 0, missed = 0;
  std::list<std::uint64_t> cache;  // newest first
  for (std::uint32_t level = 0; level < 5; ++level) {
    std::set<std::uint64_t> units;
    std::size_t before = n;
    for (std::size_t v = 0; v < n; ++v) {
      if (depth[v] != level) continue;
      if (before != n) log_sum += std::log2(static_cast<double>(v - before));
      before = v;
      std::set<std::uint64_t> of_list;
      for (std::uint64_t byte = 4 * offset[v]; byte < 4 * offset[v + 1]; ++byte)
        of_list.insert(byte / unit);
      units.insert(of_list.begin(), of_list.end());
      for (const std::uint64_t page : of_list) {
        const auto at = std::find(cache.begin(), cache.end(), page);
        if (at != cache.end())
          cache.erase(at);
        else
          ++missed;
        cache.push_front(page);
        if (cache.size() > room) cache.pop_back();
      }
    }
    fetched += units.size() * unit;
  }
  RC_ASSERT(std::abs(intra_level_cost(depth).log2_sum - log_sum) < 1e-9);
  RC_ASSERT(read_volume(offset, depth, unit, 4).fetched == fetched);
  RC_ASSERT(lru_fetches(offset, depth, unit, room * unit, 4).fetches == missed);
}

TEST(Metrics, RefuseUnitsAndOffsetsThatDoNotGo) {
  expect_error(
      ErrorCode::Usage,
      [] {
        read_volume(Offsets{0, 1}, Depths{0}, 0);
      },
      "at least one");
  expect_error(
      ErrorCode::Usage,
      [] {
        read_volume(Offsets{0, 1}, Depths{0, 1}, 16);
      },
      "2 offsets");
  expect_error(
      ErrorCode::Usage, [] { lru_fetches(Offsets{0}, Depths{0}, 16, 1); }, "1 offsets");
}

TEST(LevelPicture, DarkensWhereIdsAreActive) {
  const Depths depth{0, 1, 1, kNo};
  const std::string svg = level_picture(std::vector<PictureRow>{{"a < b", depth}});
  EXPECT_EQ(svg.rfind("<svg", 0), 0u);
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
  // 600 columns of a quarter of an id each: three of four ids are active, and a frame.
  std::size_t cells = 0;
  for (std::size_t at = svg.find("<rect"); at != std::string::npos; at = svg.find("<rect", at + 1))
    ++cells;
  EXPECT_EQ(cells, 3u + 1u);
}

}  // namespace
}  // namespace fathom::reorder
