#include "fathom/algorithms/ktruss/functors.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_ADVANCE(PutEdgeInSlot);
FATHOM_CUDA_COMPUTE(PutTail);
FATHOM_CUDA_COMPUTE(CountSupport);
FATHOM_CUDA_COMPUTE(PeelEdge);
FATHOM_CUDA_COMPUTE(LoseTriangles);
FATHOM_CUDA_COMPUTE(KeepTails);
FATHOM_CUDA_FILTER(SupportAtMost);
FATHOM_CUDA_FILTER(EdgeIsLeft);
FATHOM_CUDA_REDUCE(std::uint32_t, MergeMin, SupportOf);

}  // namespace fathom
