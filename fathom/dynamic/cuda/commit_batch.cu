// The phases of a batch that cannot fail, if it has come so far: lists are written, and pages that
// they have left go back.
#include <type_traits>

#include "fathom/dynamic/cuda/gpu_batch.hpp"
#include "fathom/dynamic/cuda/lists.cuh"
#include "fathom/dynamic/edge_fields.hpp"

namespace fathom::dynamic::gpu {
namespace {

__device__ void settle(const BulkPoolRef& pool, const BulkPlan& plan, const Totals& totals) {
  pool.settle(plan);
  for (int k = pool.least; k < kPageSizes; ++k) pool.state->free[k] += totals.returned[k];
}

__global__ void settle_pool(BulkPoolRef pool, const BulkPlan* plan, const Totals* totals) {
  if (totals->go != 0) settle(pool, *plan, *totals);
}

/// Pages that list i has left. Every page that goes back has its place among the free ones, so that
/// nothing is contended for.
__device__ void leave(const Side& side, std::size_t i, const TouchedList& t,
                      const BulkPoolRef& pool, const Retired& retired, const Totals* totals) {
  const bool pinned = t.written <= side.lists.pinned;
  const std::uint32_t number = side.number[i].old;
  for (std::uint32_t k = 0; k < t.old; ++k) {
    const PageRequest old = side.old[t.first_old + k];
    if (pinned) {
      retired.page[AtomicRef(*retired.count).fetch_add(1u)] = {old, t.written, side.lists.epoch};
    } else {
      const int size = PoolRef::size_class(old.bytes);
      if (size < pool.least) continue;  // see GpuPages::commit()
      pool.page[size][totals->free[size] + number + k] = old.page;
    }
  }
}

// Of a multiprocessor: for more, values would have to leave registers, which takes longer than more
// lists at a time save.
constexpr unsigned kCommitBlocks = 2;

/// Contiguous lists and linked ones have kernels of their own: each with the code of both needs
/// twice the registers.
template <bool kLinked, class Data>
__global__ void __launch_bounds__(kBlock, kCommitBlocks)
    commit_lists(Side side, Data data, BulkPoolRef pool, Retired retired, const BulkPlan* settled,
                 const Totals* totals) {
  if (totals->go == 0) return;
  if (!kLinked) side.lists.layout.link_words = 0;  // so that the compiler knows
  if (settled && thread_index() == 0) settle(pool, *settled, *totals);
  const CommitList<Data> commit{side.lists, side.change, side.touched, side.fresh, side.old, data};
  deal_short_lists(
      side.totals->touched,
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
        if (t.changes && t.old != 0) leave(side, i, t, pool, retired, totals);
      });
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

void settle(cuda::Gpu& gpu, const BulkPoolRef& pool, const BulkPlan* plan, const Totals* totals) {
  settle_pool<<<1, 1, 0, gpu.stream()>>>(pool, plan, totals);
}

void commit_side(cuda::Gpu& gpu, const Side& side, const BulkPoolRef& pool, const Retired& retired,
                 const BulkPlan* settled, const Totals* totals) {
  const unsigned blocks = blocks_for(gpu, std::size_t{side.changes} * 2, kCommitBlocks);
  const auto commit = [&](const auto& data) {
    using Data = std::decay_t<decltype(data)>;
    const auto kernel = side.lists.linked() ? commit_lists<true, Data> : commit_lists<false, Data>;
    kernel<<<blocks, kBlock, 0, gpu.stream()>>>(side, data, pool, retired, settled, totals);
  };
  if (has_fields(side.lists.layout))
    commit(side.data);
  else
    commit(WeightsAlone{});
  cuda::check(cudaGetLastError(), "committing a batch");
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
