#include "fathom/algorithms/eccentricity/functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_COMPUTE(NoteLast);
FATHOM_CUDA_COMPUTE(NoteDepths<std::uint8_t>);
FATHOM_CUDA_COMPUTE(NoteDepths<std::uint32_t>);
FATHOM_CUDA_COMPUTE(TightenBounds<std::uint8_t>);
FATHOM_CUDA_COMPUTE(TightenBounds<std::uint32_t>);

}  // namespace fathom
