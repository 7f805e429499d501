// Bit counts that also compile as device code.
#pragma once

#include <bit>
#include <cstdint>

#include "fathom/core/platform.hpp"

namespace fathom {

/// How many bits are set.
FATHOM_HD std::uint32_t count_bits(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__popcll(bits));
#else
  return static_cast<std::uint32_t>(std::popcount(bits));
#endif
}

}  // namespace fathom
