// What a spanning forest does on an edge and a vertex, for any executor.
//
// A tree has a representative, which all its vertices have as their label once labels are
// compressed. Edges are compared by weight, then by their smaller, then by their larger end: among
// those of one vertex, by weight and other end.
#pragma once

#include <cstddef>
#include <span>

#include "fathom/core/atomic.hpp"

namespace fathom {

class Context;

/// Ascends with weights, of maximum forests with falling ones; zero has one key.
FATHOM_HD std::uint32_t weight_key(Weight w, bool maximum) {
  constexpr std::uint32_t kSign = 1u << 31;
  const std::uint32_t bits = w == 0 ? 0 : __builtin_bit_cast(std::uint32_t, w);
  const std::uint32_t key = (bits & kSign) != 0 ? ~bits : bits | kSign;
  return maximum ? ~key : key;
}
FATHOM_HD Weight weight_of_key(std::uint32_t key, bool maximum) {
  constexpr std::uint32_t kSign = 1u << 31;
  const std::uint32_t up = maximum ? ~key : key;
  return __builtin_bit_cast(Weight, (up & kSign) != 0 ? up & ~kSign : ~up);
}

/// An edge of a vertex that is known otherwise.
struct LightEdge {
  VertexId key;  // of its weight: a word like the other one, without gaps between
  VertexId to;
};
inline constexpr LightEdge kNoEdge{kNoVertex, kNoVertex};

/// The first of two edges of one vertex.
struct MergeLightest {
  static bool on_gpus(const Context& ctx, std::span<LightEdge* const> replica, std::size_t n);
  FATHOM_HD LightEdge operator()(LightEdge a, LightEdge b) const {
    return b.key < a.key || (b.key == a.key && b.to < a.to) ? b : a;
  }
};

/// Whether a, of u, goes before b, of v.
FATHOM_HD bool is_lighter(VertexId u, LightEdge a, VertexId v, LightEdge b) {
  if (a.key != b.key) return a.key < b.key;
  const VertexId low_a = u < a.to ? u : a.to, low_b = v < b.to ? v : b.to;
  if (low_a != low_b) return low_a < low_b;
  return (u < a.to ? a.to : u) < (v < b.to ? b.to : v);
}

/// Hangs u below `above` by an edge of this weight, and what was above u in its tree below u.
FATHOM_HD void hang(VertexId* parent, Weight* weight, VertexId u, VertexId above, Weight w) {
  for (VertexId v = u;;) {
    const VertexId next = parent[v];
    const Weight its = weight[v];
    parent[v] = above;
    weight[v] = w;
    if (next == v) return;
    above = v;
    w = its;
    v = next;
  }
}

/// Every vertex alone. What it knows is an edge to itself that goes before all others: nothing.
struct StartTrees {
  static constexpr bool kDeviceCode = true;
  VertexId* label;
  LightEdge* best;
  VertexId* parent;
  FATHOM_HD void operator()(VertexId v) const {
    label[v] = parent[v] = v;
    best[v] = {0, v};
  }
};

/// A vertex offers its tree the edge that it knows, if that leads out.
struct OfferEdge {
  static constexpr bool kDeviceCode = true;
  const VertexId* label;
  const LightEdge* best;
  VertexId* chosen;  // by representative: the vertex whose edge is lightest so far
  VertexId waits;    // the representative of a tree that does not choose

  FATHOM_HD void operator()(VertexId u) const {
    const LightEdge mine = best[u];
    const VertexId tree = label[u];
    if (tree == waits || mine.to == kNoVertex || label[mine.to] == tree) return;
    const AtomicRef its(chosen[tree]);
    VertexId other = its.load();
    while (other == kNoVertex || is_lighter(u, mine, other, best[other]))
      if (its.compare_exchange(other, u, Order::Relaxed)) return;
  }
};

/// What u knows leads to its own tree now, but other edges of it may go before what was chosen.
struct MayKnowBetter {
  static constexpr bool kDeviceCode = true;
  OfferEdge round;

  FATHOM_HD bool operator()(VertexId u) const {
    const LightEdge mine = round.best[u];
    const VertexId tree = round.label[u];
    if (tree == round.waits || mine.to == kNoVertex || round.label[mine.to] != tree) return false;
    const VertexId other = round.chosen[tree];
    return other == kNoVertex || is_lighter(u, mine, other, round.best[other]);
  }
};

struct ForgetEdge {
  static constexpr bool kDeviceCode = true;
  LightEdge* best;
  FATHOM_HD void operator()(VertexId u) const { best[u] = kNoEdge; }
};

/// The lightest edge of u that leaves its tree. Where weights do not count all are 1.
template <bool kWeighted>
struct FindLightest {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = kWeighted;
  const VertexId* label;
  LightEdge* best;
  bool maximum;

  using Value = LightEdge;
  using Tally = VertexId;  // makes one commit of the parts of a list: two words are not one atomic
  FATHOM_HD Value identity() const { return kNoEdge; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight w) const {
    return label[u] == label[v] ? kNoEdge
                                : LightEdge{weight_key(kWeighted ? w : Weight{1}, maximum), v};
  }
  FATHOM_HD Value combine(Value a, Value b) const { return MergeLightest{}(a, b); }
  FATHOM_HD bool commit(VertexId u, Value found, Tally&) const {
    best[u] = combine(best[u], found);
    return false;
  }
};

/// The vertex whose edge a tree chose and the tree at its other end does not know of: it would have
/// chosen that or a better one. Where there is none trees cannot hang in a circle.
struct FirstUneven {
  static constexpr bool kDeviceCode = true;
  const VertexId* label;
  const LightEdge* best;
  const VertexId* chosen;
  VertexId waits;

  FATHOM_HD VertexId operator()(VertexId tree) const {
    const VertexId u = chosen[tree];
    if (u == kNoVertex) return kNoVertex;
    const VertexId other = label[best[u].to];
    if (other == waits) return kNoVertex;
    const VertexId its = chosen[other];
    return its == kNoVertex || is_lighter(u, best[u], its, best[its]) ? u : kNoVertex;
  }
};

/// Of two trees that chose the same edge, the one of the smaller representative stays where it is.
/// No others go around in circles: along them edges would get lighter and lighter.
struct LetGo {
  static constexpr bool kDeviceCode = true;
  const VertexId* label;
  const LightEdge* best;
  VertexId* chosen;

  FATHOM_HD void operator()(VertexId tree) const {
    if (label[tree] != tree) return;
    const AtomicRef its(chosen[tree]);
    const VertexId u = its.load();
    if (u == kNoVertex) return;
    const VertexId v = best[u].to, other = label[v];
    if (tree < other && AtomicRef(chosen[other]).load() == v && best[v].to == u)
      its.store(kNoVertex);
  }
};

/// A tree that chose an edge hangs on it. 1 for each edge.
struct HangTree {
  static constexpr bool kDeviceCode = true;
  VertexId* label;
  const LightEdge* best;
  const VertexId* chosen;
  VertexId* parent;
  Weight* weight;
  bool maximum;

  FATHOM_HD VertexId operator()(VertexId tree) const {
    if (label[tree] != tree || chosen[tree] == kNoVertex) return 0;
    const VertexId u = chosen[tree];
    const LightEdge edge = best[u];
    label[tree] = edge.to;  // whose own representative may be changing
    hang(parent, weight, u, edge.to, weight_of_key(static_cast<std::uint32_t>(edge.key), maximum));
    return 1;
  }
};

/// The first vertex of each tree becomes its root.
struct RootAtFirst {
  static constexpr bool kDeviceCode = true;
  const VertexId* label;
  const VertexId* first;
  VertexId* parent;
  Weight* weight;

  FATHOM_HD void operator()(VertexId tree) const {
    if (label[tree] == tree) hang(parent, weight, first[tree], first[tree], 0);
  }
};

/// Keeps the lighter edge of `first + v` and its edge in another replica, of which from[0] is that
/// of `first`.
struct KeepLighter {
  static constexpr bool kDeviceCode = true;
  LightEdge* into;
  const LightEdge* from;
  VertexId first;
  FATHOM_HD void operator()(VertexId v) const {
    into[first + v] = MergeLightest{}(into[first + v], from[v]);
  }
};

}  // namespace fathom
