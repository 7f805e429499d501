#include "fathom/algorithms/katz/functors.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_REDUCE(double, MergeSum, StepLength<KatzStep>);
FATHOM_CUDA_COMPUTE(TakeStep<KatzStep>);

}  // namespace fathom
