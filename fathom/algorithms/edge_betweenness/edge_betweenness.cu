#include "fathom/algorithms/edge_betweenness/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_ADVANCE(AddShares<HopShares<1>>);
FATHOM_CUDA_ADVANCE(AddShares<HopShares<2>>);
FATHOM_CUDA_ADVANCE(AddShares<HopShares<4>>);
FATHOM_CUDA_ADVANCE(AddShares<HopShares<8>>);
FATHOM_CUDA_ADVANCE(AddShares<WeightedShares>);
FATHOM_CUDA_ADVANCE(PutTarget);

}  // namespace fathom
