// Functors whose kernels fail.
#pragma once

#include "fathom/core/platform.hpp"
#include "fathom/exec/cuda/status.hpp"

namespace fathom::testing {

struct Trap {
  static constexpr bool kDeviceCode = true;
  FATHOM_HD void operator()(VertexId) const {
#if defined(__CUDA_ARCH__)
    __trap();
#endif
  }
};

/// Every thread reports its vertex.
struct ReportOutOfRange {
  static constexpr bool kDeviceCode = true;
  cuda::StatusRef status;
  FATHOM_HD void operator()([[maybe_unused]] VertexId v) const {
#if defined(__CUDA_ARCH__)
    status.fail(cuda::DeviceFault::OutOfRange, 1000000 + v);
#endif
  }
};

}  // namespace fathom::testing
