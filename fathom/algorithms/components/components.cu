#include "fathom/algorithms/components/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"
#include "fathom/ops/in_chunk.hpp"

namespace fathom {

FATHOM_CUDA_ADVANCE(HookFirst);
FATHOM_CUDA_ADVANCE(LinkEnds);
FATHOM_CUDA_ADVANCE(InChunk<LowerLabel>);
FATHOM_CUDA_COMPUTE(Compress);
FATHOM_CUDA_COMPUTE(LinkHint);
FATHOM_CUDA_COMPUTE(LinkHook);
FATHOM_CUDA_COMPUTE(LinkReplica);
FATHOM_CUDA_COMPUTE(ListHook);
FATHOM_CUDA_COMPUTE(StartAlone);
FATHOM_CUDA_FILTER(IsRoot);
FATHOM_CUDA_FILTER(Outside);

}  // namespace fathom
