// Numbers that threads of warps and blocks take, against sums one after the other.
#include "fathom/dynamic/batches/blocks/number_body.hpp"
#include "tests/cpu/blocks/launch.hpp"

namespace fathom::testing {
namespace {

using namespace fathom::dynamic::gpu::blocks;

/// Of each thread: none, at most one, or many.
std::vector<std::uint32_t> some_counts(std::size_t n, std::uint64_t seed) {
  zoo::Dice dice(seed);
  constexpr std::uint32_t kMost[] = {0, 1, 1, 3, 1000};
  std::vector<std::uint32_t> counts(n);
  for (std::size_t i = 0; i < n; ++i) {
    // Warps of ones among others, too.
    const std::uint32_t most = kMost[(seed / 7 + (seed % 2 == 0 ? i / 32 : 0)) % std::size(kMost)];
    counts[i] = dice.roll(most + 1);
  }
  return counts;
}

TEST(BlockNumbers, SumsAreThoseOfTheLanesBefore) {
  for (std::uint64_t seed = 1; seed <= 70; ++seed) {
    const Grid grid = grid_of(seed);
    const auto counts = some_counts(grid.blocks * grid.threads, seed);
    launch(grid, seed, [&](const FiberBlock& block) {
      const std::size_t i = thread_index(block), first = i / 32 * 32;
      std::uint32_t all = 0, before = 0, sum = 0;
      for (std::size_t k = first; k < first + 32; ++k) {
        if (k < i) before += counts[k];
        sum += counts[k];
      }
      EXPECT_EQ(sum_before(block.warp(), counts[i], all), before);
      EXPECT_EQ(all, sum);
    });
  }
}

TEST(BlockNumbers, AmongThoseOfABlockLieApart) {
  for (std::uint64_t seed = 1; seed <= 70; ++seed) {
    const Grid grid = grid_of(seed);
    const auto counts = some_counts(grid.blocks * grid.threads, seed);
    std::vector<std::uint32_t> total(grid.blocks), at(counts.size());
    launch(grid, seed, [&](const FiberBlock& block) {
      const std::size_t i = thread_index(block);
      at[i] = number_among(block, counts[i], total[block.index()]);
    });
    for (std::size_t b = 0; b < grid.blocks; ++b) {
      Given given;
      std::uint64_t sum = 0;
      for (std::size_t i = b * grid.threads; i < (b + 1) * grid.threads; ++i) {
        given.emplace_back(at[i], counts[i]);
        sum += counts[i];
      }
      EXPECT_EQ(total[b], sum);
      expect_cover(given, sum);
    }
  }
}

TEST(BlockNumbers, OfEachSizeLieApart) {
  for (std::uint64_t seed = 1; seed <= 105; ++seed) {
    const Grid grid = grid_of(seed);
    const auto counts = some_counts(grid.blocks * grid.threads, seed);
    zoo::Dice dice(seed);
    std::vector<int> size(counts.size());
    const std::uint32_t sizes = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 4 : 32;
    for (int& s : size) s = static_cast<int>(dice.roll(sizes));
    Guarded<std::uint32_t> total(32);
    std::vector<std::uint32_t> at(counts.size());
    launch(grid, seed, [&](const FiberBlock& block) {
      const std::size_t i = thread_index(block);
      at[i] = number_among(block, counts[i], size[i], total.data());
    });
    for (int s = 0; s < 32; ++s) {
      Given given;
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < counts.size(); ++i)
        if (size[i] == s) {
          given.emplace_back(at[i], counts[i]);
          sum += counts[i];
        }
      EXPECT_EQ(total[static_cast<std::size_t>(s)], sum);
      expect_cover(given, sum);
    }
  }
}

TEST(BlockNumbers, AmongThoseOfAGridLieApartRoundAfterRound) {
  constexpr std::size_t kRounds = 6;
  for (std::uint64_t seed = 1; seed <= 105; ++seed) {
    const Grid grid = grid_of(seed);
    const std::size_t threads = grid.blocks * grid.threads;
    const auto counts = some_counts(threads * kRounds, seed);
    std::uint32_t total = 0;
    std::vector<std::uint32_t> at(counts.size());
    launch(grid, seed, [&](const FiberBlock& block) {
      for (std::size_t round = 0; round < kRounds; ++round) {
        const std::size_t i = round * threads + thread_index(block);
        at[i] = number_among_all(block, counts[i], total);
      }
    });
    Given given;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      given.emplace_back(at[i], counts[i]);
      sum += counts[i];
    }
    EXPECT_EQ(total, sum);
    expect_cover(given, sum);
  }
}

}  // namespace
}  // namespace fathom::testing
