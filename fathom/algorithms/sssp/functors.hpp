// What shortest paths do on an edge, for any executor. Lengths are float or double.
#pragma once

#include "fathom/core/atomic.hpp"
#include "fathom/ops/lower.hpp"

namespace fathom {

/// Relaxes an edge.
template <class Length>
struct Relax {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = true;
  Length* length;
  std::uint32_t* bad_weight;  // [1], set when a weight is negative or no number

  FATHOM_HD_INLINE bool visit(VertexId u, VertexId v, Length w) const {
    if (!(w >= 0)) {
      AtomicRef(*bad_weight).store(1);
      return false;
    }
    const Length candidate = AtomicRef(length[u]).load() + w;
    return candidate < lower(length[v], candidate);
  }
};

/// The same where lengths are split: those at sources are copies, at least as old as the superstep.
/// A vertex whose length fell meanwhile is in the next frontier, and its edges are relaxed again.
template <class Length>
struct RelaxApart {
  static constexpr bool kSplitOnGpu = true;
  static constexpr bool kReadsWeights = true;
  const Length* from;
  Length* to;
  std::uint32_t* bad_weight;

  FATHOM_HD_INLINE bool visit(VertexId u, VertexId v, Length w) const {
    if (!(w >= 0)) {
      AtomicRef(*bad_weight).store(1);
      return false;
    }
    const Length candidate = from[u] + w;
    return candidate < lower(to[v], candidate);
  }
};

/// Shows a functor weights of the caller in place of the graph's.
template <class F>
struct AlongWeights {
  F f;
  const double* weight;  // [edges], list after list
  const EdgeId* offset;  // [vertices + 1]
  FATHOM_HD bool visit(VertexId u, VertexId v, Weight, EdgeId i) const {
    return f.visit(u, v, weight[offset[u] + i]);
  }
};

/// 1 for a vertex with a finite length.
template <class Length>
struct CountReached {
  static constexpr bool kDeviceCode = true;
  const Length* length;
  FATHOM_HD VertexId operator()(VertexId v) const {
    return length[v] < static_cast<Length>(__builtin_inff()) ? 1 : 0;
  }
};

/// Adds up weights, in whatever order.
struct SumWeights {
  static constexpr bool kDeviceCode = true, kSplitOnGpu = true;
  static constexpr bool kReadsWeights = true;
  double* sum;           // [1]
  std::uint64_t* count;  // [1]

  FATHOM_HD bool visit(VertexId, VertexId, Weight w) const {
    AtomicRef(*sum).fetch_add(static_cast<double>(w));
    AtomicRef(*count).fetch_add(1);
    return false;
  }
};

}  // namespace fathom
