// What edge betweenness does on an entry of a list, for any executor.
//
// An entry is an edge where one of its ends lists it. Once searches are over, what goes along it is
// told by what they found of its two ends: each entry has one writer, whatever shows the lists.
#pragma once

#include "fathom/algorithms/betweenness/functors.hpp"

namespace fathom {

/// Some entries at a time have a slot: those from `begin` to `end`, list after list.
struct EntryWindow {
  const EdgeId* place;  // [vertices]: where the entries of each begin
  EdgeId begin, end;

  FATHOM_HD bool find(VertexId u, EdgeId i, EdgeId& slot) const {
    const EdgeId entry = place[u] + i;
    slot = entry - begin;
    return entry >= begin && entry < end;
  }
};

/// Whether b is the level after a, of a search that found both.
FATHOM_HD bool next_level(std::uint32_t a, std::uint32_t b) {
  return b == a + 1 && b != 0;
}

/// Of K searches by hops.
template <int K>
struct HopShares {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = false;
  const LevelRow<K>* level;
  const Row<K>* paths;
  const Row<K>* coefficient;
  bool both_ways;  // an edge of an undirected graph

  FATHOM_HD double along(VertexId u, VertexId v, Weight) const {
    const LevelRow<K> from = level[u], to = level[v];
    double sum = 0;
    for (int k = 0; k < K; ++k) {
      if (next_level(from.of[k], to.of[k]))
        sum += paths[u].of[k] * coefficient[v].of[k];
      else if (both_ways && next_level(to.of[k], from.of[k]))
        sum += paths[v].of[k] * coefficient[u].of[k];
    }
    return sum;
  }
};

/// Of one search by hops, on a host.
struct SingleShares {
  static constexpr bool kDeviceCode = false;
  static constexpr bool kReadsWeights = false;
  const std::uint32_t* level;
  const double* paths;
  const double* coefficient;
  bool both_ways;

  double along(VertexId u, VertexId v, Weight) const {
    if (next_level(level[u], level[v])) return paths[u] * coefficient[v];
    if (both_ways && next_level(level[v], level[u])) return paths[v] * coefficient[u];
    return 0;
  }
};

/// Of a search by weight.
struct WeightedShares {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = true;
  ShortestEdges edges;
  const double* paths;
  const double* coefficient;
  bool both_ways;

  FATHOM_HD double along(VertexId u, VertexId v, Weight w) const {
    if (edges.contain(u, v, w)) return paths[u] * coefficient[v];
    if (both_ways && edges.contain(v, u, w)) return paths[v] * coefficient[u];
    return 0;
  }
};

/// Adds what goes along an entry to its slot.
template <class Shares>
struct AddShares {
  static constexpr bool kDeviceCode = Shares::kDeviceCode;
  static constexpr bool kReadsWeights = Shares::kReadsWeights;
  Shares shares;
  EntryWindow window;
  double* sum;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight w, EdgeId i) const {
    EdgeId slot = 0;
    if (window.find(u, i, slot)) sum[slot] += shares.along(u, v, w);
    return false;
  }
};

struct PutTarget {
  static constexpr bool kDeviceCode = true;
  EntryWindow window;
  VertexId* target;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight, EdgeId i) const {
    EdgeId slot = 0;
    if (window.find(u, i, slot)) target[slot] = v;
    return false;
  }
};

}  // namespace fathom
