// The status word: how device code says that something is wrong. The first report since the last
// wait is kept, later ones are lost; Gpu::wait() and copies turn it into an exception.
#pragma once

#include <cstdint>

#include "fathom/core/atomic.hpp"

namespace fathom::cuda {

enum class DeviceFault : std::uint32_t {
  None,
  QueueOverflow,  // value: the entries that were needed
  OutOfRange,     // value: the index
};

/// Device code holds it by value.
struct StatusRef {
  unsigned* taken;               // device memory: 0 until somebody reported
  volatile std::uint64_t* word;  // pinned host memory: fault << 48 | value

  static constexpr unsigned kValueBits = 48;

#if defined(__CUDACC__)
  /// Any thread may call it; the kernel goes on, so that the caller must not use what is not there.
  __device__ void fail(DeviceFault fault, std::uint64_t value) const {
    unsigned none = 0;
    if (!AtomicRef(*taken).compare_exchange(none, 1u)) return;
    constexpr std::uint64_t kMost = (std::uint64_t{1} << kValueBits) - 1;
    *word = static_cast<std::uint64_t>(fault) << kValueBits | (value < kMost ? value : kMost);
    __threadfence_system();
  }
#endif
};

}  // namespace fathom::cuda
