// The phases of a batch that cannot fail: lists are written, and pages that they have left go back.
#include "fathom/dynamic/cuda/gpu_batch.hpp"
#include "fathom/dynamic/cuda/lists.cuh"

namespace fathom::dynamic::gpu {
namespace {

__global__ void settle_pool(BulkPoolRef pool, const BulkPlan* plan) {
  pool.settle(*plan);
}

__global__ void __launch_bounds__(kBlock)
    commit_lists(CommitList commit, const SideTotals* totals) {
  deal_lists(
      totals->touched,
      [&](std::size_t i) {
        const TouchedList& t = commit.touched[i];
        const std::uint32_t size = commit.lists.list[t.vertex].size;
        return t.changes ? work_of(t, size > t.size ? size : t.size) : 0;
      },
      [&](const auto& group, std::size_t i) { commit(group, i); });
}

/// Takes the pages of the lanes for which `mine` holds back: those of one size cost one addition.
/// All lanes of a warp call it.
__device__ void take_back(const BulkPoolRef& pool, const PageRequest& old, bool mine) {
  const int size = mine ? PoolRef::size_class(old.bytes) : kPageSizes;
  const std::uint32_t same = __match_any_sync(~0u, size);
  if (!mine) return;
  const auto leader = __ffs(static_cast<int>(same)) - 1;
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t at = 0;
  if (static_cast<int>(lane) == leader)
    at = AtomicRef(pool.state->free[size]).fetch_add(static_cast<std::uint32_t>(__popc(same)));
  at = __shfl_sync(same, at, leader);
  pool.page[size][at + static_cast<std::uint32_t>(__popc(same & ((1u << lane) - 1)))] = old.page;
}

__global__ void __launch_bounds__(kBlock)
    leave_old(Side side, BulkPoolRef pool, RetiredPage* retired, std::uint32_t* retired_count) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint32_t n = side.totals->touched;
  for (std::size_t base = thread_index() - lane; base < n; base += thread_count()) {
    TouchedList t;
    if (base + lane < n) t = side.touched[base + lane];
    const std::uint32_t its = t.changes ? t.old : 0;
    const bool pinned = t.written <= side.lists.pinned;
    for (std::uint32_t k = 0; __ballot_sync(~0u, k < its) != 0; ++k) {
      PageRequest old;
      if (k < its) old = side.old[t.first_old + k];
      if (k < its && pinned)
        retired[AtomicRef(*retired_count).fetch_add(1u)] = {old, t.written, side.lists.epoch};
      take_back(pool, old, k < its && !pinned);
      __syncwarp();
    }
  }
}

__global__ void __launch_bounds__(kBlock) fill_all(FillList fill, std::size_t n) {
  deal_lists(
      n, [&](std::size_t i) { return fill.touched[i].size; },
      [&](const auto& group, std::size_t i) { fill(group, i); });
}

__global__ void __launch_bounds__(kBlock)
    free_all(BulkPoolRef pool, const PageRequest* page, std::size_t n) {
  const unsigned lane = threadIdx.x % 32;
  for (std::size_t base = thread_index() - lane; base < n; base += thread_count()) {
    const bool mine = base + lane < n;
    take_back(pool, mine ? page[base + lane] : PageRequest{}, mine);
    __syncwarp();
  }
}

}  // namespace

void settle(cuda::Gpu& gpu, const BulkPoolRef& pool, const BulkPlan* plan) {
  settle_pool<<<1, 1, 0, gpu.stream()>>>(pool, plan);
}

void commit_side(cuda::Gpu& gpu, const Side& side) {
  if (side.changes == 0) return;
  commit_lists<<<blocks_for(gpu, std::size_t{side.changes} * TileLanes::kSize), kBlock, 0,
                 gpu.stream()>>>(
      CommitList{side.lists, side.change, side.touched, side.fresh, side.old}, side.totals);
}

void leave_pages(cuda::Gpu& gpu, const Side& side, const BulkPoolRef& pool, RetiredPage* retired,
                 std::uint32_t* retired_count) {
  if (side.changes == 0) return;
  leave_old<<<blocks_for(gpu, side.changes), kBlock, 0, gpu.stream()>>>(side, pool, retired,
                                                                        retired_count);
}

void fill_lists(cuda::Gpu& gpu, const Side& side, const FillList& fill) {
  fill_all<<<blocks_for(gpu, std::size_t{side.changes} * TileLanes::kSize), kBlock, 0,
             gpu.stream()>>>(fill, side.changes);
  cuda::check(cudaGetLastError(), "filling lists");
}

void free_pages(cuda::Gpu& gpu, const BulkPoolRef& pool, const PageRequest* page, std::size_t n) {
  if (n == 0) return;
  free_all<<<blocks_for(gpu, n), kBlock, 0, gpu.stream()>>>(pool, page, n);
}

}  // namespace fathom::dynamic::gpu
