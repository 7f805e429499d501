// The phases of a batch on a GPU, as functions that queue their kernels: one per functor of
// batch_functors.hpp, and what finds out in between how much is needed. Nothing here waits.
#pragma once

#include "fathom/dynamic/batches/blocks/batch_side.hpp"
#include "fathom/dynamic/lists/dynamic_lists.hpp"
#include "fathom/exec/cuda/array_ops.hpp"
#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::dynamic::gpu {

/// What updates become changes; `implied` are edges that go with their vertices. Endpoints out of
/// range stand for vertex 0: such batches are refused once they are planned.
struct Updates {
  const EdgeUpdate* update;
  std::uint32_t updates;
  const Edge* implied;
  std::uint32_t edges;
  bool mirrored;  // undirected: the other direction too
  bool swapped;   // for in-lists
  VertexId vertices;
  bool numbered;  // changes have the numbers of updates, see UpdateData

  std::uint32_t keys() const { return (updates + edges) * (mirrored ? 2u : 1u); }
};

/// Scratch arrays of [keys] for sort_changes(); `place` has one more.
struct SortSpace {
  std::uint64_t *key, *sorted_key, *value, *sorted_value, *flag, *place;
};

/// Chains the updates of each list; side.vertex lists the vertices. Chains were empty, or have
/// earlier pieces of the batch. The first piece clears `next`.
void chain_updates(cuda::Gpu& gpu, const ChainedUpdates& updates, const Side* sides,
                   UpdateCheck* found, Totals* next);
/// Turns chains into side.change, which has room for twice side.changes, and does with them what
/// plan_side() does; contiguous lists only. `count`: adds the changes up too. Chains are empty
/// afterwards.
void plan_chained(cuda::Gpu& gpu, const Side& side, const Chains& chains, DuplicatePolicy policy,
                  bool directed, bool count, Totals* totals);
/// Fills side.change, sorted, and side.touched.
void sort_changes(cuda::Gpu& gpu, cuda::ArrayScratch& scratch, const Updates& updates,
                  const SortSpace& space, const Side& side);
/// decide, locate, plan; and where each list's pages stand in the arrays.
void plan_side(cuda::Gpu& gpu, const Side& side, DuplicatePolicy policy, UpdateStrategy strategy,
               Totals* totals);
/// Touched lists for lists that are filled: `offset` as in FillList.
void plan_fill(cuda::Gpu& gpu, const Side& side, const EdgeId* offset, VertexId first,
               Totals* totals);
/// Divides the pool's pages once all sides are planned, decides whether the batch can go on, and
/// gives lists their pages then. `found`, in pinned memory, gets the totals.
void assign_pages(cuda::Gpu& gpu, const BulkPoolRef& pool, BulkPlan* plan, const Side* sides,
                  const Rooms& rooms, Totals* totals, Totals* found);
/// Adds the changes of the out lists up.
void count_changes(cuda::Gpu& gpu, const Side& side, bool directed, Totals* totals);

// What follows does nothing unless `totals` says go.
/// The pool's pages are taken for good, and those that come back counted.
void settle(cuda::Gpu& gpu, const BulkPoolRef& pool, const BulkPlan* plan, const Totals* totals);
/// Writes lists. Pages that they leave go back to the pool, or are appended to `retired`.
/// `settled`, of one side: the plan to settle besides.
void commit_side(cuda::Gpu& gpu, const Side& side, const BulkPoolRef& pool, const Retired& retired,
                 const BulkPlan* settled, const Totals* totals);
void fill_lists(cuda::Gpu& gpu, const Side& side, const FillList& fill);
void free_pages(cuda::Gpu& gpu, const BulkPoolRef& pool, const PageRequest* page, std::size_t n);

}  // namespace fathom::dynamic::gpu
