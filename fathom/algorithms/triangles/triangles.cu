#include "fathom/algorithms/triangles/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_INTERSECT(CountTotal);
FATHOM_CUDA_INTERSECT(CountPerVertex);

}  // namespace fathom
