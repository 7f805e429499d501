#include "fathom/algorithms/neighbor_sampling/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_COMPUTE(LocateLists);
FATHOM_CUDA_ADVANCE(PickEdges);
FATHOM_CUDA_ADVANCE(StoreLists<false>);
FATHOM_CUDA_ADVANCE(StoreLists<true>);

}  // namespace fathom
