// What local clustering does on an edge, a triangle and a vertex, for any executor.
#pragma once

#include "fathom/core/atomic.hpp"

namespace fathom {

/// The ends of an oriented edge are neighbours.
struct CountNeighbors {
  static constexpr bool kDeviceCode = true;
  VertexId* degree;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    AtomicRef(degree[u]).fetch_add(VertexId{1});
    AtomicRef(degree[v]).fetch_add(VertexId{1});
    return false;
  }
};

/// Each triangle of a vertex is so many links between neighbours. `first` is the place of vertex 0:
/// what is before it gets none.
struct CreditLinks {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kCredits = true;
  std::uint64_t* links;
  VertexId first;
  std::uint64_t each;
  FATHOM_HD void credit(VertexId v, std::uint64_t n) const {
    if (v >= first) AtomicRef(links[v - first]).fetch_add(each * n);
  }
};

/// Ordered pairs of neighbours.
FATHOM_HD std::uint64_t pairs_of(std::uint64_t degree) {
  return degree < 2 ? 0 : degree * (degree - 1);
}

/// The share of pairs that are links.
FATHOM_HD double share_of(std::uint64_t links, std::uint64_t pairs) {
  return pairs == 0 ? 0 : static_cast<double>(links) / static_cast<double>(pairs);
}

struct FindShare {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* links;
  const VertexId* degree;
  double* share;
  FATHOM_HD void operator()(VertexId v) const {
    share[v] = share_of(links[v], pairs_of(degree[v]));
  }
};

}  // namespace fathom
