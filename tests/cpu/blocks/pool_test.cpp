// The pool's pages, divided by a block as by one thread, handed out and taken back: they lie apart,
// and none is lost; nothing is taken where something is missing.
#include "fathom/dynamic/batches/blocks/pool_body.hpp"

#include <array>
#include <map>
#include <memory>

#include "tests/cpu/blocks/launch.hpp"

namespace fathom::testing {
namespace {

using namespace fathom::dynamic;
using namespace fathom::dynamic::gpu;

constexpr auto kSizes = static_cast<std::size_t>(kPageSizes);

class BlockPool : public ::testing::Test {
 protected:
  BlockPool() {
    for (std::size_t k = 0; k < kSizes; ++k) {
      page_[k].resize(1u << 14);
      pool_.page[k] = page_[k].data();
    }
    pool_.state = &state_;
    rooms_.sides = 1;
    rooms_.retired = 10;
    for (std::uint32_t& free : rooms_.free) free = 1u << 13;
    for (int d = 0; d < 2; ++d) rooms_.fresh[d] = rooms_.old[d] = 4000;
  }

  /// What one thread makes of it.
  Totals divided_alone(Totals t, BulkPlan& plan) const {
    pool_.divide(t.wanted, plan);
    t.missing = plan.missing;
    t.border = plan.after.border;
    for (std::size_t k = 0; k < kSizes; ++k) t.free[k] = plan.after.free[k];
    for (std::uint32_t i = 0; i < plan.left; ++i) ++t.free[plan.left_class[i]];
    bool enough = rooms_.enough(t) && t.acceptable() && t.missing == 0;
    for (int k = 0; k < kPageSizes; ++k) enough = enough && rooms_.enough_free(t, k);
    t.go = enough ? 1 : 0;
    return t;
  }

  static void expect_same(const BulkPlan& a, const BulkPlan& b) {
    ASSERT_EQ(a.left, b.left);
    ASSERT_EQ(a.missing, b.missing);
    ASSERT_EQ(a.after.border, b.after.border);
    ASSERT_EQ(a.after.far, b.after.far);
    for (std::uint32_t i = 0; i < a.left; ++i) {
      ASSERT_EQ(a.left_page[i], b.left_page[i]);
      ASSERT_EQ(a.left_class[i], b.left_class[i]);
    }
    for (int k = 0; k < kPageSizes; ++k) {
      ASSERT_EQ(a.after.free[k], b.after.free[k]);
      ASSERT_EQ(a.parts[k], b.parts[k]);
      for (int p = 0; p < a.parts[k]; ++p) {
        ASSERT_EQ(a.part[k][p].end, b.part[k][p].end);
        ASSERT_EQ(a.part[k][p].from, b.part[k][p].from);
        ASSERT_EQ(a.part[k][p].at, b.part[k][p].at);
      }
    }
  }
  static void expect_same(const Totals& a, const Totals& b) {
    ASSERT_EQ(a.go, b.go);
    ASSERT_EQ(a.missing, b.missing);
    ASSERT_EQ(a.border, b.border);
    ASSERT_EQ(a.check.bad, b.check.bad);
    for (std::size_t k = 0; k < kSizes; ++k) {
      ASSERT_EQ(a.wanted[k], b.wanted[k]);
      ASSERT_EQ(a.free[k], b.free[k]) << "size " << k;
    }
  }

  /// Pages that are held and free ones lie apart, and no unit is lost.
  void expect_whole() const {
    std::map<std::uint64_t, std::uint64_t> units;  // first: how many
    for (const auto& [page, k] : held_)
      ASSERT_TRUE(units.emplace(page, std::uint64_t{1} << k).second) << "page " << page << " twice";
    for (std::size_t k = 0; k < kSizes; ++k)
      for (std::uint32_t i = 0; i < state_.free[k]; ++i)
        ASSERT_TRUE(units.emplace(page_[k][i], std::uint64_t{1} << k).second)
            << "page " << page_[k][i] << " twice";
    std::uint64_t at = 0;
    for (const auto& [first, n] : units) {
      ASSERT_EQ(first, at);
      at += n;
    }
    ASSERT_EQ(at, state_.border);
  }

  std::array<std::vector<std::uint32_t>, kSizes> page_;
  BulkPoolState state_;
  BulkPoolRef pool_{};
  Rooms rooms_;
  std::multimap<std::uint32_t, int> held_;
};

TEST_F(BlockPool, IsDividedByABlockAsByOneThread) {
  int went = 0, lacked = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < 420; ++seed) {
    SCOPED_TRACE(seed);
    zoo::Dice dice(seed);
    pool_.limit = 1u << dice.roll(15);
    pool_.least = static_cast<int>(dice.roll(6) == 0 ? dice.roll(5) : 0);
    state_.border = dice.roll(static_cast<std::uint32_t>(pool_.limit) + 1);
    state_.far = (1u << 20) + dice.roll(9);
    pool_.far_limit = state_.far - dice.roll(2) * dice.roll(1u << 12);
    pool_.far_from = static_cast<int>(dice.roll(12));
    for (std::size_t k = 0; k < kSizes; ++k) {
      state_.free[k] = dice.roll(3) == 0 && k < 16 ? dice.roll(12) : 0;
      for (std::uint32_t i = 0; i < state_.free[k]; ++i)
        page_[k][i] = (i * 1000 + static_cast<std::uint32_t>(k)) << k;
    }
    auto totals = std::make_unique<Totals>();
    for (int n = 0; n < 6; ++n) totals->wanted[dice.roll(12)] = dice.roll(20);
    for (int n = 0; n < 3; ++n) totals->returned[dice.roll(12)] = dice.roll(20);
    for (int d = 0; d < 2; ++d) totals->side[d].fresh = dice.roll(3000);
    totals->side[0].old = dice.roll(8);
    for (const std::uint32_t r : totals->returned) totals->side[0].old += r;
    if (dice.roll(12) == 0) totals->check.bad = ~7ull;
    if (dice.roll(12) == 0) totals->unsuited = 1;
    if (dice.roll(12) == 0) totals->side[0].fresh = 4001;
    if (dice.roll(12) == 0) totals->side[0].old += 100;
    const std::uint32_t room = rooms_.free[0];
    if (dice.roll(6) == 0) rooms_.free[dice.roll(5)] = 3;
    const BulkPoolState before = state_;
    auto alone = std::make_unique<BulkPlan>(), plan = std::make_unique<BulkPlan>();
    const Totals expected = divided_alone(*totals, *alone);
    Totals found{};
    launch({1, grid_of(seed).threads}, seed, [&](const FiberBlock& block) {
      blocks::divide_pages(block, pool_, plan.get(), rooms_, totals.get(), &found);
    });
    expect_same(*plan, *alone);
    expect_same(found, expected);
    ASSERT_EQ(totals->go, expected.go);
    for (std::size_t k = 0; k < kSizes; ++k) {
      ASSERT_EQ(totals->free[k], expected.free[k]);
      ASSERT_EQ(state_.free[k], before.free[k]);
    }
    ASSERT_EQ(state_.border, before.border);
    if (HasFatalFailure()) return;
    ++(expected.go != 0 ? went : expected.missing != 0 ? lacked : refused);
    for (std::uint32_t& free : rooms_.free) free = room;
  }
  EXPECT_GT(went, 50);
  EXPECT_GT(lacked, 50);
  EXPECT_GT(refused, 30);
}

/// What is left beside a page that begins further on counts before it is said that there is room.
TEST_F(BlockPool, PiecesThatAreLeftNeedRoomToo) {
  pool_.limit = 1u << 10;
  pool_.least = 0;
  state_ = {};
  state_.border = 1;
  rooms_.free[1] = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Totals totals{}, found{};
    totals.wanted[3] = 1;
    auto plan = std::make_unique<BulkPlan>();
    launch({1, grid_of(seed).threads}, seed, [&](const FiberBlock& block) {
      blocks::divide_pages(block, pool_, plan.get(), rooms_, &totals, &found);
    });
    ASSERT_GT(found.free[1], 0u);
    ASSERT_EQ(found.missing, 0u);
    ASSERT_EQ(found.go, 0u);
  }
}

/// Lists are given pages and their pages are taken back, until memory is missing and beyond.
TEST_F(BlockPool, PagesOfListsLieApartAndComeBack) {
  pool_.limit = 1u << 13;
  int went = 0, lacked = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    if (seed == 100) pool_.limit *= 2;
    zoo::Dice dice(seed);
    const std::uint32_t n = dice.roll(200);
    Guarded<TouchedList> touched(n);
    Guarded<PageNumbers> number(n);
    Totals totals{};
    Side side{};
    side.lists.layout.entry_words = 1;
    std::uint32_t fresh = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      TouchedList t;
      t.changes = dice.roll(5) != 0;
      t.fresh = dice.roll(5) == 0 ? 0 : dice.roll(40) == 0 ? 9 : 1;
      t.room = 1 + dice.roll(dice.roll(9) == 0 ? 1000 : 30);
      t.first_fresh = fresh;
      if (t.changes && t.fresh != 0) {
        const int k = page_size_class(side.lists.bytes_for(t.room));
        number[i].fresh = totals.wanted[k];
        totals.wanted[k] += t.fresh;
        fresh += t.fresh;
      }
      touched[i] = t;
    }
    Guarded<PageRequest> requests(fresh);
    totals.side[0].touched = n;
    totals.side[0].fresh = fresh;
    side.touched = touched.data();
    side.number = number.data();
    side.fresh = requests.data();
    side.totals = &totals.side[0];
    auto plan = std::make_unique<BulkPlan>();
    Totals found{};
    launch({1, grid_of(seed).threads}, seed, [&](const FiberBlock& block) {
      blocks::divide_pages(block, pool_, plan.get(), rooms_, &totals, &found);
    });
    launch(grid_of(seed), seed, [&](const FiberBlock& block) {
      blocks::give_pages(block, side, pool_, plan.get(), &totals);
    });
    if (found.go != 0) {
      blocks::settle(pool_, *plan, totals);
      for (std::size_t i = 0; i < requests.size(); ++i)
        held_.emplace(requests[i].page, page_size_class(requests[i].bytes));
      ++went;
    } else {
      for (std::size_t i = 0; i < requests.size(); ++i) ASSERT_EQ(requests[i].page, kNoPage);
      ++lacked;
    }
    expect_whole();
    std::vector<PageRequest> back;
    for (auto it = held_.begin(); it != held_.end();) {
      const bool goes = dice.roll(3) == 0;
      if (goes) back.push_back({std::uint64_t{kDynamicUnit} << it->second, it->first});
      it = goes ? held_.erase(it) : std::next(it);
    }
    launch(grid_of(seed), seed, [&](const FiberBlock& block) {
      blocks::free_all(block, pool_, back.data(), back.size());
    });
    expect_whole();
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(went, 30);
  EXPECT_GT(lacked, 5);
}

}  // namespace
}  // namespace fathom::testing
