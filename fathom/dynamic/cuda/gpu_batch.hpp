// The phases of a batch on a GPU, as functions that queue their kernels: one per functor of
// batch_functors.hpp, and what finds out in between how much is needed. Nothing here waits.
#pragma once

#include "fathom/dynamic/batch_functors.hpp"
#include "fathom/dynamic/bulk_pool.hpp"
#include "fathom/dynamic/dynamic_lists.hpp"
#include "fathom/exec/cuda/array_ops.hpp"
#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::dynamic::gpu {

/// What the planning of the lists of one direction comes to.
struct SideTotals {
  std::uint32_t touched;
  std::uint32_t too_long;
  unsigned long long fresh, old, moved;
  unsigned long long growth;  // edges, modulo 2^64
};

/// What is found in the updates themselves.
struct UpdateCheck {
  unsigned long long bad;    // 2^64 - 1 less the index of the first whose vertex does not exist
  unsigned long long loops;  // counted if asked for
};

/// What the host needs to know of a batch before it is committed.
struct Totals {
  UpdateCheck check;
  SideTotals side[2];                  // out, in
  ChangeCounts counts;                 // of the out lists
  std::uint32_t wanted[kPageSizes];    // pages of each size
  std::uint32_t returned[kPageSizes];  // that go back at once
  std::uint64_t missing;               // bytes; see BulkPlan
  std::uint32_t free[kPageSizes];      // pages of each size afterwards, without those
  std::uint64_t border;
};

/// One direction of a batch, on the device.
struct Side {
  DynamicListsRef lists;
  std::uint32_t changes;  // those that are none (second copies of loops) not counted
  Change* change;
  TouchedList* touched;   // [changes]
  std::uint32_t* number;  // [changes]: of the first of its fresh pages among those of their size
  PageRequest *fresh, *old;
  std::uint64_t fresh_room, old_room;
  SideTotals* totals;
};

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

  std::uint32_t keys() const { return (updates + edges) * (mirrored ? 2u : 1u); }
};

/// Scratch arrays of [keys] for sort_changes(); `place` has one more.
struct SortSpace {
  std::uint64_t *key, *sorted_key, *value, *sorted_value, *flag, *place;
};

/// Fills side.change, sorted, and side.touched.
void sort_changes(cuda::Gpu& gpu, cuda::ArrayScratch& scratch, const Updates& updates,
                  const SortSpace& space, const Side& side);
/// decide, locate, plan; and where each list's pages stand in the arrays.
void plan_side(cuda::Gpu& gpu, const Side& side, DuplicatePolicy policy, UpdateStrategy strategy,
               Totals* totals);
/// Touched lists for lists that are filled: `offset` as in FillList.
void plan_fill(cuda::Gpu& gpu, const Side& side, const EdgeId* offset, VertexId first,
               Totals* totals);
/// Divides the pool's pages once all sides are planned, and gives lists theirs if none is missing.
void assign_pages(cuda::Gpu& gpu, const BulkPoolRef& pool, BulkPlan* plan, const Side* sides,
                  int count, Totals* totals);
/// Adds the changes of the out lists up.
void count_changes(cuda::Gpu& gpu, const Side& side, bool directed, Totals* totals);

/// The pool's pages are taken for good.
void settle(cuda::Gpu& gpu, const BulkPoolRef& pool, const BulkPlan* plan);
void commit_side(cuda::Gpu& gpu, const Side& side);
/// Gives pages back that lists have left, or appends them to `retired` if a snapshot has them.
void leave_pages(cuda::Gpu& gpu, const Side& side, const BulkPoolRef& pool, RetiredPage* retired,
                 std::uint32_t* retired_count);
void fill_lists(cuda::Gpu& gpu, const Side& side, const FillList& fill);
void free_pages(cuda::Gpu& gpu, const BulkPoolRef& pool, const PageRequest* page, std::size_t n);

}  // namespace fathom::dynamic::gpu
