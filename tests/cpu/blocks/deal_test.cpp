// How items are dealt to threads, tiles of threads and lane groups: every item comes once, to a
// group all of whose lanes come with it, of the size that its work asks for.
#include "fathom/dynamic/batches/blocks/deal_body.hpp"

#include <map>

#include "tests/cpu/blocks/launch.hpp"

namespace fathom::testing {
namespace {

using namespace fathom::dynamic::gpu::blocks;

constexpr std::size_t kItems[] = {0, 1, 7, 31, 33, 100, 257, 900};

/// Who came for an item.
struct Visit {
  std::uint32_t lanes = 0, size = 0, times = 0;
};
using Visits = std::vector<Visit>;

/// Beside others of the group, who wait for all of it.
template <class G>
void visit(const G& group, Visits& visits, std::size_t i) {
  ASSERT_LT(i, visits.size());
  visits[i].lanes |= 1u << group.rank();
  visits[i].size = group.size();
  ++visits[i].times;
  if (group.size() == 1) return;
  const auto word = static_cast<std::uint32_t>(i);
  EXPECT_EQ(group.shfl(word, 0), word);
  EXPECT_EQ(group.ballot(true), group.size() == 32 ? ~0u : (1u << group.size()) - 1);
}

std::vector<std::uint32_t> some_work(std::size_t n, std::uint64_t seed) {
  zoo::Dice dice(seed * 3);
  std::vector<std::uint32_t> work(n);
  for (std::uint32_t& w : work) {
    constexpr std::uint32_t kEdges[] = {0, 1, 24, 25, 64, 65, 1000};
    // Mixed, all short, all long, or hubs among nothing.
    w = seed % 4 == 0        ? kEdges[dice.roll(7)]
        : seed % 4 == 1      ? 1 + dice.roll(24)
        : seed % 4 == 2      ? 30 + dice.roll(60)
        : dice.roll(20) == 0 ? 5000
                             : 0;
  }
  return work;
}

template <class Size>
void expect_visits(const Visits& visits, const std::vector<std::uint32_t>& work, const Size& size) {
  for (std::size_t i = 0; i < visits.size(); ++i) {
    const std::uint32_t lanes = size(work[i]);
    ASSERT_EQ(visits[i].times, lanes) << "item " << i << " of work " << work[i];
    if (lanes == 0) continue;
    ASSERT_EQ(visits[i].size, lanes);
    ASSERT_EQ(visits[i].lanes, lanes == 32 ? ~0u : (1u << lanes) - 1);
  }
}

TEST(BlockDeal, ListsComeOnceToATileOrAWarp) {
  for (std::uint64_t seed = 0; seed < 112; ++seed) {
    const Grid grid = grid_of(seed);
    const auto work = some_work(kItems[seed / 7 % std::size(kItems)], seed);
    Visits visits(work.size());
    launch(grid, seed, [&](const FiberBlock& block) {
      deal_lists(
          block, work.size(), [&](std::size_t i) { return work[i]; },
          [&](const auto& group, std::size_t i) { visit(group, visits, i); });
    });
    expect_visits(visits, work, [](std::uint32_t w) { return w > 64 ? 32u : 8u; });
  }
}

TEST(BlockDeal, ShortListsComeOnceToAThreadATileOrAWarp) {
  for (std::uint64_t seed = 0; seed < 112; ++seed) {
    const Grid grid = grid_of(seed);
    const auto work = some_work(kItems[seed / 7 % std::size(kItems)], seed);
    Visits visits(work.size());
    launch(grid, seed, [&](const FiberBlock& block) {
      deal_short_lists(
          block, work.size(), [&](std::size_t i) { return work[i]; },
          [&](const auto& group, std::size_t i) { visit(group, visits, i); });
    });
    expect_visits(visits, work, [](std::uint32_t w) {
      return w == 0 ? 0u : w <= 24 ? 1u : w <= 64 ? 8u : 32u;
    });
  }
}

TEST(BlockDeal, HubsAreSharedByTheWarpsOfABlock) {
  constexpr std::uint32_t kHub = 900;
  for (std::uint64_t seed = 0; seed < 112; ++seed) {
    const Grid grid = grid_of(seed);
    const auto work = some_work(kItems[seed / 7 % std::size(kItems)], seed);
    std::map<std::uint32_t, Visits> visits;  // of each part
    std::vector<std::uint32_t> parts(work.size());
    launch(grid, seed, [&](const FiberBlock& block) {
      deal_lists_and_hubs(
          block, work.size(), [&](std::size_t i) { return work[i]; },
          [&](std::size_t i) { return work[i] > kHub; },
          [&](const auto& group, std::size_t i, const dynamic::PageShare& share) {
            parts[i] = share.parts;
            Visits& its = visits[share.part];
            its.resize(work.size());
            visit(group, its, i);
          });
    });
    std::uint32_t hubs = 0, shared = 0;
    for (std::size_t i = 0; i < work.size(); ++i) {
      hubs += work[i] > kHub ? 1 : 0;
      shared += parts[i] > 1 ? 1 : 0;
      ASSERT_TRUE(parts[i] == 1 || work[i] > kHub) << "item " << i << " of work " << work[i];
      for (const auto& [part, its] : visits) {
        const Visit came = i < its.size() ? its[i] : Visit{};
        ASSERT_EQ(came.times, part >= parts[i] ? 0u : work[i] > 64 ? 32u : 8u) << "item " << i;
        ASSERT_EQ(came.times, count_lanes(came.lanes));
      }
    }
    if (hubs == 1) {
      EXPECT_EQ(shared, grid.threads == kWarpLanes ? 0u : 1u);
    }
  }
}

TEST(BlockDeal, TilesAreWalkedByAllThreads) {
  for (std::uint64_t seed = 0; seed < 56; ++seed) {
    const Grid grid = grid_of(seed);
    const std::size_t n = kItems[seed / 7 % std::size(kItems)];
    std::vector<std::uint32_t> alone(n), by_block(n), by_warp(n);
    launch(grid, seed, [&](const FiberBlock& block) {
      for_each_item(block, n, [&](std::size_t i) { ++alone[i]; });
      for_tiles(block, n, [&](std::size_t i, bool mine) {
        EXPECT_EQ(mine, i < n);
        if (mine) ++by_block[i];
        block.sync();
      });
      for_warp_tiles(block, n, [&](std::size_t base, std::uint32_t lane) {
        if (base + lane < n) ++by_warp[base + lane];
        EXPECT_EQ(block.warp().shfl(static_cast<std::uint32_t>(base), 0), base);
      });
    });
    const std::vector<std::uint32_t> once(n, 1);
    EXPECT_EQ(alone, once);
    EXPECT_EQ(by_block, once);
    EXPECT_EQ(by_warp, once);
  }
}

TEST(BlockDeal, WordsAreCopiedOnce) {
  struct Words {
    std::uint32_t word[333];
  };
  for (std::uint64_t seed = 0; seed < 14; ++seed) {
    Guarded<Words> to(1);
    Words from;
    for (std::uint32_t i = 0; i < 333; ++i) from.word[i] = i * 7 + 1;
    launch({1, grid_of(seed).threads}, seed,
           [&](const FiberBlock& block) { copy_words(block, to.data(), &from); });
    for (std::uint32_t i = 0; i < 333; ++i) ASSERT_EQ(to[0].word[i], i * 7 + 1);
  }
}

}  // namespace
}  // namespace fathom::testing
