// What peeling does on an edge and a vertex, for any executor.
//
// Invariant between supersteps: a vertex is left exactly if its degree, counted among those left,
// is greater than k; the degree of a vertex that was peeled is its core number.
#pragma once

#include "fathom/core/atomic.hpp"

namespace fathom {

/// The number of edges to other vertices.
struct CountOthers {
  static constexpr bool kDeviceCode = true;
  std::uint32_t* degree;

  using Value = std::uint32_t;
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight) const { return u != v ? 1 : 0; }
  FATHOM_HD Value combine(Value a, Value b) const { return a + b; }
  FATHOM_HD bool commit(VertexId u, Value count) const {
    AtomicRef(degree[u]).fetch_add(count);
    return false;
  }
};

/// The same seen from the other end.
struct CountFromOthers {
  static constexpr bool kDeviceCode = true;
  std::uint32_t* degree;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (u != v) AtomicRef(degree[v]).fetch_add(1u);
    return false;
  }
};

/// A neighbour was peeled. The one decrement that leaves k makes v go next.
struct LoseNeighbour {
  static constexpr bool kDeviceCode = true;
  std::uint32_t* degree;
  std::uint32_t k;

  FATHOM_HD bool visit(VertexId, VertexId v, Weight) const {
    const AtomicRef left(degree[v]);
    return left.load() > k && left.fetch_add(~0u) == k + 1;
  }
};

/// The same without in-edges: who is left looks for neighbours that were peeled.
struct MissNeighbours {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* peeled;  // a bit per vertex
  std::uint32_t* degree;
  std::uint32_t k;

  using Value = std::uint32_t;
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId, VertexId v, Weight) const {
    return static_cast<Value>(peeled[v >> 6] >> (v & 63) & 1);
  }
  FATHOM_HD Value combine(Value a, Value b) const { return a + b; }
  FATHOM_HD bool open(VertexId u) const { return AtomicRef(degree[u]).load() > k; }
  FATHOM_HD bool commit(VertexId u, Value lost) const {
    if (lost == 0) return false;
    const std::uint32_t before = AtomicRef(degree[u]).fetch_add(~lost + 1);
    return before > k && before - lost <= k;
  }
};

// With several devices each sees a part of the losses: they are added up before anyone goes.

struct NoteLoss {
  static constexpr bool kDeviceCode = true;
  const std::uint32_t* degree;
  std::uint32_t* lost;
  std::uint32_t k;

  FATHOM_HD bool visit(VertexId, VertexId v, Weight) const {
    return degree[v] > k && AtomicRef(lost[v]).fetch_add(1u) == 0;
  }
};

struct NoteLosses {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* peeled;
  const std::uint32_t* degree;
  std::uint32_t* lost;
  std::uint32_t k;

  using Value = std::uint32_t;
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId, VertexId v, Weight) const {
    return static_cast<Value>(peeled[v >> 6] >> (v & 63) & 1);
  }
  FATHOM_HD Value combine(Value a, Value b) const { return a + b; }
  FATHOM_HD bool open(VertexId u) const { return degree[u] > k; }
  FATHOM_HD bool commit(VertexId u, Value count) const {
    if (count == 0) return false;
    AtomicRef(lost[u]).fetch_add(count);
    return true;
  }
};

struct Subtract {
  static constexpr bool kDeviceCode = true;
  std::uint32_t* degree;
  std::uint32_t* lost;
  FATHOM_HD void operator()(VertexId v) const {
    degree[v] -= lost[v];
    lost[v] = 0;
  }
};

/// What a vertex keeps once it is peeled.
struct Peel {
  static constexpr bool kDeviceCode = true;
  std::uint32_t* degree;
  std::uint32_t* layer;
  std::uint32_t k, round;
  FATHOM_HD void operator()(VertexId v) const {
    degree[v] = k;
    layer[v] = round;
  }
};

struct DegreeAtMost {
  static constexpr bool kDeviceCode = true;
  const std::uint32_t* degree;
  std::uint32_t k;
  FATHOM_HD bool operator()(VertexId v) const { return degree[v] <= k; }
};

struct DegreeAbove {
  static constexpr bool kDeviceCode = true;
  const std::uint32_t* degree;
  std::uint32_t k;
  FATHOM_HD bool operator()(VertexId v) const { return degree[v] > k; }
};

/// The degree of a vertex that is left; none is larger than the identity of a minimum.
struct DegreeLeft {
  static constexpr bool kDeviceCode = true;
  const std::uint32_t* degree;
  std::uint32_t k;
  FATHOM_HD std::uint32_t operator()(VertexId v) const {
    return degree[v] > k ? degree[v] : ~std::uint32_t{0};
  }
};

/// The first vertex with too many edges to be counted.
struct TooManyEdges {
  static constexpr bool kDeviceCode = true;
  const EdgeId* out;
  const EdgeId* in;  // null: undirected, or not known
  FATHOM_HD VertexId operator()(VertexId v) const {
    const EdgeId edges = out[v + 1] - out[v] + (in ? in[v + 1] - in[v] : 0);
    return edges >= ~std::uint32_t{0} ? v : kNoVertex;
  }
};

}  // namespace fathom
