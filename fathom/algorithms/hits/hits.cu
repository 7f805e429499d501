#include "fathom/algorithms/hits/functors.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_REDUCE(double, MergeSum, ValueOfNext<HubStep>);
FATHOM_CUDA_REDUCE(double, MergeSum, StepLength<HubStep>);
FATHOM_CUDA_COMPUTE(TakeStep<HubStep>);

}  // namespace fathom
