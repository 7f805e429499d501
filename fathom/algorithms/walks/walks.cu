#include "fathom/algorithms/walks/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_COMPUTE(NoteDegrees);
FATHOM_CUDA_ADVANCE(FindTargets);
FATHOM_CUDA_ADVANCE(CountTargets);
FATHOM_CUDA_ADVANCE(StorePiece);

}  // namespace fathom
