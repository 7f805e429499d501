// A functor whose kernel fails.
#pragma once

#include "fathom/core/platform.hpp"

namespace fathom::testing {

struct Trap {
  static constexpr bool kDeviceCode = true;
  FATHOM_HD void operator()(VertexId) const {
#if defined(__CUDA_ARCH__)
    __trap();
#endif
  }
};

}  // namespace fathom::testing
