// The kernels of PageRank whose vertices give shares of one type, a .cu file for each.
#pragma once

#include "fathom/algorithms/pagerank/conjugate_functors.hpp"
#include "fathom/algorithms/pagerank/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"
#include "fathom/ops/in_chunk.hpp"

#define FATHOM_CUDA_RANKS(SHARE, WEIGHTED)        \
  FATHOM_CUDA_GATHER(RankPull<SHARE, WEIGHTED>);  \
  FATHOM_CUDA_ADVANCE(RankPush<SHARE, WEIGHTED>); \
  FATHOM_CUDA_ADVANCE(InChunk<RankPush<SHARE, WEIGHTED>>)

#define FATHOM_CUDA_PAGERANK(SHARE)                                  \
  FATHOM_CUDA_RANKS(SHARE, false);                                   \
  FATHOM_CUDA_RANKS(SHARE, true);                                    \
  FATHOM_CUDA_REDUCE(RankTally, MergeSum, GiveFirst<SHARE>);         \
  FATHOM_CUDA_REDUCE(RankTally, MergeSum, ApplyReceived<SHARE>);     \
  FATHOM_CUDA_COMPUTE(StartConjugate<SHARE>);                        \
  FATHOM_CUDA_REDUCE(ResidualTally, MergeSum, FirstResidual<SHARE>); \
  FATHOM_CUDA_REDUCE(double, MergeSum, Curvature<SHARE>);            \
  FATHOM_CUDA_REDUCE(ResidualTally, MergeSum, StepAlong<SHARE>);     \
  FATHOM_CUDA_COMPUTE(NextDirection<SHARE>);                         \
  FATHOM_CUDA_COMPUTE(EndConjugate<SHARE>)
