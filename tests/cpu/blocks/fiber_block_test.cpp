// Blocks of fibers: what a block offers, and that a kernel whose threads do not meet fails.
#include "tests/cpu/blocks/launch.hpp"

namespace fathom::testing {
namespace {

template <class Kernel>
std::string outcome(const Grid& grid, std::uint64_t seed, const Kernel& kernel) {
  return FiberGrid(seed).run(grid.blocks, grid.threads, kernel, 100000);
}

TEST(FiberBlock, meets_votes_and_shares_memory) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Grid grid = grid_of(seed);
    std::vector<std::uint32_t> sum(grid.blocks), most(grid.blocks);
    std::uint32_t ahead = 0, wide = 0;
    launch(grid, seed, [&](const FiberBlock& block) {
      struct Its {
        std::uint32_t all, by_warp[8];
      };
      Its& its = block.shared<Its>();
      if (block.rank() == 0) its.all = 0;
      block.sync();
      block.fetch_add(its.all, block.rank());
      const auto warp = block.warp();
      const std::uint32_t same = warp.match(warp.rank() % 3);
      EXPECT_EQ(same, 0x49249249u << warp.rank() % 3);
      const auto some = warp.among(same);
      EXPECT_EQ(some.ballot(true), same);
      EXPECT_EQ(some.shfl(block.rank(), first_lane(same)),
                block.rank() / 32 * 32 + block.rank() % 32 % 3);
      EXPECT_EQ(warp.shfl_up(block.rank(), 2), warp.rank() < 2 ? block.rank() : block.rank() - 2);
      const auto tile = block.ordered_tile();
      EXPECT_EQ(tile.rank(), block.rank() % 8);
      EXPECT_EQ(tile.ballot(tile.rank() == 5), 1u << 5);
      EXPECT_EQ(tile.shfl(block.rank(), 3), block.rank() / 8 * 8 + 3);
      EXPECT_EQ(block.sync_or(block.rank() == 7), true);
      EXPECT_EQ(block.sync_or(false), false);
      sum[block.index()] = its.all;
      block.fetch_max(most[block.index()], block.rank());
      block.sync();
      if (block.exchange(ahead, 1) == 0) block.fetch_add(wide, 1u);
    });
    for (std::uint32_t b = 0; b < grid.blocks; ++b) {
      EXPECT_EQ(sum[b], grid.threads * (grid.threads - 1) / 2);
      EXPECT_EQ(most[b], grid.threads - 1);
    }
    EXPECT_EQ(wide, 1u);
  }
}

TEST(FiberBlock, fails_where_threads_meet_at_different_barriers) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::string why = outcome({2, 64}, seed, [](const FiberBlock& block) {
      if (block.rank() < 40)
        block.sync();
      else
        block.sync();
    });
    EXPECT_NE(why.find("different barriers"), std::string::npos) << why;
  }
}

TEST(FiberBlock, fails_where_a_thread_leaves_before_a_barrier) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::string why = outcome({2, 64}, seed, [](const FiberBlock& block) {
      if (block.index() == 1 && block.rank() == 63) return;
      block.sync();
    });
    EXPECT_NE(why.find("others wait for"), std::string::npos) << why;
  }
}

TEST(FiberBlock, fails_where_a_barrier_is_passed_once_more_by_some) {
  const std::string why = outcome({1, 64}, 3, [](const FiberBlock& block) {
    for (std::uint32_t k = 0; k < 1 + block.rank() / 32; ++k) block.sync();
  });
  EXPECT_NE(why.find("others wait for"), std::string::npos) << why;
}

TEST(FiberBlock, fails_where_lanes_do_not_vote_together) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::string why = outcome({1, 64}, seed, [](const FiberBlock& block) {
      if (block.rank() != 50) block.warp().ballot(true);
    });
    EXPECT_NE(why.find("a warp"), std::string::npos) << why;
    EXPECT_NE(why.find("others wait for"), std::string::npos) << why;
    why = outcome({1, 32}, seed, [](const FiberBlock& block) {
      if (block.rank() % 2 == 0)
        block.warp().sync();
      else
        block.warp().ballot(true);
    });
    EXPECT_NE(why.find("different places"), std::string::npos) << why;
  }
}

TEST(FiberBlock, fails_where_all_wait) {
  const std::string why = outcome({1, 64}, 1, [](const FiberBlock& block) {
    if (block.rank() < 32)
      block.sync();
    else if (block.rank() % 2 == 0)
      block.warp().among(0x55555557).sync();
    else
      block.warp().sync();
  });
  EXPECT_NE(why.find("does not end"), std::string::npos) << why;
  EXPECT_NE(why.find("32 threads of a block wait"), std::string::npos) << why;
}

TEST(FiberBlock, fails_where_a_loop_does_not_end) {
  const std::string why = outcome({1, 64}, 1, [](const FiberBlock&) {
    while (true) Fibers::wait();
  });
  EXPECT_NE(why.find("does not end"), std::string::npos) << why;
}

}  // namespace
}  // namespace fathom::testing
