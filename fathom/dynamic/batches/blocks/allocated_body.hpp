// Pages that threads take one by one from an allocator and give back to it, and what comes before
// and after.
#pragma once

#include "fathom/dynamic/batches/blocks/batch_side.hpp"
#include "fathom/dynamic/batches/blocks/deal_body.hpp"
#include "fathom/dynamic/pages/arenas.hpp"

namespace fathom::dynamic::gpu {

/// A kernel's allocator that says which pages it has; those that it does not have are the pool's.
template <class A>
concept PartAllocator = Allocator<const A> && requires(std::uint64_t bytes) {
  { A::has(bytes) } -> std::same_as<bool>;
};

namespace blocks {

/// Writes what the lists of a side ask for, where there is room for it.
template <Block B>
FATHOM_BLOCK_HD void write_requests(const B& block, const Side& side) {
  if (side.totals->fresh > side.fresh_room) return;
  for_each_item(block, side.totals->touched, [&](std::size_t i) {
    const TouchedList t = side.touched[i];
    if (!t.changes || t.fresh == 0) return;
    const std::uint64_t bytes = side.lists.bytes_for(t.room);
    for (std::uint32_t k = 0; k < t.fresh; ++k) side.fresh[t.first_fresh + k] = {bytes, kNoPage};
  });
}

/// A thread per size. `newest`: the arena to begin with, or kNoPage.
template <Block B>
FATHOM_BLOCK_HD void begin_turns(const B& block, ArenaTurn* turn, std::uint32_t arenas,
                                 std::uint32_t newest) {
  ArenaTurn& mine = turn[block.rank()];
  if (newest != kNoPage) {
    mine.first = newest;
    mine.tried = 0;
  }
  mine.begin(arenas);
}

/// Nothing is taken for updates that will be refused, or planned again.
template <Block B, PartAllocator A>
FATHOM_BLOCK_HD void take_pages(const B& block, const A& pages, const Side& side,
                                const Totals* totals) {
  const std::uint64_t n = side.totals->fresh;
  if (n > side.fresh_room || !totals->acceptable()) return;
  for_each_item(block, n, [&](std::size_t i) {
    const PageRequest r = side.fresh[i];
    if (r.bytes != 0 && r.page == kNoPage && A::has(r.bytes))
      side.fresh[i].page = pages.allocate(r.bytes);
  });
}

template <Block B, PartAllocator A>
FATHOM_BLOCK_HD void give_up_pages(const B& block, const A& pages, const Side& side) {
  const std::uint64_t n = side.totals->fresh;
  if (n > side.fresh_room) return;
  for_each_item(block, n, [&](std::size_t i) {
    const PageRequest r = side.fresh[i];
    if (r.bytes == 0 || r.page == kNoPage || !A::has(r.bytes)) return;
    pages.free(r.page, r.bytes);
    side.fresh[i].page = kNoPage;
  });
}

/// One warp. The batch does not go on if a page is missing, or if all would come to more than
/// `most` bytes.
template <Block B>
FATHOM_BLOCK_HD void hold_back_unless(const B& block, const ArenaTurn* turn, std::uint64_t most,
                                      Totals* totals, Totals* found, ArenaTurn* turns) {
  static_assert(kPageSizes == kWarpLanes);
  const auto warp = block.warp();
  const std::uint32_t k = block.rank();
  const ArenaTurn mine = turn[k];
  const auto each = static_cast<unsigned long long>(kDynamicUnit) << k;
  const unsigned long long wanted =
      reduce(warp, totals->wanted[k] * each, [](auto a, auto b) { return a + b; });
  const bool lacks = warp.any(mine.missing != 0) || wanted > most;
  turns[k] = mine;
  if (k == 0 && lacks) totals->go = found->go = 0;
}

/// Takes back what the lists of a side have left and no snapshot has.
template <Block B, PartAllocator A>
FATHOM_BLOCK_HD void leave_to(const B& block, const A& pages, const Side& side,
                              const Totals* totals) {
  if (totals->go == 0) return;
  const auto warp = block.warp();
  const std::uint32_t n = side.totals->touched;
  for_warp_tiles(block, n, [&](std::size_t base, std::uint32_t lane) {
    TouchedList t;
    if (base + lane < n) t = side.touched[base + lane];
    const std::uint32_t its = t.changes && t.written > side.lists.pinned ? t.old : 0;
    for (std::uint32_t k = 0; warp.ballot(k < its) != 0; ++k) {
      PageRequest old;
      if (k < its) old = side.old[t.first_old + k];
      if (k < its && A::has(old.bytes)) pages.free(old.page, old.bytes);
      warp.sync();
    }
  });
}

template <Block B, PartAllocator A>
FATHOM_BLOCK_HD void free_to(const B& block, const A& pages, const BulkPoolRef& pool,
                             const PageRequest* page, std::size_t n) {
  for_each_item(block, n, [&](std::size_t i) {
    const PageRequest old = page[i];
    if (A::has(old.bytes))
      pages.free(old.page, old.bytes);
    else
      pool.free(old.page, old.bytes);
  });
}

template <Block B, PartAllocator A>
FATHOM_BLOCK_HD void forget_lists(const B& block, const A& pages, const DynamicListsRef& lists,
                                  std::size_t n) {
  for_each_item(block, n, [&](std::size_t i) {
    const DynamicList mine = lists.list(i);
    const std::uint64_t bytes = lists.bytes_for(mine.capacity);
    std::uint32_t page = mine.page;
    for (std::uint32_t left = lists.pages_for(mine.capacity); left != 0; --left) {
      const std::uint32_t next = left > 1 ? lists.pages().link(page) : kNoPage;
      pages.free(page, bytes);
      page = next;
    }
  });
}

}  // namespace blocks
}  // namespace fathom::dynamic::gpu
