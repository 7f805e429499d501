// The device code of an algorithm of your own: one line per functor and operator.
#include "widest_paths.hpp"

#include <fathom/ops/cuda/instantiate.cuh>

namespace fathom {

FATHOM_CUDA_ADVANCE(Widen);

}  // namespace fathom
