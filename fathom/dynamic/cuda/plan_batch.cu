// The phases of a batch that may find that it does not fit: decide, locate, plan, and the division
// of the pool's pages.
#include "fathom/dynamic/cuda/gpu_batch.hpp"
#include "fathom/dynamic/cuda/lists.cuh"
#include "fathom/dynamic/cuda/plan_lists.cuh"

namespace fathom::dynamic::gpu {
namespace {

__global__ void __launch_bounds__(kBlock) decide_edges(DecideEdge decide) {
  for (std::size_t i = thread_index(); i < decide.changes; i += thread_count()) decide(i);
}

/// Contiguous lists are searched by a thread per change; others by a group for each.
__global__ void __launch_bounds__(kBlock)
    locate_changes(LocateChange locate, std::uint32_t changes) {
  if (!locate.lists.linked()) {
    for (std::size_t i = thread_index(); i < changes; i += thread_count()) locate(OneLane{}, i);
    return;
  }
  deal_lists(
      changes, [&](std::size_t i) { return locate.lists.list[locate.change[i].source].size; },
      [&](const auto& group, std::size_t i) { locate(group, i); });
}

__global__ void __launch_bounds__(kBlock)
    locate_by_warps(LocateChange locate, std::uint32_t changes) {
  for (std::size_t i = thread_index() / 32; i < changes; i += thread_count() / 32)
    locate(OrderedWarp{}, i);
}

__global__ void __launch_bounds__(kBlock)
    locate_in_lists(LocateInList locate, const SideTotals* totals) {
  deal_lists(
      totals->touched,
      [&](std::size_t i) {
        const TouchedList& t = locate.touched[i];
        return work_of(t, locate.lists.list[t.vertex].size);
      },
      [&](const auto& group, std::size_t i) { locate(group, i); });
}

/// Lists with many changes are left to whole warps.
__global__ void __launch_bounds__(kBlock) plan_lists(PlanList plan, const SideTotals* totals) {
  constexpr std::uint32_t kFew = 16;
  const unsigned lane = threadIdx.x % 32;
  const std::uint32_t n = totals->touched;
  for (std::size_t base = thread_index() - lane; base < n; base += thread_count()) {
    const std::size_t i = base + lane;
    const std::uint32_t changes = i < n ? plan.touched[i].last - plan.touched[i].first : 0;
    if (changes != 0 && changes <= kFew) plan(OneLane{}, i);
    __syncwarp();
    for (std::uint32_t rest = __ballot_sync(~0u, changes > kFew); rest != 0; rest &= rest - 1)
      plan(OrderedWarp{}, base + static_cast<std::uint32_t>(__ffs(static_cast<int>(rest)) - 1));
    __syncwarp();
  }
}

__global__ void __launch_bounds__(kBlock) place_pages(Side side, Totals* totals) {
  Placed sums;
  for_tiles(side.totals->touched, [&](std::size_t i, bool mine) {
    TouchedList t;
    if (mine) t = side.touched[i];
    place(side, totals, t, i, sums);
    if (mine && t.changes) side.touched[i] = t;
  });
  sums.add_to(*side.totals);
}

__global__ void __launch_bounds__(kBlock)
    touch_all(Side side, const EdgeId* offset, VertexId first) {
  for (std::size_t i = thread_index(); i < side.changes; i += thread_count()) {
    const EdgeId degree = offset[i + 1] - offset[i];
    if (degree > kNoPage / 2) AtomicRef(side.totals->too_long).store(1u);
    TouchedList t;
    t.vertex = first + static_cast<VertexId>(i);
    t.size = t.room = static_cast<std::uint32_t>(degree);
    t.changes = true;
    t.moves = true;
    t.fresh = side.lists.pages_for(t.size);
    side.touched[i] = t;
  }
  if (thread_index() == 0) side.totals->touched = side.changes;
}

/// What of a plan is in use. By all threads of a block.
__device__ void copy_plan(BulkPlan& to, const BulkPlan& from) {
  const unsigned k = threadIdx.x;
  if (k < kPageSizes) {
    to.parts[k] = from.parts[k];
    for (int p = 0; p < from.parts[k]; ++p) to.part[k][p] = from.part[k][p];
    to.after.free[k] = from.after.free[k];
  }
  for (unsigned i = k; i < from.left; i += kBlock) {
    to.left_page[i] = from.left_page[i];
    to.left_class[i] = from.left_class[i];
  }
  if (k != 0) return;
  to.left = from.left;
  to.missing = from.missing;
  to.after.border = from.after.border;
}

/// One block: a thread per size takes free pages, a single one the others, in shared memory, and
/// all copy. The host gets the totals, in its own memory.
__global__ void __launch_bounds__(kBlock)
    divide_pages(BulkPoolRef pool, BulkPlan* plan, Rooms rooms, Totals* totals, Totals* found) {
  __shared__ BulkPlan mine;
  __shared__ BulkPoolState state;
  __shared__ Totals its;
  copy_words(&its, totals);
  copy_words(&state, pool.state);
  __syncthreads();
  const unsigned k = threadIdx.x;
  __shared__ std::uint32_t need[kPageSizes];
  pool.state = &state;
  if (k < kPageSizes) {
    if (k == 0) pool.begin(mine);
    need[k] = pool.take_free(static_cast<int>(k), its.wanted[k], mine);
    const std::uint32_t needy = __ballot_sync(~0u, need[k] != 0);
    if (k == 0) {
      for (std::uint32_t rest = needy; rest != 0;) {
        const int largest = 31 - __clz(static_cast<int>(rest));
        rest &= ~(1u << largest);
        pool.take_others(largest, need[largest], mine);
      }
      its.missing = mine.missing;
      its.border = mine.after.border;
    }
  }
  __syncthreads();
  if (k < kPageSizes) its.free[k] = mine.after.free[k];
  __syncthreads();
  if (k == 0)
    for (std::uint32_t i = 0; i < mine.left; ++i) ++its.free[mine.left_class[i]];
  const bool lacks =
      __syncthreads_or(k < kPageSizes && !rooms.enough_free(its, static_cast<int>(k)));
  if (k == 0) {
    its.go = its.acceptable() && its.missing == 0 && !lacks && rooms.enough(its) ? 1 : 0;
    totals->go = its.go;
  }
  if (k < kPageSizes) totals->free[k] = its.free[k];
  __syncthreads();
  copy_words(found, &its);
  copy_plan(*plan, mine);
}

__global__ void __launch_bounds__(kBlock)
    give_pages(Side side, BulkPoolRef pool, const BulkPlan* plan, const Totals* totals) {
  if (totals->go == 0) return;
  for (std::size_t i = thread_index(); i < side.totals->touched; i += thread_count()) {
    const TouchedList t = side.touched[i];
    if (!t.changes || t.fresh == 0) continue;
    const std::uint64_t bytes = side.lists.bytes_for(t.room);
    const int size = PoolRef::size_class(bytes);
    if (size < pool.least) continue;
    const std::uint32_t first = side.number[i].fresh;
    for (std::uint32_t k = 0; k < t.fresh; ++k)
      side.fresh[t.first_fresh + k] = {bytes, pool.page_of_number(*plan, size, first + k)};
  }
}

__global__ void __launch_bounds__(kBlock)
    add_up_changes(const Change* change, std::uint32_t n, bool directed, ChangeCounts* counts) {
  ChangeCounts mine;
  for (std::size_t i = thread_index(); i < n; i += thread_count()) mine.add(change[i], directed);
  add_counts(mine, counts);
}

}  // namespace

void plan_side(cuda::Gpu& gpu, const Side& side, DuplicatePolicy policy, UpdateStrategy strategy,
               Totals* totals) {
  const std::uint32_t n = side.changes;
  if (n == 0) return;
  cudaStream_t stream = gpu.stream();
  const unsigned blocks = blocks_for(gpu, n);
  decide_edges<<<blocks, kBlock, 0, stream>>>(DecideEdge{side.change, n, policy});
  // A search for each change is the wider one; a walk along linked pages is shared by all of them.
  const bool by_list =
      strategy == UpdateStrategy::Auto ? side.lists.linked() : strategy != UpdateStrategy::Update;
  if (strategy == UpdateStrategy::Warp)
    locate_by_warps<<<blocks_for(gpu, std::size_t{n} * 32), kBlock, 0, stream>>>(
        LocateChange{side.lists, side.change}, n);
  else if (by_list)
    locate_in_lists<<<blocks_for(gpu, std::size_t{n} * TileLanes::kSize), kBlock, 0, stream>>>(
        LocateInList{side.lists, side.change, side.touched}, side.totals);
  else
    locate_changes<<<blocks_for(gpu, side.lists.linked() ? std::size_t{n} * TileLanes::kSize : n),
                     kBlock, 0, stream>>>(LocateChange{side.lists, side.change}, n);
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
