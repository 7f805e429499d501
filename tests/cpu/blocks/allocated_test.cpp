// Pages from an allocator that may have none for some: who gets a page has it alone, a batch is
// held back when one is missing, and what it got comes back.
#include "fathom/dynamic/batches/blocks/allocated_body.hpp"

#include <map>

#include "fathom/dynamic/pages/host_pages.hpp"
#include "tests/cpu/blocks/launch.hpp"
#include "tests/suites/dynamic_model.hpp"

namespace fathom::testing {
namespace {

using namespace fathom::dynamic;
using namespace fathom::dynamic::gpu;

/// Pages of up to 256 bytes from a pool, which counts what is missing as arenas do.
struct SmallPages : PoolRef {
  ArenaTurn* turn;

  static bool has(std::uint64_t bytes) { return bytes <= 256; }
  std::uint32_t allocate(std::uint64_t bytes) const {
    Fibers::interleave();
    const std::uint32_t page = PoolRef::allocate(bytes);
    if (page == kNoPage) ++turn[page_size_class(bytes)].missing;
    return page;
  }
};
static_assert(PartAllocator<SmallPages>);

class BlockAllocated : public ::testing::Test {
 protected:
  BlockAllocated() : region_(4 << 12), record_(600) {
    std::fill(std::begin(state_.stack), std::end(state_.stack), std::uint64_t{kNoPage});
    pages_.region = region_.data();
    pages_.state = &state_;
    pages_.turn = turn_;
    for (int k = 0; k < kPageSizes; ++k) others_.page[k] = other_[static_cast<std::size_t>(k)];
    others_.state = &others_state_;
  }

  void take(std::uint32_t page, std::uint64_t bytes) {
    ASSERT_NE(page, kNoPage);
    const std::uint32_t units = 1u << page_size_class(bytes);
    for (std::uint32_t u = page; u < page + units; ++u)
      ASSERT_TRUE(held_.emplace(u, page).second) << "unit " << u << " twice";
  }
  void give(std::uint32_t page, std::uint64_t bytes) {
    const std::uint32_t units = 1u << page_size_class(bytes);
    for (std::uint32_t u = page; u < page + units; ++u) {
      ASSERT_TRUE(held_.contains(u));
      held_.erase(u);
    }
  }
  /// All that nobody holds is free: units of free pages, and those behind the border.
  void expect_free_units() {
    std::uint64_t free = 0;
    for (std::uint32_t k = 0; k < kPageSizes; ++k)
      for (auto p = static_cast<std::uint32_t>(state_.stack[k]); p != kNoPage; p = region_[p * 4]) {
        for (std::uint32_t u = p; u < p + (1u << k); ++u) ASSERT_FALSE(held_.contains(u));
        free += std::uint64_t{1} << k;
        ASSERT_LE(free, state_.border) << "free pages in a circle";
      }
    ASSERT_EQ(free + held_.size(), state_.border);
  }

  std::vector<std::uint32_t> region_;
  std::vector<DynamicRecord> record_;
  PoolState state_;
  ArenaTurn turn_[kPageSizes];
  SmallPages pages_{};
  std::uint32_t other_[kPageSizes][400];
  BulkPoolState others_state_;
  BulkPoolRef others_{};
  std::map<std::uint32_t, std::uint32_t> held_;  // unit: its page
};

TEST_F(BlockAllocated, PagesAreTakenAloneAndComeBack) {
  int went = 0, held_back = 0, refused = 0;
  std::vector<PageRequest> written;  // what lists have
  for (std::uint64_t seed = 0; seed < 210; ++seed) {
    SCOPED_TRACE(seed);
    zoo::Dice dice(seed);
    pages_.limit = 300 + dice.roll(900);
    const std::uint32_t n = dice.roll(150);
    std::vector<TouchedList> touched(n);
    Totals totals{}, found{};
    Side side{};
    side.lists.record = record_.data();
    side.lists.layout.entry_words = 1;
    side.lists.pinned = 5;
    std::uint64_t wanted = 0, fresh = 0, old = 0;
    std::vector<PageRequest> leaves;
    for (TouchedList& t : touched) {
      t.changes = dice.roll(6) != 0;
      t.room = 1 + dice.roll(dice.roll(9) == 0 ? 200 : 40);
      t.written = dice.roll(4) == 0 ? 3 : 6;
      t.fresh = dice.roll(20) == 0 ? 5 : dice.roll(2);
      t.old = dice.roll(3) == 0 ? dice.roll(4) : 0;
      if (!t.changes) continue;
      t.first_fresh = fresh;
      fresh += t.fresh;
      const std::uint64_t bytes = side.lists.bytes_for(t.room);
      totals.wanted[page_size_class(bytes)] += t.fresh;
      wanted += t.fresh * page_bytes_for(bytes);
      t.first_old = old;
      t.old = static_cast<std::uint32_t>(std::min<std::size_t>(t.old, written.size()));
      for (std::uint32_t k = 0; k < t.old; ++k) {
        leaves.push_back(written.back());
        written.pop_back();
      }
      old += t.old;
    }
    Guarded<PageRequest> requests(fresh);
    totals.side[0].touched = n;
    totals.side[0].fresh = fresh;
    totals.go = found.go = 1;
    if (dice.roll(12) == 0) totals.unsuited = 1;
    side.touched = touched.data();
    side.fresh = requests.data();
    side.fresh_room = fresh - (fresh != 0 && dice.roll(12) == 0 ? 1 : 0);
    side.old = leaves.data();
    side.totals = &totals.side[0];
    const bool room = side.fresh_room == fresh, asks = room && totals.unsuited == 0;
    const Grid grid = grid_of(seed);
    launch({1, 32}, seed,
           [&](const FiberBlock& block) { blocks::begin_turns(block, turn_, 1, kNoPage); });
    launch(grid, seed, [&](const FiberBlock& block) { blocks::write_requests(block, side); });
    for (std::size_t i = 0; i < fresh; ++i) ASSERT_EQ(requests[i].bytes != 0, room);
    // What an earlier batch asked for is not looked at where there is no room.
    for (std::size_t i = 0; !room && i < fresh; ++i) requests[i].bytes = 16;
    const auto take_pages = [&] {
      launch(grid, seed + 1,
             [&](const FiberBlock& block) { blocks::take_pages(block, pages_, side, &totals); });
    };
    take_pages();
    if (seed % 3 == 0 && asks) {
      // Again, with more memory: pages that are there stay.
      std::vector<PageRequest> had;
      for (std::size_t i = 0; i < fresh; ++i) had.push_back(requests[i]);
      pages_.limit += dice.roll(200);
      for (ArenaTurn& t : turn_) t.begin(1);
      take_pages();
      for (std::size_t i = 0; i < fresh; ++i)
        ASSERT_TRUE(had[i].page == kNoPage || had[i].page == requests[i].page);
    }
    std::uint64_t missing = 0;
    for (std::size_t i = 0; i < fresh; ++i) {
      const PageRequest r = requests[i];
      if (r.page != kNoPage) {
        ASSERT_TRUE(asks && SmallPages::has(r.bytes));
        take(r.page, r.bytes);
      } else if (asks && SmallPages::has(r.bytes)) {
        ++missing;
      }
    }
    const std::uint64_t most = dice.roll(6) == 0 ? wanted - (wanted != 0 ? 1 : 0) : wanted;
    ArenaTurn turns[kPageSizes];
    launch({1, 32}, seed, [&](const FiberBlock& block) {
      blocks::hold_back_unless(block, turn_, most, &totals, &found, turns);
    });
    std::uint64_t counted = 0;
    for (const ArenaTurn& t : turns) counted += t.missing;
    ASSERT_EQ(counted, missing);
    ASSERT_EQ(totals.go, missing == 0 && wanted <= most ? 1u : 0u);
    ASSERT_EQ(found.go, totals.go);
    if (!asks) totals.go = 0;
    ++(!asks ? refused : totals.go != 0 ? went : held_back);
    // Lists are written, or the batch is given up.
    launch(grid, seed + 2,
           [&](const FiberBlock& block) { blocks::leave_to(block, pages_, side, &totals); });
    const bool goes = totals.go != 0;
    for (const TouchedList& t : touched)
      for (std::uint32_t k = 0; t.changes && k < t.old; ++k) {
        const PageRequest& page = leaves[t.first_old + k];
        if (goes && t.written > side.lists.pinned)
          give(page.page, page.bytes);
        else
          written.push_back(page);
      }
    if (goes) {
      for (std::size_t i = 0; i < fresh; ++i)
        if (requests[i].page != kNoPage) written.push_back(requests[i]);
    } else {
      for (std::size_t i = 0; i < fresh; ++i)
        if (requests[i].page != kNoPage) give(requests[i].page, requests[i].bytes);
      launch(grid, seed + 3,
             [&](const FiberBlock& block) { blocks::give_up_pages(block, pages_, side); });
      for (std::size_t i = 0; i < fresh; ++i) ASSERT_EQ(requests[i].page, kNoPage);
    }
    expect_free_units();
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(went, 10);
  EXPECT_GT(held_back, 20);
  EXPECT_GT(refused, 10);
}

TEST_F(BlockAllocated, PagesGoBackToWhomTheyAreFrom) {
  pages_.limit = 4000;
  for (std::uint64_t seed = 0; seed < 28; ++seed) {
    zoo::Dice dice(seed);
    std::vector<PageRequest> page;
    for (std::uint32_t i = 0; i < 100; ++i) {
      const std::uint64_t bytes = std::uint64_t{16} << dice.roll(7);
      page.push_back({bytes, SmallPages::has(bytes) ? pages_.allocate(bytes) : i});
      if (SmallPages::has(bytes)) take(page.back().page, bytes);
    }
    others_state_ = {};
    launch(grid_of(seed), seed, [&](const FiberBlock& block) {
      blocks::free_to(block, pages_, others_, page.data(), page.size());
    });
    std::map<std::uint32_t, std::uint32_t> others;
    for (const PageRequest& p : page)
      if (SmallPages::has(p.bytes))
        give(p.page, p.bytes);
      else
        ++others[p.page];
    expect_free_units();
    for (std::size_t k = 0; k < kPageSizes; ++k)
      for (std::uint32_t i = 0; i < others_state_.free[k]; ++i) --others[other_[k][i]];
    for (const auto& [p, n] : others) ASSERT_EQ(n, 0u);
  }
}

TEST_F(BlockAllocated, ListsThatAreForgottenGiveAllPagesBack) {
  pages_.limit = 4000;
  constexpr std::size_t kLists = 300;
  for (const auto& [words, inlined] : {std::pair{0u, 0u}, {0u, kInRecord}, {8u, 0u}}) {
    zoo::Dice dice(words + inlined);
    const DynamicLayout layout{1, words, false, false, false, inlined};
    std::fill(record_.begin(), record_.end(), empty_record(layout));
    DynamicListsRef lists{region_.data(), record_.data(), layout, 1, 0};
    for (std::size_t v = 0; v < kLists; ++v) {
      DynamicList l{0, 0, lists.capacity_for(dice.roll(words == 0 ? 60 : 20))};
      for (std::uint32_t left = lists.pages_for(l.capacity); left != 0; --left) {
        const std::uint32_t page = pages_.allocate(lists.bytes_for(l.capacity));
        take(page, lists.bytes_for(l.capacity));
        if (words != 0) lists.pages().link(page) = l.page;
        l.page = page;
      }
      lists.set(v, l, false);
    }
    launch({2, 64}, words,
           [&](const FiberBlock& block) { blocks::forget_lists(block, pages_, lists, kLists); });
    held_.clear();
    expect_free_units();
  }
}

}  // namespace
}  // namespace fathom::testing
