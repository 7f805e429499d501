#include "fathom/algorithms/betweenness/kernels.cuh"

namespace fathom {

FATHOM_CUDA_SEARCHES(1);
FATHOM_CUDA_SEARCHES(2);
FATHOM_CUDA_FILTER(NotSeenByAll);
FATHOM_CUDA_COMPUTE(Scale);

}  // namespace fathom
