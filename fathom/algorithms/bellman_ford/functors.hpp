// What relaxations in rounds do on an edge and a vertex, for any executor. Lengths are float or
// double.
//
// Invariant between rounds: of a vertex with a length other than that of the source, an edge comes
// from a vertex that explains the length since before it fell, or would shorten it again.
#pragma once

#include <limits>

#include "fathom/core/atomic.hpp"
#include "fathom/ops/lower.hpp"

namespace fathom {

/// The length of vertices behind a negative cycle.
FATHOM_HD bool is_bottomless(double length) {
  return length == -__builtin_inf();
}

// What edges have shown, a bit each.
inline constexpr std::uint32_t kNegativeWeight = 1, kBadWeight = 2, kTooShort = 4;

FATHOM_HD void note(std::uint32_t& seen, std::uint32_t bit) {
  const AtomicRef known(seen);
  if ((known.load() & bit) == 0) known.fetch_or(bit);
}

/// Relaxes an edge by the length that its source had before the round: each round gives what it
/// gives, whoever comes first.
template <class Length>
struct RelaxInRound {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = true;
  static constexpr Length kLowest = std::numeric_limits<Length>::lowest();
  const Length* before;
  Length* length;
  std::uint32_t* seen;  // [1]

  FATHOM_HD bool visit(VertexId u, VertexId v, Length w) const {
    if (w < 0) note(*seen, kNegativeWeight);
    if (!(w - w == 0)) {
      note(*seen, kBadWeight);
      return false;
    }
    const Length from = before[u];
    Length candidate = from + w;
    if (is_bottomless(candidate) && !is_bottomless(from)) {  // it overflows
      note(*seen, kTooShort);
      candidate = kLowest;
    }
    return candidate < lower(length[v], candidate);
  }
};

/// The end of a round, of vertices whose length fell.
template <class Length>
struct KeepLength {
  static constexpr bool kDeviceCode = true;
  const Length* length;
  Length* before;
  std::uint32_t* fell;
  std::uint32_t round;

  FATHOM_HD void operator()(VertexId v) const {
    before[v] = length[v];
    fell[v] = round;
  }
};

/// Whether there is a length that may still be explained.
template <class Length>
struct HasLength {
  static constexpr bool kDeviceCode = true;
  const Length* length;
  FATHOM_HD bool operator()(VertexId v) const {
    return length[v] < static_cast<Length>(__builtin_inff()) && !is_bottomless(length[v]);
  }
};

/// 1 for a vertex behind a negative cycle.
template <class Length>
struct CountBottomless {
  static constexpr bool kDeviceCode = true;
  const Length* length;
  FATHOM_HD VertexId operator()(VertexId v) const { return is_bottomless(length[v]) ? 1 : 0; }
};

/// The first vertex, by ids, whose edge explains the length of v or would shorten it. Along edges
/// that explain a length the rounds of falling ascend, so that a cycle has an edge that shortens.
template <class Length>
struct NameParent {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = true;
  const Length* length;
  const std::uint32_t* fell;
  VertexId* parent;

  FATHOM_HD bool visit(VertexId u, VertexId v, Length w) const {
    const Length candidate = length[u] + w;
    if (candidate < length[v] || (candidate == length[v] && fell[u] < fell[v]))
      AtomicRef(parent[v]).fetch_min(u);
    return false;
  }
};

/// A vertex of a negative cycle has no shortest path.
template <class Length>
struct LoseLength {
  static constexpr bool kDeviceCode = true;
  Length* length;
  Length* before;

  FATHOM_HD void operator()(VertexId v) const {
    length[v] = before[v] = -static_cast<Length>(__builtin_inff());
  }
};

}  // namespace fathom
