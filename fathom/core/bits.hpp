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
#elif defined(__POPCNT__)
  return static_cast<std::uint32_t>(std::popcount(bits));
#else  // std::popcount would be a call that looks up bytes in a table: sums of 2, 4 and 8 bits
  bits -= bits >> 1 & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return static_cast<std::uint32_t>(bits * 0x0101010101010101 >> 56);
#endif
}

/// How many bits below the lowest that is set; 64 of 0.
FATHOM_HD std::uint32_t trailing_zeros(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return bits ? static_cast<std::uint32_t>(__ffsll(static_cast<long long>(bits))) - 1 : 64;
#else
  return static_cast<std::uint32_t>(std::countr_zero(bits));
#endif
}

/// How many bits up to the highest that is set; 0 of 0.
FATHOM_HD std::uint32_t bit_width(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return 32 - static_cast<std::uint32_t>(__clz(static_cast<int>(bits)));
#else
  return static_cast<std::uint32_t>(std::bit_width(bits));
#endif
}

/// How many bits below the lowest that is not set.
FATHOM_HD std::uint32_t trailing_ones(std::uint64_t bits) {
  return trailing_zeros(~bits);
}

}  // namespace fathom
