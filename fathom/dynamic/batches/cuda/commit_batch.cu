#include "fathom/dynamic/batches/cuda/commit_lists.cuh"
#include "fathom/dynamic/lists/edge_fields.hpp"

namespace fathom::dynamic::gpu {
namespace {

__global__ void settle_pool(BulkPoolRef pool, const BulkPlan* plan, const Totals* totals) {
  if (totals->go != 0) blocks::settle(pool, *plan, *totals);
}

__global__ void __launch_bounds__(kBlock) fill_all(FillList fill, std::size_t n) {
  blocks::fill_all(ThisBlock{}, fill, n);
}

__global__ void __launch_bounds__(kBlock)
    free_all(BulkPoolRef pool, const PageRequest* page, std::size_t n) {
  blocks::free_all(ThisBlock{}, pool, page, n);
}

}  // namespace

void settle(cuda::Gpu& gpu, const BulkPoolRef& pool, const BulkPlan* plan, const Totals* totals) {
  settle_pool<<<1, 1, 0, gpu.stream()>>>(pool, plan, totals);
}

void commit_side(cuda::Gpu& gpu, const Side& side, const BulkPoolRef& pool, const Retired& retired,
                 const BulkPlan* settled, const Totals* totals) {
  const CommitArguments arguments{side, pool, retired, settled, totals};
  const auto commit = [&](const auto& data) {
    if (side.lists.layout.sorted)
      commit_sorted(gpu, arguments, data);
    else if (side.lists.linked())
      commit_linked(gpu, arguments, data);
    else
      commit_contiguous(gpu, arguments, data);
  };
  if (has_fields(side.lists.layout))
    commit(side.data);
  else
    commit(WeightsAlone{});
  cuda::check(cudaGetLastError(), "committing a batch");
}

void fill_lists(cuda::Gpu& gpu, const Side& side, const FillList& fill) {
  fill_all<<<blocks_for(gpu, std::size_t{side.changes} * kTileLanes), kBlock, 0, gpu.stream()>>>(
      fill, side.changes);
  cuda::check(cudaGetLastError(), "filling lists");
}

void free_pages(cuda::Gpu& gpu, const BulkPoolRef& pool, const PageRequest* page, std::size_t n) {
  if (n == 0) return;
  free_all<<<blocks_for(gpu, n), kBlock, 0, gpu.stream()>>>(pool, page, n);
}

}  // namespace fathom::dynamic::gpu
