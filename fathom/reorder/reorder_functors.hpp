// What orders ask of edges, for any executor.
#pragma once

#include "fathom/core/atomic.hpp"

namespace fathom::reorder {

/// The centre before which no other labels v (Algorithm 3): the best of v itself and of the
/// vertices with an edge to v. A push along out-edges ...
struct ClaimNeighbours {
  static constexpr bool kDeviceCode = true;
  const VertexId* rank;  // of each vertex among the centres; 0 is the best
  VertexId* claim;       // starts as the rank

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    AtomicRef(claim[v]).fetch_min(rank[u]);
    return false;
  }
};

/// ... or a pull along in-edges.
struct ClaimByNeighbours {
  static constexpr bool kDeviceCode = true;
  const VertexId* rank;
  VertexId* claim;

  using Value = VertexId;
  FATHOM_HD Value identity() const { return kNoVertex; }
  FATHOM_HD Value map(VertexId, VertexId u, Weight) const { return rank[u]; }
  FATHOM_HD Value combine(Value a, Value b) const { return b < a ? b : a; }
  FATHOM_HD bool done(Value a) const { return a == 0; }
  FATHOM_HD bool commit(VertexId v, Value best) const {
    AtomicRef(claim[v]).fetch_min(best);
    return false;
  }
};

}  // namespace fathom::reorder
