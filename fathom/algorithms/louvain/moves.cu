// Kernels of vertices and slots.
#include "fathom/algorithms/louvain/refinement.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_REDUCE(std::uint64_t, MergeSum, VertexStrength);
FATHOM_CUDA_COMPUTE(StartCommunities);
FATHOM_CUDA_COMPUTE(AddToTotal);
FATHOM_CUDA_FILTER(ChoosesAgain);
FATHOM_CUDA_FILTER(ChoosesAlone);
FATHOM_CUDA_COMPUTE(EndChoosing);
FATHOM_CUDA_COMPUTE(ChooseInShort);
FATHOM_CUDA_COMPUTE(SumInLong);
FATHOM_CUDA_COMPUTE(ScoreInLong);
FATHOM_CUDA_COMPUTE(ChooseInLong);
FATHOM_CUDA_COMPUTE(MoveToChosen);
FATHOM_CUDA_COMPUTE(JoinChosen);
FATHOM_CUDA_COMPUTE(ActivateAround);
FATHOM_CUDA_REDUCE(std::uint64_t, MergeMostWorth, WorthOfCommunity);
FATHOM_CUDA_REDUCE(VertexId, MergeMin, FirstWorth);
FATHOM_CUDA_COMPUTE(ActivateNear);

}  // namespace fathom
