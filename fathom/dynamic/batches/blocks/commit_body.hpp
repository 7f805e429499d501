// The phases of a batch that cannot fail, if it has come so far: lists are written, and pages that
// they have left go back.
#pragma once

#include "fathom/dynamic/batches/blocks/pool_body.hpp"

namespace fathom::dynamic::gpu::blocks {

/// Page k of those that list i has left. Every page that goes back has its place among the free
/// ones, so that nothing is contended for.
template <Block B>
FATHOM_BLOCK_HD void leave(const B& block, const Side& side, std::size_t i, const TouchedList& t,
                           std::uint32_t k, const PageRequest& old, const BulkPoolRef& pool,
                           const Retired& retired, const Totals* totals) {
  if (t.written <= side.lists.pinned) {
    retired.page[block.fetch_add(*retired.count, 1u)] = {old, t.written, side.lists.epoch};
    return;
  }
  if (pool.least != 0) side.old[t.first_old + k] = old;  // see GpuPages::commit()
  const int size = page_size_class(old.bytes);
  if (size >= pool.least) pool.page[size][totals->free[size] + side.number[i].old + k] = old.page;
}

/// `kForm`: as side.lists.form(); what the compiler knows it need not ask.
template <ListForm kForm, Block B, class Data>
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
        if (t.old != 0) prefetch(side.number + i);
        const DynamicList list = side.lists.list(t.vertex);
        if (kForm == ListForm::Contiguous) prefetch_page(side.lists, list);
        return work_of(t, list.size > t.size ? list.size : t.size);
      },
      [&](const auto& group, std::size_t i) {
        commit.template write<kForm>(
            group, i, [&](const TouchedList& t, std::uint32_t k, const PageRequest& old) {
              leave(block, side, i, t, k, old, pool, retired, totals);
            });
      });
}

template <Block B>
FATHOM_BLOCK_HD void fill_all(const B& block, const FillList& fill, std::size_t n) {
  deal_lists(
      block, n, [&](std::size_t i) { return fill.touched[i].size; },
      [&](const auto& group, std::size_t i) { fill(group, i); });
}

}  // namespace fathom::dynamic::gpu::blocks
