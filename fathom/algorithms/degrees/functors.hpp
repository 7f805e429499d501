// What counting degrees does on a vertex and an edge, for any executor.
#pragma once

#include "fathom/core/atomic.hpp"

namespace fathom {

/// The length of v's list.
struct ListLength {
  static constexpr bool kDeviceCode = true;
  const EdgeId* offset;
  EdgeId* degree;
  FATHOM_HD void operator()(VertexId v) const { degree[v] = offset[v + 1] - offset[v]; }
};

/// The number of edges that arrive.
struct CountArrivals {
  static constexpr bool kDeviceCode = true;
  EdgeId* degree;

  FATHOM_HD bool visit(VertexId, VertexId v, Weight) const {
    AtomicRef(degree[v]).fetch_add(EdgeId{1});
    return false;
  }
};

}  // namespace fathom
