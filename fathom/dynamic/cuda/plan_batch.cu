// The phases of a batch that may find that it does not fit: decide, locate, plan, and the division
// of the pool's pages.
#include "fathom/dynamic/cuda/gpu_batch.hpp"
#include "fathom/dynamic/cuda/lists.cuh"

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

/// The sum of the values of the lanes before this one, and of all.
__device__ std::uint32_t sum_before(std::uint32_t value, std::uint32_t& all) {
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t sum = value;
  for (unsigned step = 1; step < 32; step *= 2) {
    const std::uint32_t other = __shfl_up_sync(~0u, sum, step);
    if (lane >= step) sum += other;
  }
  all = __shfl_sync(~0u, sum, 31);
  return sum - value;
}

/// The number of the first of `n` pages of a size among all that are counted in `counts`.
__device__ std::uint32_t number_among(std::uint32_t* counts, int size, std::uint32_t n) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint32_t same = __match_any_sync(~0u, n != 0 ? size : kPageSizes);
  std::uint32_t before = 0, all = 0;
  for (std::uint32_t rest = same; rest != 0; rest &= rest - 1) {
    const auto other = static_cast<unsigned>(__ffs(static_cast<int>(rest)) - 1);
    const std::uint32_t its = __shfl_sync(same, n, static_cast<int>(other));
    if (other < lane) before += its;
    all += its;
  }
  const auto leader = __ffs(static_cast<int>(same)) - 1;
  std::uint32_t base = 0;
  if (n != 0 && static_cast<int>(lane) == leader) base = AtomicRef(counts[size]).fetch_add(all);
  return __shfl_sync(same, base, leader) + before;
}

__global__ void __launch_bounds__(kBlock) place_pages(Side side, Totals* totals) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint32_t n = side.totals->touched;
  unsigned long long moved = 0;
  unsigned long long growth = 0;
  for (std::size_t base = thread_index() - lane; base < n; base += thread_count()) {
    const std::size_t i = base + lane;
    TouchedList t;
    if (i < n) t = side.touched[i];
    const DynamicList mine = i < n ? side.lists.list[t.vertex] : DynamicList{};
    if (!t.changes) t.fresh = t.old = 0;
    if (t.changes) {
      moved += t.moves ? 1 : 0;
      growth += t.size - static_cast<unsigned long long>(mine.size);
    }
    std::uint32_t all_fresh = 0, all_old = 0;
    const std::uint32_t fresh = sum_before(t.fresh, all_fresh), old = sum_before(t.old, all_old);
    unsigned long long first_fresh = 0, first_old = 0;
    if (lane == 0 && all_fresh != 0)
      first_fresh = AtomicRef(side.totals->fresh).fetch_add(all_fresh);
    if (lane == 0 && all_old != 0) first_old = AtomicRef(side.totals->old).fetch_add(all_old);
    first_fresh = __shfl_sync(~0u, first_fresh, 0) + fresh;
    first_old = __shfl_sync(~0u, first_old, 0) + old;
    const int size = PoolRef::size_class(side.lists.bytes_for(t.room));
    const std::uint32_t number = number_among(totals->wanted, size, t.fresh);
    const bool freed = t.written > side.lists.pinned;
    number_among(totals->returned, PoolRef::size_class(side.lists.bytes_for(mine.capacity)),
                 freed ? t.old : 0);
    if (i < n && t.changes) {
      side.touched[i].first_fresh = first_fresh;
      side.touched[i].first_old = first_old;
      side.number[i] = number;
    }
  }
  moved = reduce(WarpLanes{}, moved, [](auto a, auto b) { return a + b; });
  growth = reduce(WarpLanes{}, growth, [](auto a, auto b) { return a + b; });
  if (lane == 0 && moved != 0) AtomicRef(side.totals->moved).fetch_add(moved);
  if (lane == 0 && growth != 0) AtomicRef(side.totals->growth).fetch_add(growth);
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

/// One block: a single thread divides, in shared memory, and all copy.
__global__ void __launch_bounds__(kBlock)
    divide_pages(BulkPoolRef pool, BulkPlan* plan, Totals* totals) {
  __shared__ BulkPlan mine;
  __shared__ BulkPoolState state;
  __shared__ std::uint32_t wanted[kPageSizes];
  if (threadIdx.x < kPageSizes) {
    wanted[threadIdx.x] = totals->wanted[threadIdx.x];
    state.free[threadIdx.x] = pool.state->free[threadIdx.x];
    state.border = pool.state->border;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    pool.state = &state;
    pool.divide(wanted, mine);
    for (int k = 0; k < kPageSizes; ++k) wanted[k] = mine.after.free[k];
    for (std::uint32_t i = 0; i < mine.left; ++i) ++wanted[mine.left_class[i]];
    totals->missing = mine.missing;
    totals->border = mine.after.border;
  }
  __syncthreads();
  if (threadIdx.x < kPageSizes) totals->free[threadIdx.x] = wanted[threadIdx.x];
  const auto* const from = reinterpret_cast<const std::uint32_t*>(&mine);
  auto* const to = reinterpret_cast<std::uint32_t*>(plan);
  for (std::uint32_t i = threadIdx.x; i < sizeof(BulkPlan) / 4; i += blockDim.x) to[i] = from[i];
}

__global__ void __launch_bounds__(kBlock)
    give_pages(Side side, BulkPoolRef pool, const BulkPlan* plan) {
  if (plan->missing != 0 || side.totals->fresh > side.fresh_room) return;
  for (std::size_t i = thread_index(); i < side.totals->touched; i += thread_count()) {
    const TouchedList t = side.touched[i];
    if (!t.changes) continue;
    const std::uint64_t bytes = side.lists.bytes_for(t.room);
    const int size = PoolRef::size_class(bytes);
    for (std::uint32_t k = 0; k < t.fresh; ++k)
      side.fresh[t.first_fresh + k] = {bytes, pool.page_of_number(*plan, size, side.number[i] + k)};
  }
}

__global__ void __launch_bounds__(kBlock)
    add_up_changes(const Change* change, std::uint32_t n, bool directed, ChangeCounts* counts) {
  __shared__ unsigned long long sums[6];
  if (threadIdx.x < 6) sums[threadIdx.x] = 0;
  __syncthreads();
  ChangeCounts mine;
  for (std::size_t i = thread_index(); i < n; i += thread_count()) mine.add(change[i], directed);
  const auto add = [&](std::uint64_t value, int to) {
    value = reduce(WarpLanes{}, value, [](auto a, auto b) { return a + b; });
    if (threadIdx.x % 32 == 0 && value != 0)
      atomicAdd(&sums[to], static_cast<unsigned long long>(value));
  };
  add(mine.inserted, 0);
  add(mine.overwritten, 1);
  add(mine.ignored, 2);
  add(mine.removed, 3);
  add(mine.missing, 4);
  add(mine.superseded, 5);
  __syncthreads();
  if (threadIdx.x >= 6 || sums[threadIdx.x] == 0) return;
  std::uint64_t* const to[] = {&counts->inserted, &counts->overwritten, &counts->ignored,
                               &counts->removed,  &counts->missing,     &counts->superseded};
  AtomicRef(*to[threadIdx.x]).fetch_add(std::uint64_t{sums[threadIdx.x]});
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
  const bool by_list = strategy == UpdateStrategy::Vertex ||
                       (strategy == UpdateStrategy::Auto && side.lists.linked());
  if (by_list)
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
                  int count, Totals* totals) {
  divide_pages<<<1, kBlock, 0, gpu.stream()>>>(pool, plan, totals);
  for (int s = 0; s < count; ++s)
    if (sides[s].changes != 0)
      give_pages<<<blocks_for(gpu, sides[s].changes), kBlock, 0, gpu.stream()>>>(sides[s], pool,
                                                                                 plan);
  cuda::check(cudaGetLastError(), "dividing pages");
}

void count_changes(cuda::Gpu& gpu, const Side& side, bool directed, Totals* totals) {
  if (side.changes == 0) return;
  add_up_changes<<<blocks_for(gpu, side.changes), kBlock, 0, gpu.stream()>>>(
      side.change, side.changes, directed, &totals->counts);
  cuda::check(cudaGetLastError(), "adding a batch up");
}

}  // namespace fathom::dynamic::gpu
