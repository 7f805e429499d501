#include "fathom/algorithms/sssp/functors.hpp"
#include "fathom/ops/bucket_functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"
#include "fathom/ops/in_chunk.hpp"

namespace fathom {

FATHOM_CUDA_ADVANCE(Relax<float>);
FATHOM_CUDA_ADVANCE(Relax<double>);
FATHOM_CUDA_ADVANCE(SumWeights);
FATHOM_CUDA_ADVANCE(InChunk<RelaxApart<float>>);
FATHOM_CUDA_ADVANCE(InChunk<SumWeights>);
FATHOM_CUDA_FILTER(WithinBound<float>);
FATHOM_CUDA_FILTER(WithinBound<double>);
FATHOM_CUDA_REDUCE(float, MergeMin, PendingKey<float>);
FATHOM_CUDA_REDUCE(double, MergeMin, PendingKey<double>);
FATHOM_CUDA_REDUCE(VertexId, MergeSum, CountReached<float>);

}  // namespace fathom
