// What Cuthill-McKee does on an edge and a vertex, for any executor.
//
// Invariant between levels: place[v] is kNoVertex exactly if v is not numbered; then so is
// claim[v].
#pragma once

#include "fathom/core/atomic.hpp"

namespace fathom::reorder {

/// An unnumbered neighbour of a vertex just numbered: its first numbered neighbour has the least
/// place.
struct ClaimNext {
  static constexpr bool kDeviceCode = true;
  const VertexId* place;
  VertexId* claim;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (place[v] != kNoVertex) return false;
    AtomicRef(claim[v]).fetch_min(place[u]);
    return true;
  }
};

/// The same seen from the unnumbered vertex.
struct LookForNumbered {
  static constexpr bool kDeviceCode = true;
  const VertexId* place;
  VertexId* claim;

  using Value = VertexId;
  FATHOM_HD Value identity() const { return kNoVertex; }
  FATHOM_HD Value map(VertexId, VertexId v, Weight) const { return place[v]; }
  FATHOM_HD Value combine(Value a, Value b) const { return b < a ? b : a; }
  FATHOM_HD bool commit(VertexId u, Value first) const {
    if (first == kNoVertex) return false;
    AtomicRef(claim[u]).fetch_min(first);
    return true;
  }
};

struct IsUnnumbered {
  static constexpr bool kDeviceCode = true;
  const VertexId* place;
  FATHOM_HD bool operator()(VertexId v) const { return place[v] == kNoVertex; }
};

/// The i-th of a level is numbered.
struct Number {
  static constexpr bool kDeviceCode = true;
  const VertexId* vertex;  // of the level, in order
  VertexId* place;
  VertexId first;  // place of the level's first

  FATHOM_HD void operator()(VertexId i) const { place[vertex[i]] = first + i; }
};

/// The places that the vertices of a level were claimed by.
struct TakeClaim {
  static constexpr bool kDeviceCode = true;
  const VertexId* vertex;
  const VertexId* claim;
  VertexId* taken;

  FATHOM_HD void operator()(VertexId i) const { taken[i] = claim[vertex[i]]; }
};

}  // namespace fathom::reorder
