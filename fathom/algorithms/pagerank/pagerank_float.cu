#include "fathom/algorithms/pagerank/kernels.cuh"

namespace fathom {

FATHOM_CUDA_PAGERANK(float);

}  // namespace fathom
