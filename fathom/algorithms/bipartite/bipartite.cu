#include "fathom/algorithms/bipartite/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_COMPUTE(StartApart);
FATHOM_CUDA_ADVANCE(RelateEnds);
FATHOM_CUDA_COMPUTE(RelateReplica);
FATHOM_CUDA_COMPUTE(TakeSide);
FATHOM_CUDA_ADVANCE(ReachNext);
FATHOM_CUDA_GATHER(FindReached);
FATHOM_CUDA_ADVANCE(FindOtherEnd);
FATHOM_CUDA_ADVANCE(NameNearer);
FATHOM_CUDA_COMPUTE(SetHops);

}  // namespace fathom
