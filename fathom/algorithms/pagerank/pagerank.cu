#include "fathom/algorithms/pagerank/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"
#include "fathom/ops/split_operators.hpp"

namespace fathom {

#define FATHOM_CUDA_PAGERANK(SHARE, WEIGHTED)           \
  FATHOM_CUDA_GATHER(RankPull<SHARE, WEIGHTED>);        \
  FATHOM_CUDA_GATHER(RankPullInPlace<SHARE, WEIGHTED>); \
  FATHOM_CUDA_ADVANCE(RankPush<SHARE, WEIGHTED>);       \
  FATHOM_CUDA_ADVANCE(InChunk<RankPush<SHARE, WEIGHTED>>)
FATHOM_CUDA_PAGERANK(float, false);
FATHOM_CUDA_PAGERANK(float, true);
FATHOM_CUDA_PAGERANK(double, false);
FATHOM_CUDA_PAGERANK(double, true);

FATHOM_CUDA_REDUCE(RankTally, MergeSum, GiveFirst<float>);
FATHOM_CUDA_REDUCE(RankTally, MergeSum, GiveFirst<double>);
FATHOM_CUDA_REDUCE(RankTally, MergeSum, ApplyReceived<float>);
FATHOM_CUDA_REDUCE(RankTally, MergeSum, ApplyReceived<double>);
FATHOM_CUDA_GATHER(OutWeights);
FATHOM_CUDA_REDUCE(VertexId, MergeMin, BadOutWeight);

}  // namespace fathom
