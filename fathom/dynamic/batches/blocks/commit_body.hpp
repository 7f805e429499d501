// The phases of a batch that cannot fail, if it has come so far: lists are written, and pages that
// they have left go back.
#pragma once

#include "fathom/dynamic/batches/blocks/pool_body.hpp"

namespace fathom::dynamic::gpu::blocks {

/// Pages that list i has left. Every page that goes back has its place among the free ones, so that
/// nothing is contended for.
template <Block B>
FATHOM_BLOCK_HD void leave(const B& block, const Side& side, std::size_t i, const TouchedList& t,
                           const BulkPoolRef& pool, const Retired& retired, const Totals* totals) {
  const bool pinned = t.written <= side.lists.pinned;
  const std::uint32_t number = side.number[i].old;
  for (std::uint32_t k = 0; k < t.old; ++k) {
    const PageRequest old = side.old[t.first_old + k];
    if (pinned) {
      retired.page[block.fetch_add(*retired.count, 1u)] = {old, t.written, side.lists.epoch};
    } else {
      const int size = page_size_class(old.bytes);
      if (size < pool.least) continue;  // see GpuPages::commit()
      pool.page[size][totals->free[size] + number + k] = old.page;
    }
  }
}

/// `kLinked`: as side.lists.linked(); what the compiler knows it need not ask.
template <bool kLinked, Block B, class Data>
FATHOM_BLOCK_HD void commit_lists(const B& block, const Side& side, const Data& data,
                                  const BulkPoolRef& pool, const Retired& retired,
                                  const BulkPlan* settled, const Totals* totals) {
  if (totals->go == 0) return;
  if (settled && thread_index(block) == 0) settle(pool, *settled, *totals);
  const CommitList<Data> commit{side.lists, side.change, side.touched, side.fresh, side.old, data};
  deal_short_lists(
      block, side.totals->touched,
      [&](std::size_t i) {
        const TouchedList& t = side.touched[i];
        if (!t.changes) return 0u;
        prefetch(side.change + t.first);
        if (t.fresh != 0) prefetch(side.fresh + t.first_fresh);
        const DynamicList& list = side.lists.list[t.vertex];
        if (!kLinked) prefetch_page(side.lists, list);
        return work_of(t, list.size > t.size ? list.size : t.size);
      },
      [&](const auto& group, std::size_t i) {
        commit(group, i);
        if (group.rank() != 0) return;
        const TouchedList& t = side.touched[i];
        if (t.changes && t.old != 0) leave(block, side, i, t, pool, retired, totals);
      });
}

template <Block B>
FATHOM_BLOCK_HD void fill_all(const B& block, const FillList& fill, std::size_t n) {
  deal_lists(
      block, n, [&](std::size_t i) { return fill.touched[i].size; },
      [&](const auto& group, std::size_t i) { fill(group, i); });
}

}  // namespace fathom::dynamic::gpu::blocks
