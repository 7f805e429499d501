// What BFS does on an edge, for any executor.
#pragma once

#include "fathom/core/atomic.hpp"

namespace fathom {

/// Push: the first edge that finds v unreached gives it its depth.
struct BfsPush {
  static constexpr bool kDeviceCode = true, kSplitOnGpu = true;
  std::uint32_t* depth;
  VertexId* parent;    // null: not wanted
  std::uint32_t next;  // the depth given now

  /// The same, k supersteps later.
  FATHOM_HD BfsPush at(std::uint32_t k) const { return {depth, parent, next + k}; }

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const { return may_take(v) && take(u, v); }
  FATHOM_HD bool may_take(VertexId v) const {
    return AtomicRef(depth[v]).load() == ~std::uint32_t{0};
  }
  FATHOM_HD bool take(VertexId u, VertexId v) const {
    std::uint32_t unreached = ~std::uint32_t{0};
    if (!AtomicRef(depth[v]).compare_exchange(unreached, next, Order::Relaxed)) return false;
    if (parent) parent[v] = u;  // only the winner writes
    return true;
  }
};

/// Another rank has found v.
struct FoundElsewhere {
  static constexpr bool kDeviceCode = true;
  std::uint32_t* depth;
  std::uint32_t next;
  FATHOM_HD void operator()(VertexId v) const {
    if (depth[v] == ~std::uint32_t{0}) depth[v] = next;
  }
};

/// Whether no search has come by and one could: v has in-edges.
struct Unreached {
  static constexpr bool kDeviceCode = true;
  const std::uint32_t* depth;
  const EdgeId* offset;  // of the in-lists
  FATHOM_HD bool operator()(VertexId v) const {
    return depth[v] == ~std::uint32_t{0} && offset[v] != offset[v + 1];
  }
};

/// Pull, before any list is read: whether a vertex's hint, a neighbour of high degree, is in the
/// frontier.
struct BfsHint {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* frontier;
  const VertexId* hint;  // kNoVertex: has none
  std::uint32_t* depth;
  VertexId* parent;
  std::uint32_t next;

  FATHOM_HD bool operator()(VertexId u) const {
    const VertexId v = hint[u];
    if (v == kNoVertex || (frontier[v >> 6] >> (v & 63) & 1) == 0) return false;
    depth[u] = next;
    if (parent) parent[u] = v;
    return true;
  }
};

/// Pull: an unreached vertex looks for a neighbour in the frontier and stops at the first.
struct BfsPull {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* frontier;  // a bit per vertex
  std::uint32_t* depth;
  VertexId* parent;
  std::uint32_t next;

  using Value = VertexId;
  FATHOM_HD Value identity() const { return kNoVertex; }
  FATHOM_HD Value map(VertexId, VertexId v, Weight) const {
    return (frontier[v >> 6] >> (v & 63) & 1) != 0 ? v : kNoVertex;
  }
  FATHOM_HD Value combine(Value a, Value b) const { return a < b ? a : b; }
  FATHOM_HD bool done(Value a) const { return a != kNoVertex; }
  FATHOM_HD bool open(VertexId u) const { return AtomicRef(depth[u]).load() == ~std::uint32_t{0}; }
  FATHOM_HD bool commit(VertexId u, Value found) const {
    if (found == kNoVertex) return false;
    AtomicRef(depth[u]).store(next);
    if (parent) AtomicRef(parent[u]).store(found);
    return true;
  }
};

}  // namespace fathom
