#include "fathom/algorithms/betweenness/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

#define FATHOM_CUDA_SEARCHES(K)          \
  FATHOM_CUDA_ADVANCE(CountPush<K>);     \
  FATHOM_CUDA_GATHER(CountPull<K>);      \
  FATHOM_CUDA_GATHER(DependencyPull<K>); \
  FATHOM_CUDA_COMPUTE(Retire<K>);        \
  FATHOM_CUDA_COMPUTE(Settle<K>);        \
  FATHOM_CUDA_COMPUTE(MarkLevel<K>);     \
  FATHOM_CUDA_COMPUTE(Collect<K>)
FATHOM_CUDA_SEARCHES(1);
FATHOM_CUDA_SEARCHES(2);
FATHOM_CUDA_SEARCHES(4);
FATHOM_CUDA_SEARCHES(8);
FATHOM_CUDA_FILTER(NotSeenByAll);
FATHOM_CUDA_COMPUTE(Scale);

FATHOM_CUDA_ADVANCE(FindFreeEdges);
FATHOM_CUDA_ADVANCE(RelaxFreeEdges);
FATHOM_CUDA_ADVANCE(CountEntries);
FATHOM_CUDA_ADVANCE(WeightedCountPush);
FATHOM_CUDA_GATHER(WeightedDependencyPull);
FATHOM_CUDA_COMPUTE(WeightedSettle);
FATHOM_CUDA_COMPUTE(WeightedCollect);
FATHOM_CUDA_FILTER(AllArrived);

}  // namespace fathom
