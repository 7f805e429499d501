#include "fathom/algorithms/matching/functors.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_COMPUTE(KeepFirst);
FATHOM_CUDA_COMPUTE(ForgetProposal);
FATHOM_CUDA_GATHER(FindProposal);
FATHOM_CUDA_COMPUTE(MarkRivals);
FATHOM_CUDA_COMPUTE(Propose);
FATHOM_CUDA_FILTER(IsRejected);
FATHOM_CUDA_REDUCE(VertexId, MergeMin, TakePartner);

}  // namespace fathom
