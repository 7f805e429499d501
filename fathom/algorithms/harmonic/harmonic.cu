#include "fathom/algorithms/harmonic/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_COMPUTE(AddHarmonic);
FATHOM_CUDA_COMPUTE(ScaleHarmonic);

}  // namespace fathom
