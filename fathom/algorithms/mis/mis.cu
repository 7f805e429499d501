#include "fathom/algorithms/mis/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_COMPUTE(MakeKey);
FATHOM_CUDA_ADVANCE(CountInEdges);
FATHOM_CUDA_GATHER(FindEarlier);
FATHOM_CUDA_ADVANCE(HoldBack);
FATHOM_CUDA_ADVANCE(RuleOut);
FATHOM_CUDA_GATHER(FindChosen);
FATHOM_CUDA_FILTER(IsNotMarked);
FATHOM_CUDA_COMPUTE(SpreadBits);

}  // namespace fathom
