#include <type_traits>

#include "fathom/dynamic/batches/blocks/commit_body.hpp"
#include "fathom/dynamic/batches/cuda/gpu_batch.hpp"
#include "fathom/dynamic/lists/cuda/lists.cuh"
#include "fathom/dynamic/lists/edge_fields.hpp"

namespace fathom::dynamic::gpu {
namespace {

__global__ void settle_pool(BulkPoolRef pool, const BulkPlan* plan, const Totals* totals) {
  if (totals->go != 0) blocks::settle(pool, *plan, *totals);
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
  if (!kLinked) side.lists.layout.link_words = 0;  // so that the compiler knows
  blocks::commit_lists<kLinked>(ThisBlock{}, side, data, pool, retired, settled, totals);
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
  fill_all<<<blocks_for(gpu, std::size_t{side.changes} * kTileLanes), kBlock, 0, gpu.stream()>>>(
      fill, side.changes);
  cuda::check(cudaGetLastError(), "filling lists");
}

void free_pages(cuda::Gpu& gpu, const BulkPoolRef& pool, const PageRequest* page, std::size_t n) {
  if (n == 0) return;
  free_all<<<blocks_for(gpu, n), kBlock, 0, gpu.stream()>>>(pool, page, n);
}

}  // namespace fathom::dynamic::gpu
