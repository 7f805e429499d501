#include "fathom/algorithms/levels/functors.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_COMPUTE(AwaitList);
FATHOM_CUDA_ADVANCE(AwaitSource);
FATHOM_CUDA_ADVANCE(Arrive);
FATHOM_CUDA_ADVANCE(NoteArrival);
FATHOM_CUDA_COMPUTE(TakeArrivals);
FATHOM_CUDA_COMPUTE(GiveLevel);
FATHOM_CUDA_FILTER(WaitsForNone);
FATHOM_CUDA_FILTER(HasNoLevel);
FATHOM_CUDA_ADVANCE(NameSource);
FATHOM_CUDA_REDUCE(VertexId, MergeMin, TooManyInEdges);
FATHOM_CUDA_REDUCE(VertexId, MergeMin, FirstWithout);

}  // namespace fathom
