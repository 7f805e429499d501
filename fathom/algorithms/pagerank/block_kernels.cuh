// The kernels of several walks at once, a .cu file for each number of them.
#pragma once

#include "fathom/algorithms/pagerank/block_functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

#define FATHOM_CUDA_ROWS(SHARE, WEIGHTED, K)       \
  FATHOM_CUDA_GATHER(RowPull<SHARE, WEIGHTED, K>); \
  FATHOM_CUDA_ADVANCE(RowPush<SHARE, WEIGHTED, K>)

#define FATHOM_CUDA_BLOCK_OF_WALKS(SHARE, K)                          \
  FATHOM_CUDA_ROWS(SHARE, false, K);                                  \
  FATHOM_CUDA_ROWS(SHARE, true, K);                                   \
  FATHOM_CUDA_REDUCE(WalkTally<K>, MergeSum, GiveFirstRow<SHARE, K>); \
  FATHOM_CUDA_REDUCE(WalkTally<K>, MergeSum, ApplyReceivedRow<SHARE, K>)
