#include "fathom/algorithms/betweenness/kernels.cuh"

namespace fathom {

FATHOM_CUDA_SEARCHES(4);

}  // namespace fathom
