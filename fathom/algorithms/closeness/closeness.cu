#include "fathom/algorithms/closeness/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_COMPUTE(AddDistances);

}  // namespace fathom
