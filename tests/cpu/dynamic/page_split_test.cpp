// The arithmetic of power-of-two pages, and its two fronts at work: all sizes, the last page that
// there is, and both agreeing on where a page lies.
#include "fathom/dynamic/pages/page_split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "fathom/dynamic/pages/bulk_pool.hpp"
#include "fathom/dynamic/pages/host_pages.hpp"
#include "fathom/dynamic/pages/live_arena.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {
namespace {

using dynamic::kLineClass;
using dynamic::kPageSizes;

struct Piece {
  int k;
  std::uint64_t at;
  friend bool operator==(const Piece&, const Piece&) = default;
};

std::vector<Piece> pieces_between(std::uint64_t first, std::uint64_t last) {
  std::vector<Piece> pieces;
  dynamic::pages_between(first, last, [&](int k, std::uint32_t page) {
    pieces.push_back({k, page});
  });
  return pieces;
}
std::vector<Piece> rest_of(std::uint32_t page, int larger, std::uint32_t used) {
  std::vector<Piece> pieces;
  dynamic::rest_of_page(page, larger, used, [&](int k, std::uint32_t at) {
    pieces.push_back({k, at});
  });
  return pieces;
}

/// Pieces follow each other from `first` to `last`, each where it may begin.
void expect_covers(const std::vector<Piece>& pieces, std::uint64_t first, std::uint64_t last) {
  for (const Piece& p : pieces) {
    ASSERT_EQ(p.at, first);
    ASSERT_EQ(first % dynamic::page_alignment(std::uint64_t{1} << p.k), 0u);
    first += std::uint64_t{1} << p.k;
  }
  ASSERT_EQ(first, last);
}

TEST(PageSplit, PagesBeginAtAMultipleOfTheirSizeUpToALine) {
  for (int k = 0; k < kPageSizes; ++k) {
    const std::uint64_t units = std::uint64_t{1} << k, align = k < kLineClass ? units : 8;
    EXPECT_EQ(dynamic::page_alignment(units), align);
    EXPECT_EQ(dynamic::page_alignment(units * 16, 128), align * 16);
    for (std::uint64_t border = 0; border < 40; ++border) {
      const std::uint64_t first = dynamic::page_start(border, units);
      EXPECT_EQ(first % align, 0u);
      EXPECT_GE(first, border);
      EXPECT_LT(first - border, align);
    }
  }
}

TEST(PageSplit, AnyRunOfUnitsBecomesPages) {
  for (std::uint64_t first = 0; first < 40; ++first)
    for (std::uint64_t last = first; last < 600; ++last) {
      const std::vector<Piece> pieces = pieces_between(first, last);
      expect_covers(pieces, first, last);
      if (HasFatalFailure()) return;
      // None is smaller than it has to be.
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        const std::uint64_t twice = std::uint64_t{2} << pieces[i].k;
        ASSERT_TRUE(pieces[i].at % dynamic::page_alignment(twice) != 0 ||
                    pieces[i].at + twice > last);
      }
    }
}

TEST(PageSplit, ARunMayEndWithTheLastUnit) {
  const std::uint64_t end = kNoPage;
  expect_covers(pieces_between(end - 1000, end), end - 1000, end);
  expect_covers(pieces_between(0, end), 0, end);
}

TEST(PageSplit, OfACutPageTheOtherHalvesAreLeft) {
  for (int larger = 1; larger < kPageSizes; ++larger)
    for (int k = 0; k < larger; ++k) {
      std::vector<Piece> halves;
      for (int half = k; half < larger; ++half)
        halves.push_back({half, 8 + (std::uint64_t{1} << half)});
      ASSERT_EQ(rest_of(8, larger, 1u << k), halves) << larger << " for " << k;
    }
}

TEST(PageSplit, OfAPageThatIsUsedInPartTheRestIsLeft) {
  for (int larger = 0; larger < 11; ++larger)
    for (std::uint32_t used = 1; used <= 1u << larger; ++used) {
      const std::vector<Piece> rest = rest_of(64, larger, used);
      expect_covers(rest, 64 + used, 64 + (1u << larger));
      if (HasFatalFailure()) return;
      ASSERT_LE(rest.size(), static_cast<std::size_t>(larger));
      for (std::size_t i = 1; i < rest.size(); ++i) ASSERT_LT(rest[i - 1].k, rest[i].k);
    }
}

/// A pool of either front over the same units.
struct Live {
  static constexpr std::uint32_t kUnits = 1u << 12;
  std::vector<std::uint32_t> region = std::vector<std::uint32_t>(kUnits * 4);
  dynamic::PoolState state;
  dynamic::PoolRef pool{region.data(), &state, kUnits};
  Live() { std::fill(std::begin(state.stack), std::end(state.stack), std::uint64_t{kNoPage}); }

  std::uint32_t take(int k) { return pool.allocate(std::uint64_t{kDynamicUnit} << k); }
  void free(std::uint32_t page, int k) { pool.free(page, std::uint64_t{kDynamicUnit} << k); }
};
struct Arena {
  std::vector<std::uint32_t> region = std::vector<std::uint32_t>(Live::kUnits * 4);
  dynamic::LiveArenaState state;
  dynamic::LiveArena pool{region.data(), &state};
  Arena() { state.limit = Live::kUnits; }

  std::uint32_t take(int k) { return pool.allocate(std::uint64_t{kDynamicUnit} << k); }
  void free(std::uint32_t page, int k) { pool.free(page, std::uint64_t{kDynamicUnit} << k); }
};
struct Bulk {
  std::array<std::vector<std::uint32_t>, kPageSizes> page;
  dynamic::BulkPoolState state;
  dynamic::BulkPoolRef pool{};
  std::unique_ptr<dynamic::BulkPlan> plan = std::make_unique<dynamic::BulkPlan>();
  Bulk() {
    for (std::size_t k = 0; k < kPageSizes; ++k) {
      page[k].resize(Live::kUnits);
      pool.page[k] = page[k].data();
    }
    pool.state = &state;
    pool.limit = Live::kUnits;
  }

  std::uint32_t take(int k) {
    std::uint32_t wanted[kPageSizes] = {};
    wanted[k] = 1;
    pool.divide(wanted, *plan);
    if (plan->missing != 0) return kNoPage;
    const std::uint32_t its = pool.page_of_number(*plan, k, 0);
    pool.settle(*plan);
    return its;
  }
  void free(std::uint32_t p, int k) { pool.free(p, std::uint64_t{kDynamicUnit} << k); }
};

template <class Front>
class PageFront : public ::testing::Test {};
using Fronts = ::testing::Types<Live, Arena, Bulk>;
TYPED_TEST_SUITE(PageFront, Fronts);

TYPED_TEST(PageFront, ServesEverySizeToTheLastUnit) {
  for (int k = 0; 1u << k <= Live::kUnits; ++k) {
    TypeParam front;
    for (std::uint32_t i = 0; i < Live::kUnits >> k; ++i) ASSERT_EQ(front.take(k), i << k);
    for (int other = 0; other < kPageSizes; ++other)
      ASSERT_EQ(front.take(other), kNoPage) << other << " after " << k;
    // The last one to come back serves any that is no larger.
    front.free(0, k);
    ASSERT_EQ(k + 1 < kPageSizes ? front.take(k + 1) : kNoPage, kNoPage);
    ASSERT_EQ(front.take(0), 0u);
    std::uint32_t left = (1u << k) - 1;
    while (front.take(0) != kNoPage) --left;
    ASSERT_EQ(left, 0u);
  }
}

TYPED_TEST(PageFront, CutsALargerPageOnlyWhereTheBorderCannotMove) {
  TypeParam front;
  const std::uint32_t large = front.take(5);
  front.free(large, 5);
  const std::uint32_t fresh = front.take(2);
  EXPECT_EQ(fresh, large + 32);
  while (front.take(11) != kNoPage) {
  }
  std::uint32_t small = 0;
  for (std::uint32_t p; (p = front.take(2)) != kNoPage; ++small) {
    ASSERT_EQ(p % 4, 0u);
  }
  EXPECT_EQ(small, Live::kUnits / 4 - 1 - 2048 / 4);
}

/// Whichever front hands pages out one at a time, they lie at the same places (of an arena, which
/// has several stacks of a size, at others of the same sizes), as long as none comes back.
TEST(PageFronts, AgreeOnWherePagesLie) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    zoo::Dice dice(seed);
    Live live;
    Arena arena;
    Bulk bulk;
    for (int i = 0; i < 300; ++i) {
      const int k = static_cast<int>(dice.roll(8));
      const std::uint32_t page = live.take(k);
      ASSERT_EQ(arena.take(k) == kNoPage, page == kNoPage);
      ASSERT_EQ(bulk.take(k), page) << "seed " << seed << ", page " << i;
      ASSERT_EQ(arena.state.border, live.state.border);
      ASSERT_EQ(bulk.state.border, live.state.border);
    }
  }
}

/// Threads at the edge: together they get each unit of the pool, once.
template <class Front>
void fill_by_threads(std::uint64_t seed) {
  constexpr std::uint32_t kThreads = 8;
  Front front;
  std::vector<std::atomic<int>> units(Live::kUnits);
  std::atomic<std::uint32_t> got{0};
  std::atomic<int> waiting{kThreads};
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        zoo::Dice dice(seed * kThreads + t);
        --waiting;
        while (waiting != 0) std::this_thread::yield();
        for (int most = 6; most >= 0;) {
          const int k = static_cast<int>(dice.roll(static_cast<std::uint32_t>(most) + 1));
          const std::uint32_t page = front.take(k);
          if (page == kNoPage) {
            most = k - 1;
            continue;
          }
          for (std::uint32_t u = page; u < page + (1u << k); ++u) ++units[u];
          got += 1u << k;
          if (dice.roll(3) != 0) continue;
          got -= 1u << k;
          for (std::uint32_t u = page; u < page + (1u << k); ++u) --units[u];
          front.free(page, k);
        }
      });
  }
  for (std::uint32_t p; (p = front.take(0)) != kNoPage; ++got) ++units[p];
  EXPECT_EQ(got, Live::kUnits);
  for (std::uint32_t u = 0; u < Live::kUnits; ++u) ASSERT_EQ(units[u], 1) << "unit " << u;
}

TEST(LiveFront, GivesEachUnitToOneOfManyThreads) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    fill_by_threads<Live>(seed);
    fill_by_threads<Arena>(seed);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace fathom::testing
