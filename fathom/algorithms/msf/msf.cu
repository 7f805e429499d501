#include "fathom/algorithms/msf/functors.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_COMPUTE(StartTrees);
FATHOM_CUDA_COMPUTE(OfferEdge);
FATHOM_CUDA_FILTER(MayKnowBetter);
FATHOM_CUDA_COMPUTE(ForgetEdge);
FATHOM_CUDA_GATHER(FindLightest<true>);
FATHOM_CUDA_GATHER(FindLightest<false>);
FATHOM_CUDA_REDUCE(VertexId, MergeMin, FirstUneven);
FATHOM_CUDA_COMPUTE(LetGo);
FATHOM_CUDA_REDUCE(VertexId, MergeSum, HangTree);
FATHOM_CUDA_COMPUTE(RootAtFirst);
FATHOM_CUDA_COMPUTE(KeepLighter);

}  // namespace fathom
