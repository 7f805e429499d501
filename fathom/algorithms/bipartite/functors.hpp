// What two-colouring does on an edge and a vertex, for any executor.
//
// Invariant: a tie leads from a vertex to one that is no larger, of the same tree, and says whether
// an odd number of edges does. A root is tied to itself, oddly if its component has an odd cycle.
#pragma once

#include <cstddef>
#include <span>

#include "fathom/core/atomic.hpp"

namespace fathom {

class Context;

using Tie = std::uint64_t;  // a vertex, and a bit

FATHOM_HD Tie tie_to(VertexId v, Tie odd) {
  return Tie{v} << 1 | odd;
}
FATHOM_HD VertexId end_of(Tie tie) {
  return static_cast<VertexId>(tie >> 1);
}
FATHOM_HD Tie is_odd(Tie tie) {
  return tie & 1;
}

/// From v to its root. Halves the path: any ancestor will do for a vertex that is no root.
FATHOM_HD Tie tie_to_root(Tie* tie, VertexId v) {
  Tie odd = 0;
  for (;;) {
    const Tie up = AtomicRef(tie[v]).load();
    const VertexId above = end_of(up);
    if (above == v) return tie_to(v, odd);
    const Tie further = AtomicRef(tie[above]).load();
    odd ^= is_odd(up);
    if (end_of(further) == above) {
      v = above;
      continue;
    }
    AtomicRef(tie[v]).store(further ^ is_odd(up));
    odd ^= is_odd(further);
    v = end_of(further);
  }
}

/// An odd number of edges, or an even one, leads from u to v: hooks the larger of two roots below
/// the smaller one, or marks the root of both when it was known otherwise.
FATHOM_HD void relate(Tie* tie, VertexId u, VertexId v, Tie odd) {
  for (;;) {
    const Tie a = tie_to_root(tie, u), b = tie_to_root(tie, v);
    const Tie between = is_odd(a) ^ is_odd(b) ^ odd;
    const VertexId low = end_of(a < b ? a : b), high = end_of(a < b ? b : a);
    const AtomicRef its(tie[high]);
    if (low == high) {
      Tie own = tie_to(low, 0);
      if (between == 0 || its.load() == tie_to(low, 1) ||
          its.compare_exchange(own, tie_to(low, 1), Order::Relaxed))
        return;
      continue;
    }
    Tie own = its.load();
    if (end_of(own) != high || !its.compare_exchange(own, tie_to(low, between), Order::Relaxed))
      continue;
    if (is_odd(own) == 0) return;
    u = v = low;  // the mark goes with the tree
    odd = 1;
  }
}

struct StartApart {
  static constexpr bool kDeviceCode = true;
  Tie* tie;
  FATHOM_HD void operator()(VertexId v) const { tie[v] = tie_to(v, 0); }
};

struct RelateEnds {
  static constexpr bool kDeviceCode = true;
  Tie* tie;
  bool twice;  // each edge is seen from both ends

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (!twice || v <= u) relate(tie, u, v, 1);
    return false;
  }
};

/// Relates `first + v` as another replica does, of which from[0] is the tie of `first`.
struct RelateReplica {
  static constexpr bool kDeviceCode = true;
  Tie* into;
  const Tie* from;
  VertexId first;

  FATHOM_HD void operator()(VertexId v) const {
    relate(into, first + v, end_of(from[v]), is_odd(from[v]));
  }
};

/// Replicas agree again when each relates what the other has related.
struct MergeTies {
  static bool on_gpus(const Context& ctx, std::span<Tie* const> replica, std::size_t n);
  void operator()(Tie* into, const Tie* from, std::size_t n) const {
    for (std::size_t v = 0; v < n; ++v)
      relate(into, static_cast<VertexId>(v), end_of(from[v]), is_odd(from[v]));
  }
};

struct TakeSide {
  static constexpr bool kDeviceCode = true;
  Tie* tie;
  std::uint32_t* side;

  FATHOM_HD void operator()(VertexId v) const {
    const Tie its = tie_to_root(tie, v);
    const Tie root = AtomicRef(tie[end_of(its)]).load();
    side[v] = is_odd(root) != 0 ? ~std::uint32_t{0} : static_cast<std::uint32_t>(is_odd(its));
  }
};

// To find an odd cycle: a search that goes along edges in either direction.

FATHOM_HD bool has_bit(const std::uint64_t* bits, VertexId v) {
  return (bits[v >> 6] >> (v & 63) & 1) != 0;
}

/// Reaches v, unless it was. Notes the first vertex with a neighbour as far as it.
struct ReachNext {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* unreached;  // a bit per vertex
  const std::uint64_t* now;
  VertexId* met;  // of one

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (has_bit(now, v)) AtomicRef(*met).fetch_min(u < v ? u : v);
    return has_bit(unreached, v);
  }
};

/// The same without in-edges: who is unreached looks for a target that is reached now.
struct FindReached {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* now;

  using Value = std::uint32_t;
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId, VertexId v, Weight) const { return has_bit(now, v) ? 1 : 0; }
  FATHOM_HD Value combine(Value a, Value b) const { return a | b; }
  FATHOM_HD bool done(Value found) const { return found != 0; }
  FATHOM_HD bool commit(VertexId, Value found) const { return found != 0; }
};

/// The first neighbour of `met` that is as far as it.
struct FindOtherEnd {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* now;
  VertexId met;
  VertexId* other;  // of one

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if ((u == met || v == met) && has_bit(now, v)) AtomicRef(*other).fetch_min(u == met ? v : u);
    return false;
  }
};

/// The first neighbour that is one step nearer.
struct NameNearer {
  static constexpr bool kDeviceCode = true;
  const std::uint32_t* hops;
  VertexId* nearer;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    const std::uint32_t a = hops[u], b = hops[v];
    if (a == ~std::uint32_t{0} || b == ~std::uint32_t{0}) return false;
    if (a + 1 == b) AtomicRef(nearer[v]).fetch_min(u);
    if (b + 1 == a) AtomicRef(nearer[u]).fetch_min(v);
    return false;
  }
};

struct SetHops {
  static constexpr bool kDeviceCode = true;
  std::uint32_t* hops;
  std::uint32_t now;
  FATHOM_HD void operator()(VertexId v) const { hops[v] = now; }
};

}  // namespace fathom
