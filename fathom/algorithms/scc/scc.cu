#include "fathom/algorithms/scc/functors.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_GATHER(HasPartner);
FATHOM_CUDA_ADVANCE(IsPartner);
FATHOM_CUDA_ADVANCE(LowerMark);
FATHOM_CUDA_GATHER(LowerOwnMark);
FATHOM_CUDA_ADVANCE(LowerColour);
FATHOM_CUDA_ADVANCE(JoinRoot);
FATHOM_CUDA_GATHER(JoinTarget);
FATHOM_CUDA_COMPUTE(SettleAlone);
FATHOM_CUDA_COMPUTE(Unmark);
FATHOM_CUDA_COMPUTE(SettleMarked);
FATHOM_CUDA_COMPUTE(StartColour);
FATHOM_CUDA_COMPUTE(StartRoots);
FATHOM_CUDA_COMPUTE(EndRound);
FATHOM_CUDA_COMPUTE(FindFirst);
FATHOM_CUDA_COMPUTE(LabelByFirst);
FATHOM_CUDA_FILTER(HasMark);
FATHOM_CUDA_FILTER(IsKnown);
FATHOM_CUDA_REDUCE(std::uint64_t, MergeMin, Unlikeliness);
FATHOM_CUDA_REDUCE(VertexId, MergeMin, FirstOf);

}  // namespace fathom
