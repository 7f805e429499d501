// Kernels that read lists.
#include "fathom/algorithms/louvain/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_ADVANCE(FindHeaviest);
FATHOM_CUDA_GATHER(AddStrength);
FATHOM_CUDA_ADVANCE(PutEdge);
FATHOM_CUDA_ADVANCE(AddShared);
FATHOM_CUDA_GATHER(SumInside);

}  // namespace fathom
