#include "fathom/algorithms/pagerank/conjugate_functors.hpp"
#include "fathom/algorithms/pagerank/functors.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_GATHER(OutWeights);
FATHOM_CUDA_REDUCE(VertexId, MergeMin, OutWeightBeyond);
FATHOM_CUDA_REDUCE(WalkMass, MergeSum, MassOfVertex);
FATHOM_CUDA_REDUCE(double, MergeSum, MassAtEdges);

}  // namespace fathom
