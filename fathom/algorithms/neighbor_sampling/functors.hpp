// What neighbour sampling does on an edge and on a vertex, for any executor.
#pragma once

#include "fathom/algorithms/neighbor_sampling/local_ids.hpp"
#include "fathom/core/platform.hpp"

namespace fathom {

/// Notes where the lists of the vertices of a hop are, by place.
struct LocateLists {
  static constexpr bool kDeviceCode = true;
  PlaceRef places;
  const EdgeId* offset;  // [vertices + 1] of the graph
  EdgeId *first, *degree;

  FATHOM_HD void operator()(VertexId u) const {
    const std::uint32_t at = places.of(u);
    if (at == kNoPlace) return;
    first[at] = offset[u];
    degree[at] = offset[std::size_t{u} + 1] - offset[u];
  }
};

/// Takes the edges whose positions in their lists were chosen before.
struct PickEdges {
  static constexpr bool kDeviceCode = true;
  PlaceRef places;
  const EdgeId* begin;   // by place, and the end of the last: of its positions in `chosen`
  const EdgeId* chosen;  // ascending for each place; may repeat
  VertexId* target;      // of the first of equal positions

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight, EdgeId i) const {
    const std::uint32_t at = places.of(u);
    if (at == kNoPlace) return false;
    EdgeId low = begin[at], high = begin[at + 1];
    const EdgeId end = high;
    while (low < high) {
      const EdgeId middle = low + (high - low) / 2;
      if (chosen[middle] < i)
        low = middle + 1;
      else
        high = middle;
    }
    if (low < end && chosen[low] == i) target[low] = v;
    return false;
  }
};

/// Stores whole lists, each at its place. What is beyond its degree has none there: a damaged file.
template <bool kWeighted>
struct StoreLists {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = kWeighted;
  PlaceRef places;
  const EdgeId* begin;  // by place, and the end of the last
  EdgeId base;          // where the lists that are stored now begin
  VertexId* target;
  Weight* weight;  // null: unweighted

  FATHOM_HD bool visit(VertexId u, VertexId v, [[maybe_unused]] Weight w, EdgeId i) const {
    const std::uint32_t at = places.of(u);
    if (at == kNoPlace || i >= begin[at + 1] - begin[at]) return false;
    target[begin[at] - base + i] = v;
    if constexpr (kWeighted) weight[begin[at] - base + i] = w;
    return false;
  }
};

}  // namespace fathom
