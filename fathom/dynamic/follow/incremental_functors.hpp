// What levels and components that follow a graph do on an edge, a vertex and a changed edge, for
// any executor.
#pragma once

#include "fathom/algorithms/components/functors.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/dynamic/batches/applied_batch.hpp"
#include "fathom/dynamic/lists/list_walk.hpp"
#include "fathom/ops/only_edges.hpp"

namespace fathom::dynamic {

FATHOM_HD void set_bit(std::uint64_t* bits, VertexId v) {
  AtomicRef(bits[v >> 6]).fetch_or(std::uint64_t{1} << (v & 63));
}
FATHOM_HD bool has_bit(const std::uint64_t* bits, VertexId v) {
  return (bits[v >> 6] >> (v & 63) & 1) != 0;
}

// ---- levels: of vertices in a search, kUnreached of those that it has not reached. Every vertex
// at a level above 0 has a neighbour on the level below it, which supports it.

inline constexpr std::uint32_t kNoLevel = ~std::uint32_t{0};
inline constexpr std::uint32_t kLost = std::uint32_t{1} << 31;  // on the level of a vertex: has
                                                                // no support any more

/// Levels, and where they belong: two vertices have to do with each other only if their roots are
/// the same; null: always.
struct Levels {
  std::uint32_t* level;
  const VertexId* root;

  FATHOM_HD std::uint32_t of(VertexId v) const { return AtomicRef(level[v]).load(); }
  FATHOM_HD bool together(VertexId u, VertexId v) const { return !root || root[u] == root[v]; }
  FATHOM_HD bool lower(VertexId v, std::uint32_t to) const {
    return to < of(v) && to < AtomicRef(level[v]).fetch_min(to);
  }
};

/// Marks the targets that have lost the edge from a vertex that supports them; `both_ways`: the
/// sources as well.
struct MarkSuspects {
  static constexpr bool kDeviceCode = true;
  const ChangedEdge* edge;
  Levels levels;
  bool both_ways;
  std::uint64_t* suspect;

  FATHOM_HD void operator()(VertexId i) const {
    const ChangedEdge e = edge[i];
    if (e.after != 0 || e.source == e.target) return;
    mark(e.source, e.target);
    if (both_ways) mark(e.target, e.source);
  }
  FATHOM_HD void mark(VertexId from, VertexId to) const {
    const std::uint32_t level = levels.of(to);
    if (level != 0 && level != kNoLevel && levels.of(from) + 1 == level) set_bit(suspect, to);
  }
};

/// Pull: whether a vertex has a support.
struct FindSupport {
  static constexpr bool kDeviceCode = true;
  static constexpr OnlyEdges kOnlyEdges = OnlyEdges::Dynamic;
  Levels levels;

  using Value = std::uint32_t;  // 1: has one
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight) const {
    return levels.of(v) + 1 == levels.of(u) && levels.together(u, v) ? 1 : 0;
  }
  FATHOM_HD Value combine(Value a, Value b) const { return a | b; }
  FATHOM_HD bool done(Value a) const { return a != 0; }
  FATHOM_HD bool commit(VertexId, Value found) const { return found != 0; }
};

struct MarkLost {
  static constexpr bool kDeviceCode = true;
  Levels levels;
  FATHOM_HD void operator()(VertexId v) const { levels.level[v] |= kLost; }
};

/// Push: whether v may have been supported by u, which is lost.
struct FindSupported {
  static constexpr bool kDeviceCode = true;
  static constexpr OnlyEdges kOnlyEdges = OnlyEdges::Dynamic;
  Levels levels;
  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    return levels.of(v) == (levels.of(u) & ~kLost) + 1 && levels.together(u, v);
  }
};

struct MarkUnreached {
  static constexpr bool kDeviceCode = true;
  Levels levels;
  FATHOM_HD void operator()(VertexId v) const { levels.level[v] = kNoLevel; }
};

/// Pull: a vertex that is not reached takes the level behind its nearest neighbour.
struct TakeNearest {
  static constexpr bool kDeviceCode = true;
  static constexpr OnlyEdges kOnlyEdges = OnlyEdges::Dynamic;
  Levels levels;

  using Value = std::uint32_t;
  FATHOM_HD Value identity() const { return kNoLevel; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight) const {
    return levels.together(u, v) ? levels.of(v) : kNoLevel;
  }
  FATHOM_HD Value combine(Value a, Value b) const { return a < b ? a : b; }
  FATHOM_HD bool commit(VertexId u, Value nearest) const {
    return nearest != kNoLevel && levels.lower(u, nearest + 1);
  }
};

/// Push: v is no further away than one step behind u.
struct LowerLevel {
  static constexpr bool kDeviceCode = true;
  static constexpr OnlyEdges kOnlyEdges = OnlyEdges::Dynamic;
  Levels levels;
  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    return levels.together(u, v) && levels.lower(v, levels.of(u) + 1);
  }
};

/// The same along the edges that a batch has added. `both_ways`: backwards as well; `shorten`:
/// also to vertices that are reached.
struct OfferAdded {
  static constexpr bool kDeviceCode = true;
  const ChangedEdge* edge;
  Levels levels;
  bool both_ways, shorten;
  std::uint64_t* lowered;

  FATHOM_HD void operator()(VertexId i) const {
    const ChangedEdge e = edge[i];
    if (e.before != 0) return;
    offer(e.source, e.target);
    if (both_ways) offer(e.target, e.source);
  }
  FATHOM_HD void offer(VertexId from, VertexId to) const {
    const std::uint32_t level = levels.of(from);
    if (level == kNoLevel || !levels.together(from, to)) return;
    if (!shorten && levels.of(to) != kNoLevel) return;
    if (levels.lower(to, level + 1)) set_bit(lowered, to);
  }
};

struct IsUnreached {
  static constexpr bool kDeviceCode = true;
  Levels levels;
  FATHOM_HD bool operator()(VertexId v) const { return levels.of(v) == kNoLevel; }
};

// ---- components: each vertex has a root, which is on level 0; of roots there are the number of
// vertices and the smallest one. `size` is 0 of vertices that are not roots.

struct ComponentData {
  VertexId *root, *size, *smallest;
};

/// Vertices from `first` on, each a component.
struct FoundAlone {
  static constexpr bool kDeviceCode = true;
  ComponentData of;
  std::uint32_t* level;
  VertexId first;

  FATHOM_HD void operator()(VertexId i) const {
    const VertexId v = first + i;
    of.root[v] = of.smallest[v] = v;
    of.size[v] = 1;
    level[v] = 0;
  }
};

/// v leaves its component to be alone; `stale`: roots whose smallest vertex has left.
struct LeaveComponent {
  static constexpr bool kDeviceCode = true;
  ComponentData of;
  std::uint64_t* stale;

  FATHOM_HD void operator()(VertexId v) const {
    const VertexId old = of.root[v];
    AtomicRef(of.size[old]).fetch_add(~VertexId{0});
    if (of.smallest[old] == v) set_bit(stale, old);
    of.root[v] = v;
  }
};

/// Joins vertices that have left, which are not reached, with such neighbours.
struct LinkUnreached {
  static constexpr bool kDeviceCode = true;
  static constexpr OnlyEdges kOnlyEdges = OnlyEdges::Dynamic;
  VertexId* root;
  const std::uint32_t* level;
  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (level[v] == kNoLevel) link(root, u, v);
    return false;
  }
};

/// Puts a vertex that has left, and whose root is known again, into its new component; `founders`:
/// roots.
struct JoinPiece {
  static constexpr bool kDeviceCode = true;
  ComponentData of;
  std::uint32_t* level;
  std::uint64_t* founders;

  FATHOM_HD void operator()(VertexId v) const {
    const VertexId root = of.root[v];
    AtomicRef(of.size[root]).fetch_add(1);
    if (root != v) return;
    of.smallest[v] = v;  // roots of trees of links are
    level[v] = 0;
    set_bit(founders, v);
  }
};

/// Of roots whose components become one: a union-find of them; at its root how many vertices the
/// largest of these lacks of kNoVertex, and which one stays. Of no other vertices.
struct JoinData {
  VertexId *set, *lack, *into;
};

/// The added edges of a batch that join components.
struct JoinEdges {
  const ChangedEdge* edge;
  ComponentData of;
  JoinData join;

  FATHOM_HD bool joins(VertexId i) const {
    return edge[i].before == 0 && of.root[edge[i].source] != of.root[edge[i].target];
  }
  /// Calls visit with each of the two roots that edge i joins, if it does.
  template <class Visit>
  FATHOM_HD void each_root(VertexId i, const Visit& visit) const {
    if (!joins(i)) return;
    visit(of.root[edge[i].source]);
    visit(of.root[edge[i].target]);
  }
  /// Of the union-find. Halves the way there, which is as long as there are roots in the end else.
  FATHOM_HD VertexId top(VertexId root) const {
    for (;;) {
      const VertexId above = AtomicRef(join.set[root]).load();
      if (above == root) return root;
      const VertexId next = AtomicRef(join.set[above]).load();
      if (next == above) return above;
      AtomicRef(join.set[root]).store(next);
      root = next;
    }
  }
  /// The larger of two tops gets below the smaller one.
  FATHOM_HD void unite(VertexId a, VertexId b) const {
    a = top(a), b = top(b);
    while (a != b) {
      const VertexId low = a < b ? a : b, high = a < b ? b : a;
      VertexId alone = high;
      if (AtomicRef(join.set[high]).compare_exchange(alone, low, Order::Relaxed)) return;
      a = top(low), b = top(high);
    }
  }
};

struct IsJoin {
  static constexpr bool kDeviceCode = true;
  JoinEdges its;
  FATHOM_HD VertexId operator()(VertexId i) const { return its.joins(i) ? 1 : 0; }
};
struct BeginSets {
  static constexpr bool kDeviceCode = true;
  JoinEdges its;

  FATHOM_HD void operator()(VertexId i) const {
    its.each_root(i, [&](VertexId root) {
      AtomicRef(its.join.set[root]).store(root);
      AtomicRef(its.join.lack[root]).store(kNoVertex);
      AtomicRef(its.join.into[root]).store(kNoVertex);
    });
  }
};
struct LinkSets {
  static constexpr bool kDeviceCode = true;
  JoinEdges its;

  FATHOM_HD void operator()(VertexId i) const {
    if (its.joins(i)) its.unite(its.of.root[its.edge[i].source], its.of.root[its.edge[i].target]);
  }
};
struct FindLargest {
  static constexpr bool kDeviceCode = true;
  JoinEdges its;

  FATHOM_HD void operator()(VertexId i) const {
    its.each_root(i, [&](VertexId root) {
      AtomicRef(its.join.lack[its.top(root)]).fetch_min(kNoVertex - its.of.size[root]);
    });
  }
};
struct ChooseRoot {
  static constexpr bool kDeviceCode = true;
  JoinEdges its;

  FATHOM_HD void operator()(VertexId i) const {
    its.each_root(i, [&](VertexId root) {
      const VertexId top = its.top(root);
      if (kNoVertex - its.of.size[root] == its.join.lack[top])
        AtomicRef(its.join.into[top]).fetch_min(root);
    });
  }
};
/// The one that stays takes what each of the others has, once.
struct AbsorbRoots {
  static constexpr bool kDeviceCode = true;
  JoinEdges its;

  FATHOM_HD void operator()(VertexId i) const {
    its.each_root(i, [&](VertexId root) {
      const VertexId by = its.join.into[its.top(root)];
      if (by == root) return;
      VertexId size = AtomicRef(its.of.size[root]).load();
      if (size == 0 || !AtomicRef(its.of.size[root]).compare_exchange(size, VertexId{0})) return;
      AtomicRef(its.of.size[by]).fetch_add(size);
      AtomicRef(its.of.smallest[by]).fetch_min(its.of.smallest[root]);
    });
  }
};
/// Vertices of absorbed components, whose roots have none, get the root that stays.
struct FollowRoot {
  static constexpr bool kDeviceCode = true;
  JoinEdges its;
  std::uint32_t* level;

  FATHOM_HD void operator()(VertexId v) const {
    VertexId& root = its.of.root[v];
    if (its.of.size[root] != 0) return;  // not absorbed
    root = its.join.into[its.top(root)];
    level[v] = kNoLevel;
  }
};

struct ForgetSmallest {
  static constexpr bool kDeviceCode = true;
  VertexId* smallest;
  FATHOM_HD void operator()(VertexId root) const { smallest[root] = kNoVertex; }
};
struct FindSmallest {
  static constexpr bool kDeviceCode = true;
  ComponentData of;
  const std::uint64_t* stale;

  FATHOM_HD void operator()(VertexId v) const {
    const VertexId root = of.root[v];
    if (has_bit(stale, root) && v < AtomicRef(of.smallest[root]).load())
      AtomicRef(of.smallest[root]).fetch_min(v);
  }
};

}  // namespace fathom::dynamic
