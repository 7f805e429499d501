// The pool's pages: divided among all that a batch wants, handed out, and taken back.
#pragma once

#include "fathom/dynamic/batches/blocks/batch_side.hpp"
#include "fathom/dynamic/batches/blocks/deal_body.hpp"

namespace fathom::dynamic::gpu::blocks {

/// What of a plan is in use. By all threads of a block.
template <Block B>
FATHOM_BLOCK_HD void copy_plan(const B& block, BulkPlan& to, const BulkPlan& from) {
  const std::uint32_t k = block.rank();
  if (k < kPageSizes) {
    to.parts[k] = from.parts[k];
    for (int p = 0; p < from.parts[k]; ++p) to.part[k][p] = from.part[k][p];
    to.after.free[k] = from.after.free[k];
  }
  for (std::uint32_t i = k; i < from.left; i += block.size()) {
    to.left_page[i] = from.left_page[i];
    to.left_class[i] = from.left_class[i];
  }
  if (k != 0) return;
  to.left = from.left;
  to.missing = from.missing;
  to.after.border = from.after.border;
  to.after.far = from.after.far;
}

/// One block: a thread per size takes free pages, a single one the others, in shared memory, and
/// all copy. The host gets the totals, in its own memory.
template <Block B>
FATHOM_BLOCK_HD void divide_pages(const B& block, BulkPoolRef pool, BulkPlan* plan,
                                  const Rooms& rooms, Totals* totals, Totals* found) {
  static_assert(kPageSizes == kWarpLanes);
  struct Shared {
    BulkPlan mine;
    BulkPoolState state;
    Totals its;
    std::uint32_t need[kPageSizes];
  };
  Shared& shared = block.template shared<Shared>();
  BulkPlan& mine = shared.mine;
  Totals& its = shared.its;
  copy_words(block, &its, totals);
  copy_words(block, &shared.state, pool.state);
  block.sync();
  const std::uint32_t k = block.rank();
  pool.state = &shared.state;
  if (k < kPageSizes) {
    if (k == 0) pool.begin(mine);
    shared.need[k] = pool.take_free(static_cast<int>(k), its.wanted[k], mine);
    const std::uint32_t needy = block.warp().ballot(shared.need[k] != 0);
    block.warp().sync();  // the first lane reads what the others have written
    if (k == 0) {
      for (std::uint32_t rest = needy; rest != 0;) {
        const std::uint32_t largest = last_lane(rest);
        rest &= ~(1u << largest);
        pool.take_others(static_cast<int>(largest), shared.need[largest], mine);
      }
      its.missing = mine.missing;
      its.border = mine.after.border;
    }
  }
  block.sync();
  if (k < kPageSizes) its.free[k] = mine.after.free[k];
  block.sync();
  if (k == 0)
    for (std::uint32_t i = 0; i < mine.left; ++i) ++its.free[mine.left_class[i]];
  block.sync();
  const bool lacks = block.sync_or(k < kPageSizes && !rooms.enough_free(its, static_cast<int>(k)));
  if (k == 0) {
    its.go = its.acceptable() && its.missing == 0 && !lacks && rooms.enough(its) ? 1 : 0;
    totals->go = its.go;
  }
  if (k < kPageSizes) totals->free[k] = its.free[k];
  block.sync();
  copy_words(block, found, &its);
  copy_plan(block, *plan, mine);
}

template <Block B>
FATHOM_BLOCK_HD void give_pages(const B& block, const Side& side, const BulkPoolRef& pool,
                                const BulkPlan* plan, const Totals* totals) {
  if (totals->go == 0) return;
  for_each_item(block, side.totals->touched, [&](std::size_t i) {
    const TouchedList t = side.touched[i];
    if (!t.changes || t.fresh == 0) return;
    const std::uint64_t bytes = side.lists.bytes_for(t.room);
    const int size = page_size_class(bytes);
    if (size < pool.least) return;
    const std::uint32_t first = side.number[i].fresh;
    for (std::uint32_t k = 0; k < t.fresh; ++k)
      side.fresh[t.first_fresh + k] = {bytes, pool.page_of_number(*plan, size, first + k)};
  });
}

/// One thread.
FATHOM_HD void settle(const BulkPoolRef& pool, const BulkPlan& plan, const Totals& totals) {
  pool.settle(plan);
  for (int k = pool.least; k < kPageSizes; ++k) pool.state->free[k] += totals.returned[k];
}

/// Takes the pages of the lanes for which `mine` holds back: those of one size cost one addition.
/// All lanes of a warp call it.
template <Block B>
FATHOM_BLOCK_HD void take_back(const B& block, const BulkPoolRef& pool, const PageRequest& old,
                               bool mine) {
  const auto warp = block.warp();
  const int size = mine ? page_size_class(old.bytes) : kPageSizes;
  const std::uint32_t same = warp.match(static_cast<std::uint32_t>(size));
  if (!mine) return;
  const std::uint32_t leader = first_lane(same), lane = warp.rank();
  std::uint32_t at = 0;
  if (lane == leader) at = block.fetch_add(pool.state->free[size], count_lanes(same));
  at = warp.among(same).shfl(at, leader);
  pool.page[size][at + lanes_before(same, lane)] = old.page;
}

template <Block B>
FATHOM_BLOCK_HD void free_all(const B& block, const BulkPoolRef& pool, const PageRequest* page,
                              std::size_t n) {
  const auto warp = block.warp();
  for_warp_tiles(block, n, [&](std::size_t base, std::uint32_t lane) {
    const bool mine = base + lane < n;
    take_back(block, pool, mine ? page[base + lane] : PageRequest{}, mine);
    warp.sync();
  });
}

}  // namespace fathom::dynamic::gpu::blocks
