#include "fathom/algorithms/betweenness/kernels.cuh"

namespace fathom {

FATHOM_CUDA_SEARCHES(8);

}  // namespace fathom
