#include "fathom/ops/cuda/instantiate.cuh"
#include "fathom/reorder/reorder_functors.hpp"

namespace fathom {

FATHOM_CUDA_ADVANCE(reorder::ClaimNeighbours);
FATHOM_CUDA_GATHER(reorder::ClaimByNeighbours);

}  // namespace fathom
