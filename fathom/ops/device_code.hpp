// Which functors can run on a GPU.
#pragma once

namespace fathom {

/// A functor that was compiled for GPUs says `static constexpr bool kDeviceCode = true`, and some
/// .cu file instantiates the operators it is used with (fathom/ops/cuda/): forgetting that is a
/// link error that names the functor. Without CUDA the mark means nothing, and `if constexpr`
/// discards what operators do on a GPU: this is the one place where they ask.
template <class F>
constexpr bool has_device_code() {  // F may be const
#if FATHOM_WITH_CUDA
  if constexpr (requires { F::kDeviceCode; })
    return F::kDeviceCode;
  else
    return false;
#else
  return false;
#endif
}

}  // namespace fathom
