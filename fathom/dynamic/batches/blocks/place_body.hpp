// Where the pages of lists that are planned stand among those of all, and what all changes come to:
// shared by the ways of planning.
#pragma once

#include "fathom/dynamic/batches/blocks/batch_side.hpp"
#include "fathom/dynamic/batches/blocks/deal_body.hpp"
#include "fathom/dynamic/batches/blocks/number_body.hpp"

namespace fathom::dynamic::gpu::blocks {

/// What a thread finds in the lists that it plans.
struct Placed {
  unsigned long long moved = 0, growth = 0;
  std::uint32_t longest = 0;

  /// All lanes of a warp call it.
  template <Block B>
  FATHOM_BLOCK_HD void add_to(const B& block, SideTotals& totals) const {
    const auto warp = block.warp();
    const auto sum = [](auto a, auto b) { return a + b; };
    const unsigned long long all_moved = reduce(warp, moved, sum);
    const unsigned long long all_growth = reduce(warp, growth, sum);
    const std::uint32_t most = reduce(warp, longest, [](auto a, auto b) { return a > b ? a : b; });
    if (warp.rank() != 0) return;
    if (all_moved != 0) AtomicRef(totals.moved).fetch_add(all_moved);
    if (all_growth != 0) AtomicRef(totals.growth).fetch_add(all_growth);
    if (most > AtomicRef(totals.longest).load()) block.fetch_max(totals.longest, most);
  }
};

/// Says where the pages of list i stand, which is `t` (of no change, where there is none). All
/// threads of a block call it: what they count is added up before the other blocks hear of it.
template <Block B>
FATHOM_BLOCK_HD void place(const B& block, const Side& side, Totals* totals, TouchedList& t,
                           std::size_t i, Placed& sums) {
  struct Shared {
    std::uint32_t wanted[kPageSizes], returned[kPageSizes], fresh, old;
    unsigned long long first_fresh, first_old;
  };
  Shared& its = block.template shared<Shared>();
  const std::uint32_t rank = block.rank();
  if (rank < kPageSizes) its.wanted[rank] = its.returned[rank] = its.fresh = its.old = 0;
  block.sync();
  if (t.last - t.first > sums.longest) sums.longest = t.last - t.first;
  PageNumbers number{};
  int size = 0, size_before = 0;
  bool back = false;
  if (t.changes) {
    const DynamicList mine = side.lists.list[t.vertex];
    sums.moved += t.moves ? 1 : 0;
    sums.growth += t.size - static_cast<unsigned long long>(mine.size);
    if (t.fresh != 0) size = page_size_class(side.lists.bytes_for(t.room));
    if (t.old != 0) size_before = page_size_class(side.lists.bytes_for(mine.capacity));
    back = t.written > side.lists.pinned;
  } else {
    t.fresh = t.old = 0;
  }
  t.first_fresh = number_among(block, t.fresh, its.fresh);
  t.first_old = number_among(block, t.old, its.old);
  number.fresh = number_among(block, t.fresh, size, its.wanted);
  number.old = number_among(block, back ? t.old : 0, size_before, its.returned);
  block.sync();
  const auto claim = [&](std::uint32_t& mine, std::uint32_t& all) {
    if (mine != 0) mine = block.fetch_add(all, mine);
  };
  if (rank < kPageSizes) {
    claim(its.wanted[rank], totals->wanted[rank]);
    claim(its.returned[rank], totals->returned[rank]);
  }
  if (rank == 0) {
    const auto first = [&](unsigned long long mine, unsigned long long& all) {
      return mine == 0 ? 0 : block.fetch_add(all, mine);
    };
    its.first_fresh = first(its.fresh, side.totals->fresh);
    its.first_old = first(its.old, side.totals->old);
  }
  block.sync();
  if (t.changes) {
    t.first_fresh += its.first_fresh;
    t.first_old += its.first_old;
    side.number[i] = {number.fresh + its.wanted[size], number.old + its.returned[size_before]};
  }
  block.sync();
}

/// Adds up what the changes of a block come to. All its threads call it.
template <Block B>
FATHOM_BLOCK_HD void add_counts(const B& block, const ChangeCounts& mine, ChangeCounts* counts) {
  struct Shared {
    unsigned long long sums[6];
  };
  auto& sums = block.template shared<Shared>().sums;
  const std::uint32_t rank = block.rank();
  const auto warp = block.warp();
  if (rank < 6) sums[rank] = 0;
  block.sync();
  const auto add = [&](std::uint64_t value, int to) {
    value = reduce(warp, value, [](auto a, auto b) { return a + b; });
    if (warp.rank() == 0 && value != 0)
      block.fetch_add(sums[to], static_cast<unsigned long long>(value));
  };
  add(mine.inserted, 0);
  add(mine.overwritten, 1);
  add(mine.ignored, 2);
  add(mine.removed, 3);
  add(mine.missing, 4);
  add(mine.superseded, 5);
  block.sync();
  if (rank >= 6 || sums[rank] == 0) return;
  std::uint64_t* const to[] = {&counts->inserted, &counts->overwritten, &counts->ignored,
                               &counts->removed,  &counts->missing,     &counts->superseded};
  AtomicRef(*to[rank]).fetch_add(std::uint64_t{sums[rank]});
}

}  // namespace fathom::dynamic::gpu::blocks
