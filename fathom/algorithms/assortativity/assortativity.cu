#include "fathom/algorithms/assortativity/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_ADVANCE(CountLoop);
FATHOM_CUDA_COMPUTE(AddListLength);
FATHOM_CUDA_GATHER(SumDegrees);
FATHOM_CUDA_COMPUTE(FindMean);
FATHOM_CUDA_GATHER(CountRicher);

}  // namespace fathom
