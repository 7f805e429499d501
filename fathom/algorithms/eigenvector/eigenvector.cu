#include "fathom/algorithms/eigenvector/functors.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_REDUCE(VertexId, MergeMin, BadReceived);
FATHOM_CUDA_REDUCE(double, MergeSum, SquareOfNext<EigenStep>);
FATHOM_CUDA_REDUCE(double, MergeSum, StepLength<EigenStep>);
FATHOM_CUDA_COMPUTE(TakeStep<EigenStep>);

}  // namespace fathom
