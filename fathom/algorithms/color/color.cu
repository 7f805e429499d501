#include "fathom/algorithms/color/functors.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_COMPUTE(TurnKey);
FATHOM_CUDA_REDUCE(VertexId, MergeMin, TooManyNeighbors);
FATHOM_CUDA_GATHER(CountEarlier);
FATHOM_CUDA_ADVANCE(AwaitEarlier);
FATHOM_CUDA_ADVANCE(TellColor);
FATHOM_CUDA_GATHER(CollectColors);
FATHOM_CUDA_ADVANCE(TellWindow);
FATHOM_CUDA_COMPUTE(PickColor);
FATHOM_CUDA_FILTER(IsWindowFull);
FATHOM_CUDA_COMPUTE(OpenWindow);

}  // namespace fathom
