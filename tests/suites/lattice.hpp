// A lattice, on which walks mix slowly.
#pragma once

#include <cstdint>

#include "tests/suites/zoo.hpp"

namespace fathom::testing {

inline zoo::RawGraph lattice(std::uint32_t side) {
  zoo::RawGraph raw{"Lattice", side * side, false, {}, {}};
  for (std::uint32_t y = 0; y < side; ++y)
    for (std::uint32_t x = 0; x < side; ++x) {
      const std::uint32_t v = y * side + x;
      if (x + 1 < side) raw.edges.emplace_back(v, v + 1);
      if (y + 1 < side) raw.edges.emplace_back(v, v + side);
    }
  return raw;
}

}  // namespace fathom::testing
