#include "fathom/algorithms/pagerank/functors.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_GATHER(OutWeights);
FATHOM_CUDA_REDUCE(VertexId, MergeMin, BadOutWeight);

}  // namespace fathom
