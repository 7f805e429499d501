#include "fathom/algorithms/biconnected/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_GATHER(FindReach);
FATHOM_CUDA_ADVANCE(LinkBranches);
FATHOM_CUDA_FILTER(EdgeOutside);

}  // namespace fathom
