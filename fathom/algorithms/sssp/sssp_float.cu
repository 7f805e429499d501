#include "fathom/algorithms/sssp/kernels.cuh"

namespace fathom {

FATHOM_CUDA_SSSP(float);
FATHOM_CUDA_ADVANCE(SumWeights);
FATHOM_CUDA_ADVANCE(InChunk<SumWeights>);

}  // namespace fathom
