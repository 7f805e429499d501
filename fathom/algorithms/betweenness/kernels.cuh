// The kernels of searches that count hops, from so many sources at once: a .cu file for some
// widths.
#pragma once

#include "fathom/algorithms/betweenness/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

#define FATHOM_CUDA_SEARCHES(K)          \
  FATHOM_CUDA_ADVANCE(CountPush<K>);     \
  FATHOM_CUDA_GATHER(CountPull<K>);      \
  FATHOM_CUDA_GATHER(DependencyPull<K>); \
  FATHOM_CUDA_COMPUTE(Retire<K>);        \
  FATHOM_CUDA_COMPUTE(Settle<K>);        \
  FATHOM_CUDA_COMPUTE(AtLevel<K>);       \
  FATHOM_CUDA_FILTER(AtLevel<K>);        \
  FATHOM_CUDA_COMPUTE(Collect<K>)
