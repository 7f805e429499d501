// What walkers do on an edge and on a vertex, for any executor. They pick entries by their places
// as neighbour sampling does (PickEdges).
#pragma once

#include "fathom/algorithms/neighbor_sampling/functors.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/core/platform.hpp"

namespace fathom {

/// Notes the degrees of vertices, by place.
struct NoteDegrees {
  static constexpr bool kDeviceCode = true;
  PlaceRef places;
  const EdgeId* offset;  // [vertices + 1] of the graph
  EdgeId* degree;

  FATHOM_HD void operator()(VertexId u) const {
    const std::uint32_t at = places.of(u);
    if (at != kNoPlace) degree[at] = offset[std::size_t{u} + 1] - offset[u];
  }
};

/// The first place in [low, high) whose value is not below v; high without one.
FATHOM_HD EdgeId first_not_below(const EdgeId* ascending, EdgeId low, EdgeId high, EdgeId v) {
  while (low < high) {
    const EdgeId middle = low + (high - low) / 2;
    if (ascending[middle] < v)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Finds out which targets lists have.
struct FindTargets {
  static constexpr bool kDeviceCode = true;
  PlaceRef places;
  const EdgeId* begin;   // by place, and the end of the last: of its targets in `wanted`
  const EdgeId* wanted;  // ascending for each place; may repeat
  VertexId* found;       // of the first of equal ones

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    const std::uint32_t at = places.of(u);
    if (at == kNoPlace) return false;
    const EdgeId low = first_not_below(wanted, begin[at], begin[at + 1], v);
    if (low < begin[at + 1] && wanted[low] == v) found[low] = v;
    return false;
  }
};

/// Counts how often lists have targets.
struct CountTargets {
  static constexpr bool kDeviceCode = true;
  PlaceRef places;
  const EdgeId* begin;  // as of FindTargets
  const EdgeId* wanted;
  std::uint32_t* times;  // of the first of equal ones

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    const std::uint32_t at = places.of(u);
    if (at == kNoPlace) return false;
    const EdgeId low = first_not_below(wanted, begin[at], begin[at + 1], v);
    if (low < begin[at + 1] && wanted[low] == v) AtomicRef(times[low]).fetch_add(1);
    return false;
  }
};

/// Stores a piece of the lists of all places behind one another: entries [base, base + room).
struct StorePiece {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = true;
  PlaceRef places;
  const EdgeId* begin;  // by place, and the end of the last
  EdgeId base, room;
  VertexId* target;
  Weight* weight;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight w, EdgeId i) const {
    const std::uint32_t at = places.of(u);
    // What is beyond its degree has no place: a damaged file.
    if (at == kNoPlace || i >= begin[at + 1] - begin[at]) return false;
    const EdgeId to = begin[at] + i;
    if (to < base || to - base >= room) return false;
    target[to - base] = v;
    weight[to - base] = w;
    return false;
  }
};

}  // namespace fathom
