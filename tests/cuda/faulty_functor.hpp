// A functor whose kernel fails.
#pragma once

#include "fathom/core/platform.hpp"

namespace fathom::testing {

struct Trap {
  static constexpr bool kDeviceCode = true;
  FATHOM_HD void operator()(VertexId) const { __builtin_trap(); }
};

}  // namespace fathom::testing
