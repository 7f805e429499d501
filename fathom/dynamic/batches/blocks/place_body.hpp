// Where the pages of lists that are planned stand among those of all, and what all changes come to:
// shared by the ways of planning.
#pragma once

#include "fathom/dynamic/batches/blocks/batch_side.hpp"
#include "fathom/dynamic/batches/blocks/deal_body.hpp"
#include "fathom/dynamic/batches/blocks/number_body.hpp"

namespace fathom::dynamic::gpu::blocks {

/// Adds up what the threads of a block have, with a sign: in a word of 32 bits that they share,
/// since atomics of twice the width are loops there. All lanes of a warp call it.
template <Block B, class T>
FATHOM_BLOCK_HD void add_in_block(const B& block, T mine, std::uint32_t& shared, T& total) {
  constexpr std::int64_t kMost = 1 << 24;  // of a warp; 64 of them have no more than 2^30
  const auto warp = block.warp();
  if (!warp.any(mine != 0)) return;
  mine = reduce(warp, mine, [](T a, T b) { return a + b; });
  if (warp.rank() != 0) return;
  const auto sum = static_cast<std::int64_t>(mine);
  if (sum > -kMost && sum < kMost)
    block.fetch_add(shared, static_cast<std::uint32_t>(mine));
  else
    AtomicRef(total).fetch_add(mine);
}
/// By one thread, once all have come to add_in_block().
template <class T>
FATHOM_HD void add_to_total(std::uint32_t shared, T& total) {
  if (shared == 0) return;
  const std::int64_t sum = static_cast<std::int32_t>(shared);
  AtomicRef(total).fetch_add(static_cast<T>(sum));
}

/// What a thread finds in the lists that it plans.
struct Placed {
  unsigned long long moved = 0, growth = 0;
  std::uint32_t longest = 0;

  /// All threads of a block call it.
  template <Block B>
  FATHOM_BLOCK_HD void add_to(const B& block, SideTotals& totals) const {
    struct Shared {
      std::uint32_t moved, growth, longest;
    };
    Shared& its = block.template shared<Shared>();
    if (block.rank() == 0) its = {};
    block.sync();
    add_in_block(block, moved, its.moved, totals.moved);
    add_in_block(block, growth, its.growth, totals.growth);
    const auto warp = block.warp();
    const std::uint32_t most = reduce(warp, longest, [](auto a, auto b) { return a > b ? a : b; });
    if (warp.rank() == 0) block.fetch_max(its.longest, most);
    block.sync();
    if (block.rank() != 0) return;
    add_to_total(its.moved, totals.moved);
    add_to_total(its.growth, totals.growth);
    if (its.longest > AtomicRef(totals.longest).load())
      block.fetch_max(totals.longest, its.longest);
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
    const DynamicList mine = side.lists.list(t.vertex);
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
    std::uint32_t sums[6];
  };
  auto& sums = block.template shared<Shared>().sums;
  const std::uint32_t rank = block.rank();
  if (rank < 6) sums[rank] = 0;
  block.sync();
  add_in_block(block, mine.inserted, sums[0], counts->inserted);
  add_in_block(block, mine.overwritten, sums[1], counts->overwritten);
  add_in_block(block, mine.ignored, sums[2], counts->ignored);
  add_in_block(block, mine.removed, sums[3], counts->removed);
  add_in_block(block, mine.missing, sums[4], counts->missing);
  add_in_block(block, mine.superseded, sums[5], counts->superseded);
  block.sync();
  if (rank >= 6) return;
  std::uint64_t* const to[] = {&counts->inserted, &counts->overwritten, &counts->ignored,
                               &counts->removed,  &counts->missing,     &counts->superseded};
  add_to_total(sums[rank], *to[rank]);
}

}  // namespace fathom::dynamic::gpu::blocks
