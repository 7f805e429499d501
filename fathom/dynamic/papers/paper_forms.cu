#include "fathom/dynamic/papers/paper_functors.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

#define FATHOM_CUDA_PAPER_FORMS(VIEW)                     \
  FATHOM_CUDA_COMPUTE(dynamic::paper::CountPieces<VIEW>); \
  FATHOM_CUDA_COMPUTE(dynamic::paper::WritePieces<VIEW>); \
  FATHOM_CUDA_COMPUTE(dynamic::paper::PushRank<VIEW>);    \
  FATHOM_CUDA_COMPUTE(dynamic::paper::TestPairs<VIEW>)
FATHOM_CUDA_PAPER_FORMS(FlatEdges);
FATHOM_CUDA_PAPER_FORMS(DynamicEdges);

FATHOM_CUDA_COMPUTE(dynamic::paper::SumBlock);
FATHOM_CUDA_COMPUTE(dynamic::paper::PlaceBlock);
FATHOM_CUDA_REDUCE(std::uint64_t, MergeSum, dynamic::paper::CountOf);

}  // namespace fathom
