// Lines of 128 bytes: what a GPU asks of the link when it reads a page in place.
#pragma once

#include <cstdint>

#include "fathom/core/platform.hpp"

namespace fathom {

inline constexpr std::uint64_t kPageLine = 128;

/// Lines that bytes [first, last) of a page touch, at most `most`; first < last.
FATHOM_HD std::uint32_t lines_of(std::uint64_t first, std::uint64_t last,
                                 std::uint32_t most = ~std::uint32_t{0}) {
  const std::uint64_t lines = (last - 1) / kPageLine - first / kPageLine + 1;
  return lines < most ? static_cast<std::uint32_t>(lines) : most;
}

}  // namespace fathom
