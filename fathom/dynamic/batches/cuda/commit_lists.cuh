// The kernel that commits a side of a batch. Contiguous lists, linked ones and linked ones that
// ascend have kernels of their own: with the code of two it would need twice the registers. Each
// kernel has a .cu file.
#pragma once

#include "fathom/dynamic/batches/blocks/commit_body.hpp"
#include "fathom/dynamic/batches/cuda/gpu_batch.hpp"
#include "fathom/dynamic/lists/cuda/lists.cuh"

namespace fathom::dynamic::gpu {

// Of a multiprocessor: for more, values would have to leave registers, which takes longer than more
// lists at a time save.
inline constexpr unsigned kCommitBlocks = 2;

/// What a side's kernel gets; those of commit_side().
struct CommitArguments {
  const Side& side;
  const BulkPoolRef& pool;
  const Retired& retired;
  const BulkPlan* settled;
  const Totals* totals;
};

template <ListForm kForm, class Data>
__global__ void __launch_bounds__(kBlock, kCommitBlocks)
    commit_lists(Side side, Data data, BulkPoolRef pool, Retired retired, const BulkPlan* settled,
                 const Totals* totals) {
  if (kForm == ListForm::Contiguous) side.lists.layout.link_words = 0;  // so the compiler knows
  blocks::commit_lists<kForm>(ThisBlock{}, side, data, pool, retired, settled, totals);
}

template <ListForm kForm, class Data>
void start_commit(cuda::Gpu& gpu, const CommitArguments& a, const Data& data) {
  const unsigned blocks = blocks_for(gpu, std::size_t{a.side.changes} * 2, kCommitBlocks);
  commit_lists<kForm, Data>
      <<<blocks, kBlock, 0, gpu.stream()>>>(a.side, data, a.pool, a.retired, a.settled, a.totals);
}

void commit_contiguous(cuda::Gpu& gpu, const CommitArguments& a, const UpdateData& data);
void commit_contiguous(cuda::Gpu& gpu, const CommitArguments& a, const WeightsAlone& none);
void commit_linked(cuda::Gpu& gpu, const CommitArguments& a, const UpdateData& data);
void commit_linked(cuda::Gpu& gpu, const CommitArguments& a, const WeightsAlone& none);
void commit_sorted(cuda::Gpu& gpu, const CommitArguments& a, const UpdateData& data);
void commit_sorted(cuda::Gpu& gpu, const CommitArguments& a, const WeightsAlone& none);

}  // namespace fathom::dynamic::gpu
