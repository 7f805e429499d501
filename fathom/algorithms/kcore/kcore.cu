#include "fathom/algorithms/kcore/functors.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_GATHER(CountOthers);
FATHOM_CUDA_ADVANCE(CountFromOthers);
FATHOM_CUDA_ADVANCE(LoseNeighbour);
FATHOM_CUDA_GATHER(MissNeighbours);
FATHOM_CUDA_ADVANCE(NoteLoss);
FATHOM_CUDA_GATHER(NoteLosses);
FATHOM_CUDA_COMPUTE(Subtract);
FATHOM_CUDA_COMPUTE(Peel);
FATHOM_CUDA_FILTER(DegreeAtMost);
FATHOM_CUDA_FILTER(DegreeAbove);
FATHOM_CUDA_REDUCE(std::uint32_t, MergeMin, DegreeLeft);
FATHOM_CUDA_REDUCE(VertexId, MergeMin, TooManyEdges);

}  // namespace fathom
