// What connected components do on an edge and a vertex, for any executor.
//
// Invariant: component[v] <= v for every v, so following it climbs a tree to its smallest vertex.
#pragma once

#include <cstddef>
#include <span>

#include "fathom/core/atomic.hpp"

namespace fathom {

class Context;

/// Joins the trees of u and v: hooks the larger of two roots below the smaller one. The paths that
/// it climbs get shorter (of the time without: a uniform graph of scale 20 on the host .7, of scale
/// 24 on a GPU .7, a road network there .12, R-MAT 24 1.3).
/// hooked(high, low) is told when a root was hooked below another.
template <class Hooked>
FATHOM_HD void link(VertexId* component, VertexId u, VertexId v, const Hooked& hooked) {
  VertexId a = AtomicRef(component[u]).load(), b = AtomicRef(component[v]).load();
  while (a != b) {
    const VertexId high = a > b ? a : b;
    const VertexId low = a > b ? b : a;
    VertexId above = AtomicRef(component[high]).load();
    if (above == low) return;
    if (above == high && AtomicRef(component[high]).compare_exchange(above, low, Order::Relaxed))
      return hooked(high, low);
    const VertexId way = AtomicRef(component[high]).load();
    a = AtomicRef(component[way]).load();
    // Halves the path: any ancestor will do for a vertex that is no root.
    if (a != way && way != high) AtomicRef(component[high]).store(a);
    b = AtomicRef(component[low]).load();
  }
}

struct NotTold {
  FATHOM_HD void operator()(VertexId, VertexId) const {}
};
FATHOM_HD void link(VertexId* component, VertexId u, VertexId v) {
  link(component, u, v, NotTold());
}

/// Hooks u below its first neighbour while every vertex is still alone: only the worker that shows
/// u's list writes, so nothing has to be compared. For sweeps that show one edge of each list.
struct HookFirst {
  static constexpr bool kDeviceCode = true, kFewEdges = true;
  VertexId* component;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (v < u) AtomicRef(component[u]).store(v);
    return false;
  }
};

/// Joins v with the neighbour that its source remembers.
struct LinkHint {
  static constexpr bool kDeviceCode = true;
  VertexId* component;
  const VertexId* hint;

  FATHOM_HD void operator()(VertexId v) const {
    if (hint[v] != kNoVertex) link(component, v, hint[v]);
  }
};

struct LinkEnds {
  static constexpr bool kDeviceCode = true;
  VertexId* component;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    link(component, u, v);
    return false;
  }
};

/// Lowers v's label to u's, where labels are split; those at sources are copies, at least as old as
/// the superstep.
struct LowerLabel {
  static constexpr bool kSplitOnGpu = true;
  const VertexId* from;
  VertexId* to;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    const VertexId label = from[u];
    return label < AtomicRef(to[v]).fetch_min(label);
  }
};

/// Every vertex alone.
struct StartAlone {
  static constexpr bool kDeviceCode = true;
  VertexId* component;
  FATHOM_HD void operator()(VertexId v) const { component[v] = v; }
};

/// Whether v is outside the component with this label.
struct Outside {
  static constexpr bool kDeviceCode = true;
  const VertexId* component;
  VertexId label;
  FATHOM_HD bool operator()(VertexId v) const { return component[v] != label; }
};

/// Whether v is the smallest vertex of its tree.
struct IsRoot {
  static constexpr bool kDeviceCode = true;
  const VertexId* component;
  FATHOM_HD bool operator()(VertexId v) const { return component[v] == v; }
};

/// Points v at its root. On a long path v is moved every few steps, so that those that climb behind
/// it jump as far, and all of them together farther each time.
struct Compress {
  static constexpr bool kDeviceCode = true;
  static constexpr std::uint32_t kSteps = 8;
  VertexId* component;

  FATHOM_HD void operator()(VertexId v) const {
    const AtomicRef mine(component[v]);
    const VertexId above = mine.load();
    VertexId root = above;
    std::uint32_t steps = 0;
    for (VertexId next; (next = AtomicRef(component[root]).load()) != root; root = next)
      if (++steps % kSteps == 0) mine.store(next);
    if (root != above) mine.store(root);
  }
};

/// Joins `first + v` with its label in another replica, of which from[0] is that of `first`.
struct LinkReplica {
  static constexpr bool kDeviceCode = true;
  VertexId* into;
  const VertexId* from;
  VertexId first;

  FATHOM_HD void operator()(VertexId v) const { link(into, first + v, from[v]); }
};

/// A root that was hooked, and below which vertex.
struct Hook {
  VertexId root, below;
};

/// Of vertices that were roots: lists those that are no more, up to `most`, in any order. `count`
/// is how many there are.
struct ListHook {
  static constexpr bool kDeviceCode = true;
  const VertexId* component;
  Hook* hooks;
  std::size_t most;
  VertexId* count;

  FATHOM_HD void operator()(VertexId v) const {
    const VertexId below = component[v];
    if (below == v) return;
    const VertexId at = AtomicRef(*count).fetch_add(1);
    if (at < most) hooks[at] = {v, below};
  }
};

/// Joins the trees of a hook in a list.
struct LinkHook {
  static constexpr bool kDeviceCode = true;
  VertexId* component;
  const Hook* hooks;

  FATHOM_HD void operator()(VertexId i) const { link(component, hooks[i].root, hooks[i].below); }
};

/// Replicas agree again when each joins what the other has joined; a minimum would lose hooks.
struct MergeLinks {
  static bool on_gpus(const Context& ctx, std::span<VertexId* const> replica, std::size_t n);
  static bool on_ranks(const Context& ctx, VertexId* label, std::size_t n);
  void operator()(VertexId* into, const VertexId* from, std::size_t n) const {
    for (std::size_t v = 0; v < n; ++v)  // most are alone there, or known here
      if (from[v] != v && from[v] != into[v]) link(into, static_cast<VertexId>(v), from[v]);
  }
};

}  // namespace fathom
