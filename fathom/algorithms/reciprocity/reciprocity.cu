#include "fathom/algorithms/reciprocity/functors.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_ADVANCE(PutNeighbor);
FATHOM_CUDA_COMPUTE(EnterNeighbors);
FATHOM_CUDA_COMPUTE(CountAnswered);
FATHOM_CUDA_ADVANCE(MarkInRange);
FATHOM_CUDA_ADVANCE(CountMarked);
FATHOM_CUDA_REDUCE(EdgeId, MergeSum, AnsweredOf);

}  // namespace fathom
