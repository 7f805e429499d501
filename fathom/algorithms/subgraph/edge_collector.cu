#include "fathom/algorithms/subgraph/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_GATHER(CountKept<InsideSet>);
FATHOM_CUDA_GATHER(CountKept<AcrossSets>);
FATHOM_CUDA_ADVANCE(StoreKept<InsideSet, false>);
FATHOM_CUDA_ADVANCE(StoreKept<InsideSet, true>);
FATHOM_CUDA_ADVANCE(StoreKept<AcrossSets, false>);
FATHOM_CUDA_ADVANCE(StoreKept<AcrossSets, true>);

}  // namespace fathom
