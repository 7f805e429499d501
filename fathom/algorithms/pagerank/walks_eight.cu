#include "fathom/algorithms/pagerank/block_kernels.cuh"

namespace fathom {

FATHOM_CUDA_BLOCK_OF_WALKS(float, 8);
FATHOM_CUDA_BLOCK_OF_WALKS(double, 8);

}  // namespace fathom
