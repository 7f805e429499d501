// Where the pages of planned lists stand among those of all, and what their changes come to.
#include "fathom/dynamic/batches/blocks/plan_body.hpp"
#include "tests/cpu/blocks/launch.hpp"

namespace fathom::testing {
namespace {

using namespace fathom::dynamic;
using namespace fathom::dynamic::gpu;

std::uint64_t size_of(const DynamicListsRef& lists, std::uint32_t entries) {
  return static_cast<std::uint64_t>(page_size_class(lists.bytes_for(entries)));
}

/// Lists that are given pages, leave some, or both; few of them many. `pinned` keeps old ones.
struct PlannedLists {
  PlannedLists(std::size_t n, std::uint64_t seed)
      : record(n), before(n), touched(n), number(n, PageNumbers{~0u, ~0u}) {
    zoo::Dice dice(seed);
    const std::uint32_t sizes = seed % 3 == 0 ? 1 : 1 + dice.roll(14);
    ref.layout.entry_words = 1 + dice.roll(2);
    ref.record = record.data();
    ref.pinned = 5;
    for (std::size_t i = 0; i < n; ++i) {
      // A vertex of another number: lists are not those of the first vertices.
      const auto v = static_cast<VertexId>(n - 1 - i);
      DynamicList list;
      list.capacity = ref.capacity_for(1 + dice.roll(1u << dice.roll(sizes)));
      list.size = dice.roll(list.capacity + 1);
      ref.set(v, list, false);
      TouchedList t;
      t.vertex = v;
      t.first = dice.roll(1000);
      t.last = t.first + 1 + dice.roll(seed % 2 == 0 ? 1 : 40);
      t.changes = dice.roll(4) != 0;
      t.moves = dice.roll(2) != 0;
      t.size = dice.roll(1000);
      t.room = 1u << dice.roll(sizes);
      t.written = dice.roll(10);
      constexpr std::uint32_t kPages[] = {0, 1, 1, 1, 1, 1, 2, 75};
      t.fresh = kPages[dice.roll(seed % 4 == 0 ? 8 : 6)];
      t.old = kPages[dice.roll(seed % 4 == 1 ? 8 : 6)];
      t.first_fresh = t.first_old = 999999;
      before[i] = touched[i] = t;
    }
    totals.side[0].touched = static_cast<std::uint32_t>(n);
    side.lists = ref;
    side.touched = touched.data();
    side.number = number.data();
    side.totals = &totals.side[0];
  }

  Guarded<DynamicRecord> record;
  std::vector<TouchedList> before;
  Guarded<TouchedList> touched;
  Guarded<PageNumbers> number;
  Totals totals{};
  DynamicListsRef ref{};
  Side side{};
};

void expect_placed(const PlannedLists& p) {
  Given fresh, old, wanted[kPageSizes], returned[kPageSizes];
  std::uint64_t sum_fresh = 0, sum_old = 0, sum_wanted[kPageSizes] = {},
                sum_returned[kPageSizes] = {};
  unsigned long long moved = 0, growth = 0;
  std::uint32_t longest = 0;
  for (std::size_t i = 0; i < p.before.size(); ++i) {
    const TouchedList &t = p.before[i], &now = p.touched[i];
    longest = std::max(longest, t.last - t.first);
    if (!t.changes) {
      ASSERT_EQ(p.number[i].fresh, ~0u);
      continue;
    }
    const DynamicList mine = p.ref.list(t.vertex);
    moved += t.moves ? 1 : 0;
    growth += static_cast<unsigned long long>(t.size) - mine.size;
    fresh.emplace_back(now.first_fresh, t.fresh);
    old.emplace_back(now.first_old, t.old);
    sum_fresh += t.fresh;
    sum_old += t.old;
    const std::uint64_t k = size_of(p.ref, t.room), b = size_of(p.ref, mine.capacity);
    wanted[k].emplace_back(p.number[i].fresh, t.fresh);
    sum_wanted[k] += t.fresh;
    if (t.written <= p.ref.pinned) continue;
    returned[b].emplace_back(p.number[i].old, t.old);
    sum_returned[b] += t.old;
  }
  const SideTotals& its = p.totals.side[0];
  ASSERT_EQ(its.fresh, sum_fresh);
  ASSERT_EQ(its.old, sum_old);
  ASSERT_EQ(its.moved, moved);
  ASSERT_EQ(its.growth, growth);
  ASSERT_EQ(its.longest, longest);
  expect_cover(fresh, sum_fresh);
  expect_cover(old, sum_old);
  for (std::size_t k = 0; k < kPageSizes; ++k) {
    ASSERT_EQ(p.totals.wanted[k], sum_wanted[k]);
    ASSERT_EQ(p.totals.returned[k], sum_returned[k]);
    expect_cover(wanted[k], sum_wanted[k]);
    expect_cover(returned[k], sum_returned[k]);
  }
}

TEST(BlockPlace, PagesOfAllListsLieApart) {
  constexpr std::size_t kLists[] = {0, 1, 31, 64, 65, 300, 700};
  for (std::uint64_t seed = 0; seed < 196; ++seed) {
    SCOPED_TRACE(seed);
    PlannedLists p(kLists[seed / 7 % std::size(kLists)], seed);
    launch(grid_of(seed), seed,
           [&](const FiberBlock& block) { blocks::place_pages(block, p.side, &p.totals); });
    expect_placed(p);
    if (HasFatalFailure()) return;
  }
}

TEST(BlockPlace, CountsOfAllThreadsAreAddedUp) {
  for (std::uint64_t seed = 0; seed < 105; ++seed) {
    const Grid grid = grid_of(seed);
    zoo::Dice dice(seed);
    std::vector<ChangeCounts> mine(grid.blocks * grid.threads);
    ChangeCounts sum, found;
    for (ChangeCounts& c : mine) {
      const auto some = [&](std::uint32_t one_of) -> std::uint64_t {
        return dice.roll(one_of) == 0 ? 1 + dice.roll(1000) * std::uint64_t{1 << 20} : 0;
      };
      c = {some(2), some(3), some(5), some(1), some(50), some(4)};
      sum.inserted += c.inserted;
      sum.overwritten += c.overwritten;
      sum.ignored += c.ignored;
      sum.removed += c.removed;
      sum.missing += c.missing;
      sum.superseded += c.superseded;
    }
    launch(grid, seed, [&](const FiberBlock& block) {
      blocks::add_counts(block, mine[thread_index(block)], &found);
    });
    EXPECT_EQ(found.inserted, sum.inserted);
    EXPECT_EQ(found.overwritten, sum.overwritten);
    EXPECT_EQ(found.ignored, sum.ignored);
    EXPECT_EQ(found.removed, sum.removed);
    EXPECT_EQ(found.missing, sum.missing);
    EXPECT_EQ(found.superseded, sum.superseded);
  }
}

}  // namespace
}  // namespace fathom::testing
