#include "fathom/ops/cuda/instantiate.cuh"
#include "fathom/reorder/rcm_functors.hpp"

namespace fathom {

FATHOM_CUDA_ADVANCE(reorder::ClaimNext);
FATHOM_CUDA_GATHER(reorder::LookForNumbered);
FATHOM_CUDA_FILTER(reorder::IsUnnumbered);
FATHOM_CUDA_COMPUTE(reorder::Number);
FATHOM_CUDA_COMPUTE(reorder::TakeClaim);

}  // namespace fathom
