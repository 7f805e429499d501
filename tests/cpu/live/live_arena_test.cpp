// The pages of kernels that change graphs: against what is held, alone and by threads.
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <thread>

#include "fathom/dynamic/pages/live_arena.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {
namespace {

class LiveArenas : public ::testing::Test {
 protected:
  LiveArenas() : memory_(kUnits * 4), arena_{memory_.data(), &state_} {
    state_.border = 3;  // not where a page of 128 bytes may begin
    state_.limit = kUnits;
    for (std::uint32_t i = 0; i < 4; ++i) free_.push_back(kUnits - 64 + 16 * i);
    state_.limit -= 64;
    state_.page[4] = free_.data();
    state_.left[4] = 4;
  }
  /// Every unit that is free, once; takes all pages off the stacks.
  std::vector<int> free_units() {
    std::vector<int> times(kUnits, 0);
    const auto add = [&](std::uint32_t page, int k) {
      for (std::uint32_t i = 0; i < 1u << k; ++i) ++times[page + i];
    };
    for (int k = 0; k < 16; ++k) {
      for (std::uint32_t s = 0; s < LiveArenaState::kStripes; ++s)
        for (std::uint32_t p; (p = arena_.pop(k, s)) != kNoPage;) add(p, k);
      EXPECT_EQ(state_.stacked[k], 0u);
      for (std::uint32_t i = 0; i < state_.left[k]; ++i) add(state_.page[k][i], k);
    }
    for (auto u = static_cast<std::uint32_t>(state_.border); u < state_.limit; ++u) ++times[u];
    return times;
  }

  using LiveArenaState = dynamic::LiveArenaState;
  static constexpr std::uint32_t kUnits = 1u << 14;
  std::vector<std::uint32_t> memory_, free_;
  LiveArenaState state_;
  dynamic::LiveArena arena_;
};

TEST_F(LiveArenas, PagesStayApartAndNoneIsLost) {
  zoo::Dice dice(3);
  std::vector<std::pair<std::uint32_t, std::uint64_t>> held;
  std::vector<int> used(kUnits, 0);
  const auto mark = [&](std::uint32_t page, std::uint64_t bytes, int by) {
    for (std::uint64_t i = 0; i < dynamic::page_bytes_for(bytes) / kDynamicUnit; ++i) {
      used[page + i] += by;
      ASSERT_TRUE(used[page + i] == 0 || used[page + i] == 1);
    }
  };
  std::uint64_t refused = 0;
  for (int round = 0; round < 20000; ++round) {
    if (dice.roll(100) < (round / 4000 % 2 == 0 ? 60u : 40u)) {
      const std::uint64_t bytes = 1 + dice.roll(1u << (4 + dice.roll(10)));
      const std::uint32_t page = arena_.allocate(bytes);
      if (page == kNoPage)
        ++refused;
      else
        held.emplace_back(page, bytes), mark(page, bytes, 1);
    } else if (!held.empty()) {
      std::swap(held[dice.roll(static_cast<std::uint32_t>(held.size()))], held.back());
      mark(held.back().first, held.back().second, -1);
      arena_.free(held.back().first, held.back().second);
      held.pop_back();
    }
  }
  EXPECT_GT(refused, 0u);
  std::uint64_t handed = 0, returned = 0;
  for (int k = 0; k < 16; ++k) handed += state_.handed[k], returned += state_.returned[k];
  EXPECT_EQ(handed - returned, held.size());
  const std::vector<int> free = free_units();
  for (std::uint32_t u = 3; u < kUnits; ++u) ASSERT_EQ(free[u] + used[u], 1) << "unit " << u;
}

/// A long phase: pages have come and gone more than 2^32 times.
TEST_F(LiveArenas, CountPagesHoweverOftenTheyComeAndGo) {
  constexpr std::uint64_t kBefore = std::numeric_limits<std::uint32_t>::max() - 5ull;
  state_.handed[0] = state_.returned[0] = kBefore;
  std::vector<std::uint32_t> held;
  for (int i = 0; i < 20; ++i) held.push_back(arena_.allocate(16));
  for (int i = 0; i < 3; ++i) arena_.free(held[static_cast<std::size_t>(i)], 16);
  EXPECT_EQ(state_.handed[0], kBefore + 20);
  EXPECT_EQ(state_.returned[0], kBefore + 3);
}

TEST_F(LiveArenas, ThreadsNeverGetTheSamePage) {
  std::vector<std::jthread> threads;
  std::atomic<int> overlaps{0};
  for (std::uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      zoo::Dice dice(t);
      std::vector<std::pair<std::uint32_t, std::uint32_t>> held;
      for (int round = 0; round < 20000; ++round) {
        const std::uint32_t bytes = 16u << dice.roll(5);
        if (const std::uint32_t p = arena_.allocate(bytes); p != kNoPage) {
          AtomicRef(memory_[p * 4]).store(t + 1);
          held.emplace_back(p, bytes);
        }
        if (held.size() < 20) continue;
        const auto [p, its] = held[dice.roll(20)];
        std::erase_if(held, [page = p](const auto& h) { return h.first == page; });
        if (AtomicRef(memory_[p * 4]).load() != t + 1) ++overlaps;
        arena_.free(p, its);
      }
      for (const auto& [p, its] : held) arena_.free(p, its);
    });
  threads.clear();
  EXPECT_EQ(overlaps, 0);
  const std::vector<int> free = free_units();
  for (std::uint32_t u = 3; u < kUnits; ++u) ASSERT_EQ(free[u], 1) << "unit " << u;
}

}  // namespace
}  // namespace fathom::testing
