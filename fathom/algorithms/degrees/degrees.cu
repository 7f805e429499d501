#include "fathom/algorithms/degrees/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_COMPUTE(ListLength);
FATHOM_CUDA_ADVANCE(CountArrivals);

}  // namespace fathom
