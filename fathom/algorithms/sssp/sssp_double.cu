#include "fathom/algorithms/sssp/kernels.cuh"

namespace fathom {

FATHOM_CUDA_SSSP(double);

}  // namespace fathom
