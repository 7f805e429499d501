// What collecting some of the edges does on an edge, for any executor.
//
// Keep decides: keep(u, v), where u is one of the vertices whose lists are looked through.
#pragma once

#include "fathom/core/atomic.hpp"

namespace fathom {

/// Edges within a set of vertices.
struct InsideSet {
  const std::uint64_t* member;  // a bit per vertex
  FATHOM_HD bool operator()(VertexId, VertexId v) const {
    return (member[v >> 6] >> (v & 63) & 1) != 0;
  }
};

/// Edges between different sets; of an undirected graph in one direction.
struct AcrossSets {
  const std::uint32_t* set;  // [vertices]; the largest value: in none
  bool upward_only;
  FATHOM_HD bool operator()(VertexId u, VertexId v) const {
    if (set[v] == ~std::uint32_t{0}) return false;
    return upward_only ? set[u] < set[v] : set[u] != set[v];
  }
};

template <class Keep>
struct CountKept {
  static constexpr bool kDeviceCode = true;
  Keep keep;
  EdgeId* count;

  using Value = EdgeId;
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight) const { return keep(u, v) ? 1 : 0; }
  FATHOM_HD Value combine(Value a, Value b) const { return a + b; }
  FATHOM_HD bool commit(VertexId u, Value kept) const {
    if (kept != 0) AtomicRef(count[u]).fetch_add(kept);
    return false;
  }
};

/// Each vertex has a place of its own, which fills in no particular order. What has none there,
/// since fewer edges were counted than there are now, counts as used all the same.
template <class Keep, bool kWeighted>
struct StoreKept {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = kWeighted;
  Keep keep;
  const EdgeId* place;  // [vertices + 1], of all batches
  EdgeId base;          // of this one
  EdgeId* used;         // [vertices]
  VertexId* target;
  Weight* weight;  // null: unweighted

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight w) const {
    if (!keep(u, v)) return false;
    const EdgeId nth = AtomicRef(used[u]).fetch_add(EdgeId{1});
    if (nth >= place[u + 1] - place[u]) return false;
    const EdgeId at = place[u] - base + nth;
    target[at] = v;
    if constexpr (kWeighted) weight[at] = w;
    return false;
  }
};

}  // namespace fathom
