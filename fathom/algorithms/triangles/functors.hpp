// What counting triangles does with a common neighbour, for any executor.
#pragma once

#include "fathom/core/atomic.hpp"

namespace fathom {

/// The total alone.
struct CountTotal {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kCredits = false;
  FATHOM_HD void credit(VertexId, std::uint64_t) const {}
};

struct CountPerVertex {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kCredits = true;
  std::uint64_t* triangles;
  FATHOM_HD void credit(VertexId v, std::uint64_t n) const { AtomicRef(triangles[v]).fetch_add(n); }
};

}  // namespace fathom
