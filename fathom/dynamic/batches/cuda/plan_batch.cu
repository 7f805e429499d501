#include "fathom/dynamic/batches/blocks/plan_body.hpp"
#include "fathom/dynamic/batches/blocks/pool_body.hpp"
#include "fathom/dynamic/batches/cuda/gpu_batch.hpp"
#include "fathom/dynamic/lists/cuda/lists.cuh"

namespace fathom::dynamic::gpu {
namespace {

__global__ void __launch_bounds__(kBlock) decide_edges(DecideEdge decide) {
  blocks::for_each_item(ThisBlock{}, decide.changes, [&](std::size_t i) { decide(i); });
}

// Linked lists that ascend are searched by kernels of their own: `kSorted`, so that the compiler
// knows, and others need no more registers.

template <bool kSorted>
__global__ void __launch_bounds__(kBlock)
    locate_changes(LocateChange locate, std::uint32_t changes) {
  locate.lists.layout.sorted = kSorted;
  blocks::locate_changes(ThisBlock{}, locate, changes);
}

template <bool kSorted>
__global__ void __launch_bounds__(kBlock)
    locate_by_warps(LocateChange locate, std::uint32_t changes) {
  locate.lists.layout.sorted = kSorted;
  blocks::locate_by_warps(ThisBlock{}, locate, changes);
}

template <bool kSorted>
__global__ void __launch_bounds__(kBlock)
    locate_in_lists(LocateInList locate, const SideTotals* totals) {
  locate.lists.layout.sorted = kSorted;
  blocks::locate_in_lists(ThisBlock{}, locate, totals);
}

template <bool kSorted>
void locate_all(cuda::Gpu& gpu, const Side& side, UpdateStrategy strategy) {
  const std::uint32_t n = side.changes;
  const LocateChange each{side.lists, side.change};
  // A search for each change is the wider one; a walk along linked pages is shared by all of them.
  const bool by_list =
      strategy == UpdateStrategy::Auto ? side.lists.linked() : strategy != UpdateStrategy::Update;
  if (strategy == UpdateStrategy::Warp)
    locate_by_warps<kSorted>
        <<<blocks_for(gpu, std::size_t{n} * 32), kBlock, 0, gpu.stream()>>>(each, n);
  else if (by_list)
    locate_in_lists<kSorted>
        <<<blocks_for(gpu, std::size_t{n} * kTileLanes), kBlock, 0, gpu.stream()>>>(
            LocateInList{side.lists, side.change, side.touched}, side.totals);
  else
    locate_changes<kSorted>
        <<<blocks_for(gpu, side.lists.linked() ? std::size_t{n} * kTileLanes : n), kBlock, 0,
           gpu.stream()>>>(each, n);
}

__global__ void __launch_bounds__(kBlock) plan_lists(PlanList plan, const SideTotals* totals) {
  blocks::plan_lists(ThisBlock{}, plan, totals);
}

__global__ void __launch_bounds__(kBlock) place_pages(Side side, Totals* totals) {
  blocks::place_pages(ThisBlock{}, side, totals);
}

__global__ void __launch_bounds__(kBlock)
    touch_all(Side side, const EdgeId* offset, VertexId first) {
  blocks::touch_all(ThisBlock{}, side, offset, first);
}

__global__ void __launch_bounds__(kBlock)
    divide_pages(BulkPoolRef pool, BulkPlan* plan, Rooms rooms, Totals* totals, Totals* found) {
  blocks::divide_pages(ThisBlock{}, pool, plan, rooms, totals, found);
}

__global__ void __launch_bounds__(kBlock)
    give_pages(Side side, BulkPoolRef pool, const BulkPlan* plan, const Totals* totals) {
  blocks::give_pages(ThisBlock{}, side, pool, plan, totals);
}

__global__ void __launch_bounds__(kBlock)
    add_up_changes(const Change* change, std::uint32_t n, bool directed, ChangeCounts* counts) {
  blocks::add_up_changes(ThisBlock{}, change, n, directed, counts);
}

}  // namespace

void plan_side(cuda::Gpu& gpu, const Side& side, DuplicatePolicy policy, UpdateStrategy strategy,
               Totals* totals) {
  const std::uint32_t n = side.changes;
  if (n == 0) return;
  cudaStream_t stream = gpu.stream();
  const unsigned blocks = blocks_for(gpu, n);
  decide_edges<<<blocks, kBlock, 0, stream>>>(DecideEdge{side.change, n, policy});
  if (side.lists.layout.sorted)
    locate_all<true>(gpu, side, strategy);
  else
    locate_all<false>(gpu, side, strategy);
  plan_lists<<<blocks, kBlock, 0, stream>>>(
      PlanList{side.lists, side.change, side.touched, &side.totals->too_long}, side.totals);
  place_pages<<<blocks, kBlock, 0, stream>>>(side, totals);
  cuda::check(cudaGetLastError(), "planning a batch");
}

void plan_fill(cuda::Gpu& gpu, const Side& side, const EdgeId* offset, VertexId first,
               Totals* totals) {
  const unsigned blocks = blocks_for(gpu, side.changes);
  touch_all<<<blocks, kBlock, 0, gpu.stream()>>>(side, offset, first);
  place_pages<<<blocks, kBlock, 0, gpu.stream()>>>(side, totals);
  cuda::check(cudaGetLastError(), "planning lists");
}

void assign_pages(cuda::Gpu& gpu, const BulkPoolRef& pool, BulkPlan* plan, const Side* sides,
                  const Rooms& rooms, Totals* totals, Totals* found) {
  divide_pages<<<1, kBlock, 0, gpu.stream()>>>(pool, plan, rooms, totals, found);
  for (int s = 0; s < rooms.sides; ++s)
    if (sides[s].changes != 0)
      give_pages<<<blocks_for(gpu, sides[s].changes), kBlock, 0, gpu.stream()>>>(sides[s], pool,
                                                                                 plan, totals);
  cuda::check(cudaGetLastError(), "dividing pages");
}

void count_changes(cuda::Gpu& gpu, const Side& side, bool directed, Totals* totals) {
  if (side.changes == 0) return;
  add_up_changes<<<blocks_for(gpu, side.changes), kBlock, 0, gpu.stream()>>>(
      side.change, side.changes, directed, &totals->counts);
  cuda::check(cudaGetLastError(), "adding a batch up");
}

}  // namespace fathom::dynamic::gpu
