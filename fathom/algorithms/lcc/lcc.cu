#include "fathom/algorithms/lcc/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_ADVANCE(CountNeighbors);
FATHOM_CUDA_INTERSECT(CreditLinks);
FATHOM_CUDA_COMPUTE(FindShare);

}  // namespace fathom
