#include "fathom/algorithms/betweenness/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_ADVANCE(FindFreeEdges);
FATHOM_CUDA_ADVANCE(RelaxFreeEdges);
FATHOM_CUDA_ADVANCE(CountEntries);
FATHOM_CUDA_ADVANCE(WeightedCountPush);
FATHOM_CUDA_GATHER(WeightedDependencyPull);
FATHOM_CUDA_COMPUTE(WeightedSettle);
FATHOM_CUDA_COMPUTE(WeightedCollect);
FATHOM_CUDA_FILTER(AllArrived);

}  // namespace fathom
