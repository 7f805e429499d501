#include "fathom/algorithms/radius/functors.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_COMPUTE(StartSketches);
FATHOM_CUDA_ADVANCE(TellSketch);
FATHOM_CUDA_GATHER(AskSketches);
FATHOM_CUDA_COMPUTE(SettleSketches);
FATHOM_CUDA_FILTER(GrewAt);
FATHOM_CUDA_COMPUTE(RestoreSketches);
FATHOM_CUDA_REDUCE(PairSum, MergeSum, EstimateReached);

}  // namespace fathom
