#include "fathom/algorithms/bfs/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"
#include "fathom/ops/in_chunk.hpp"

namespace fathom {

FATHOM_CUDA_ADVANCE(BfsPush);
FATHOM_CUDA_ADVANCE(InChunk<BfsPush>);
FATHOM_CUDA_RUN_SMALL(BfsPush);
FATHOM_CUDA_GATHER(BfsPull);
FATHOM_CUDA_COMPUTE(FoundElsewhere);
FATHOM_CUDA_FILTER(Unreached);
FATHOM_CUDA_FILTER(BfsHint);

}  // namespace fathom
