#include "fathom/algorithms/cdlp/functors.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_COMPUTE(StartLabels);
FATHOM_CUDA_REDUCE(VertexId, MergeMin, HasMoreEntries);
FATHOM_CUDA_ADVANCE(PutLabel);
FATHOM_CUDA_COMPUTE(CountLabels);
FATHOM_CUDA_COMPUTE(PickLabel);
FATHOM_CUDA_COMPUTE(MoveLabel);
FATHOM_CUDA_ADVANCE(CountInRange);
FATHOM_CUDA_REDUCE(std::uint64_t, GreaterWord, WordInRange);
FATHOM_CUDA_REDUCE(std::uint64_t, MergeSum, IsOtherLabel);

}  // namespace fathom
