#include "tests/cuda/faulty_functor.hpp"

#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_COMPUTE(testing::Trap);
FATHOM_CUDA_COMPUTE(testing::ReportOutOfRange);

}  // namespace fathom
