#include "fathom/algorithms/bellman_ford/functors.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

#define FATHOM_CUDA_ROUNDS(Length)           \
  FATHOM_CUDA_ADVANCE(RelaxInRound<Length>); \
  FATHOM_CUDA_COMPUTE(KeepLength<Length>);   \
  FATHOM_CUDA_FILTER(HasLength<Length>);     \
  FATHOM_CUDA_ADVANCE(NameParent<Length>);   \
  FATHOM_CUDA_COMPUTE(LoseLength<Length>);   \
  FATHOM_CUDA_REDUCE(VertexId, MergeSum, CountBottomless<Length>)

namespace fathom {

FATHOM_CUDA_ROUNDS(float);
FATHOM_CUDA_ROUNDS(double);

}  // namespace fathom
