// What peeling edges does on an edge and a vertex, for any executor.
//
// An edge is called by its slot: its place in the degree-oriented lists, one list after the other.
//
// Invariant between supersteps: the support of an edge that is left is the number of triangles
// that it is in with others that are left. An edge that was peeled has the round of that instead,
// and kPeeledEdge.
#pragma once

#include "fathom/algorithms/slot_windows.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/ops/intersect_lists.hpp"

namespace fathom {

inline constexpr std::uint32_t kPeeledEdge = std::uint32_t{1} << 31;

/// Puts the edges of a list into their slots, and counts both ends.
struct PutEdgeInSlot {
  static constexpr bool kDeviceCode = true;
  const EdgeId* offset;
  VertexId* head;
  VertexId* degree;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight, EdgeId i) const {
    const EdgeId at = offset[u] + i;
    if (at >= offset[u + 1]) return false;  // a damaged file
    head[at] = v;
    AtomicRef(degree[u]).fetch_add(VertexId{1});
    AtomicRef(degree[v]).fetch_add(VertexId{1});
    return false;
  }
};

/// The neighbours of each vertex: those that its list leads to, by slots, and those whose lists
/// lead to it.
struct EdgeSlots {
  const EdgeId* offset;    // [vertices + 1] of lists
  const VertexId* head;    // [edges] ascending in each list
  const EdgeId* in_begin;  // [vertices]
  const VertexId* tail;    // [edges] from in_begin[v] on: in any order
  const VertexId* in_size;
  const VertexId* degree;  // by which lists are oriented
  VertexId vertices;

  static constexpr EdgeId kNone = ~EdgeId{0};

  FATHOM_HD VertexId tail_of(EdgeId slot) const {
    return owner_of_slot(0, vertices - 1, slot, [&](VertexId v) { return offset[v]; });
  }
  FATHOM_HD EdgeId length(VertexId v) const { return offset[v + 1] - offset[v]; }
  FATHOM_HD EdgeId neighbors(VertexId v) const { return length(v) + in_size[v]; }

  /// The first slot in [low, high) whose head is at least v, or high.
  FATHOM_HD EdgeId first_at_least(VertexId v, EdgeId low, EdgeId high) const {
    while (low < high) {
      const EdgeId middle = low + (high - low) / 2;
      if (head[middle] < v)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  /// The slot of the edge from u to v; kNone: there is none.
  FATHOM_HD EdgeId find(VertexId u, VertexId v) const {
    const EdgeId at = first_at_least(v, offset[u], offset[u + 1]);
    return at < offset[u + 1] && head[at] == v ? at : kNone;
  }
  /// Of the edge between both.
  FATHOM_HD EdgeId find_between(VertexId a, VertexId b) const {
    const bool up = degree[a] < degree[b] || (degree[a] == degree[b] && a < b);
    return up ? find(a, b) : find(b, a);
  }
};

/// Names the tail of an edge to its head.
struct PutTail {
  static constexpr bool kDeviceCode = true;
  EdgeSlots edges;
  VertexId* tail;
  VertexId* in_size;

  FATHOM_HD void operator()(VertexId slot) const {
    const VertexId v = edges.head[slot];
    tail[edges.in_begin[v] + AtomicRef(in_size[v]).fetch_add(VertexId{1})] = edges.tail_of(slot);
  }
};

/// Counts the triangles of an edge (u, v) with a third corner that both lists lead to, for all of
/// their edges.
struct CountSupport {
  static constexpr bool kDeviceCode = true;
  EdgeSlots edges;
  std::uint32_t* support;
  VertexId first;  // edge

  FATHOM_HD void operator()(VertexId i) const {
    const EdgeId slot = EdgeId{first} + i;
    const VertexId u = edges.tail_of(slot), v = edges.head[slot];
    std::uint32_t found = edges.length(u) <= edges.length(v) ? common(u, v) : common(v, u);
    if (found > 0) AtomicRef(support[slot]).fetch_add(found);
  }

  /// Of two lists, the first of which is not longer.
  FATHOM_HD std::uint32_t common(VertexId a, VertexId b) const {
    const EdgeId a_end = edges.offset[a + 1], b_end = edges.offset[b + 1];
    const bool search = edges.length(b) / kSearchFrom > edges.length(a);
    std::uint32_t found = 0;
    EdgeId j = edges.offset[b];
    for (EdgeId i = edges.offset[a]; i < a_end && j < b_end; ++i) {
      const VertexId w = edges.head[i];
      if (search) j = edges.first_at_least(w, j, b_end);
      while (j < b_end && edges.head[j] < w) ++j;
      if (j == b_end || edges.head[j] != w) continue;
      ++found;
      AtomicRef(support[i]).fetch_add(1u);
      AtomicRef(support[j]).fetch_add(1u);
    }
    return found;
  }
};

struct SupportOf {
  static constexpr bool kDeviceCode = true;
  const std::uint32_t* support;
  FATHOM_HD std::uint32_t operator()(VertexId slot) const { return support[slot]; }
};

struct SupportAtMost {
  static constexpr bool kDeviceCode = true;
  const std::uint32_t* support;
  std::uint32_t most;
  FATHOM_HD bool operator()(VertexId slot) const { return support[slot] <= most; }
};

struct EdgeIsLeft {
  static constexpr bool kDeviceCode = true;
  const std::uint32_t* support;
  FATHOM_HD bool operator()(VertexId slot) const { return support[slot] < kPeeledEdge; }
};

struct PeelEdge {
  static constexpr bool kDeviceCode = true;
  std::uint32_t* support;
  std::uint32_t round;
  FATHOM_HD void operator()(VertexId slot) const { support[slot] = kPeeledEdge | round; }
};

/// The triangles of an edge that is peeled go: their other edges lose one, which leaves `level` for
/// those that go next. A triangle of several such edges is that of the first of them.
struct LoseTriangles {
  static constexpr bool kDeviceCode = true;
  EdgeSlots edges;
  std::uint32_t* support;
  std::uint64_t* next;   // a bit per edge
  std::uint32_t peeled;  // the mark of those that are peeled now
  std::uint32_t level;

  FATHOM_HD void operator()(VertexId slot) const {
    const VertexId u = edges.tail_of(slot), v = edges.head[slot];
    const bool shorter = edges.neighbors(u) <= edges.neighbors(v);
    const VertexId s = shorter ? u : v, t = shorter ? v : u;
    for (EdgeId a = edges.offset[s]; a < edges.offset[s + 1]; ++a) {
      const VertexId w = edges.head[a];
      if (w == t || !is_there(a)) continue;
      const EdgeId b = edges.find_between(t, w);
      if (b != EdgeSlots::kNone && is_there(b)) lose(slot, a, b);
    }
    const EdgeId begin = edges.in_begin[s], end = begin + edges.in_size[s];
    for (EdgeId i = begin; i < end; ++i) {
      const VertexId w = edges.tail[i];
      if (w == t) continue;
      const EdgeId b = edges.find_between(t, w);
      if (b == EdgeSlots::kNone || !is_there(b)) continue;
      const EdgeId a = edges.find(w, s);
      if (a != EdgeSlots::kNone && is_there(a)) lose(slot, a, b);
    }
  }

 private:
  FATHOM_HD std::uint32_t now(EdgeId slot) const { return AtomicRef(support[slot]).load(); }
  FATHOM_HD bool is_there(EdgeId slot) const {
    const std::uint32_t its = now(slot);
    return its < kPeeledEdge || its == peeled;
  }

  FATHOM_HD void lose(EdgeId slot, EdgeId a, EdgeId b) const {
    const bool with_a = now(a) == peeled, with_b = now(b) == peeled;
    if ((with_a && a < slot) || (with_b && b < slot)) return;
    if (!with_a) lose_one(a);
    if (!with_b) lose_one(b);
  }
  FATHOM_HD void lose_one(EdgeId slot) const {
    if (AtomicRef(support[slot]).fetch_add(~0u) == level + 1)
      AtomicRef(next[slot >> 6]).fetch_or(std::uint64_t{1} << (slot & 63));
  }
};

/// Forgets the tails of edges that were peeled.
struct KeepTails {
  static constexpr bool kDeviceCode = true;
  EdgeSlots edges;
  const std::uint32_t* support;
  VertexId* tail;
  VertexId* in_size;

  FATHOM_HD void operator()(VertexId v) const {
    VertexId* const its = tail + edges.in_begin[v];
    VertexId kept = 0;
    for (VertexId i = 0; i < in_size[v]; ++i) {
      const EdgeId slot = edges.find(its[i], v);
      if (slot != EdgeSlots::kNone && support[slot] < kPeeledEdge) its[kept++] = its[i];
    }
    in_size[v] = kept;
  }
};

}  // namespace fathom
