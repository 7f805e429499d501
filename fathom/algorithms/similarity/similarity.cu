#include "fathom/algorithms/similarity/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_COMPUTE(PlaceLists);
FATHOM_CUDA_ADVANCE(PutEntry);
FATHOM_CUDA_COMPUTE(CountNeighborsOnce);
FATHOM_CUDA_ADVANCE(BoundPaths);
FATHOM_CUDA_COMPUTE(AddPaths);
FATHOM_CUDA_COMPUTE(SumCommon);

}  // namespace fathom
