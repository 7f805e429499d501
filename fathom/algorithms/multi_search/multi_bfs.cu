#include "fathom/algorithms/multi_search/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_COMPUTE(MultiBfsPlace);
FATHOM_CUDA_ADVANCE(MultiBfsPush);
FATHOM_CUDA_FILTER(MultiBfsOpen);
FATHOM_CUDA_FILTER(MultiBfsHint);
FATHOM_CUDA_GATHER(MultiBfsPull);
FATHOM_CUDA_COMPUTE(MultiBfsRetire);
FATHOM_CUDA_COMPUTE(MultiBfsSettle);
FATHOM_CUDA_COMPUTE(MultiBfsNoteDepth);

}  // namespace fathom
