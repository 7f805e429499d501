// What finding levels does on an edge and a vertex, for any executor.
//
// Invariant between supersteps: a vertex waits for as many edges as come from vertices that have no
// level yet.
#pragma once

#include "fathom/core/atomic.hpp"

namespace fathom {

/// The number of in-edges.
struct AwaitList {
  static constexpr bool kDeviceCode = true;
  const EdgeId* in;
  std::uint32_t* waits;
  FATHOM_HD void operator()(VertexId v) const {
    waits[v] = static_cast<std::uint32_t>(in[v + 1] - in[v]);
  }
};

/// The same seen from the other end.
struct AwaitSource {
  static constexpr bool kDeviceCode = true;
  std::uint32_t* waits;

  FATHOM_HD bool visit(VertexId, VertexId v, Weight) const {
    AtomicRef(waits[v]).fetch_add(1u);
    return false;
  }
};

/// The first vertex with too many in-edges to be counted.
struct TooManyInEdges {
  static constexpr bool kDeviceCode = true;
  const EdgeId* in;
  FATHOM_HD VertexId operator()(VertexId v) const {
    return in[v + 1] - in[v] >= ~std::uint32_t{0} ? v : kNoVertex;
  }
};

/// A source has its level. The last one makes v go next.
struct Arrive {
  static constexpr bool kDeviceCode = true;
  std::uint32_t* waits;

  FATHOM_HD bool visit(VertexId, VertexId v, Weight) const {
    return AtomicRef(waits[v]).fetch_add(~0u) == 1;
  }
};

// With several devices each sees a part of the arrivals: they are added up before anyone goes.

struct NoteArrival {
  static constexpr bool kDeviceCode = true;
  std::uint32_t* arrived;

  FATHOM_HD bool visit(VertexId, VertexId v, Weight) const {
    return AtomicRef(arrived[v]).fetch_add(1u) == 0;
  }
};

struct TakeArrivals {
  static constexpr bool kDeviceCode = true;
  std::uint32_t* waits;
  std::uint32_t* arrived;
  FATHOM_HD void operator()(VertexId v) const {
    waits[v] -= arrived[v];
    arrived[v] = 0;
  }
};

struct WaitsForNone {
  static constexpr bool kDeviceCode = true;
  const std::uint32_t* waits;
  FATHOM_HD bool operator()(VertexId v) const { return waits[v] == 0; }
};

struct GiveLevel {
  static constexpr bool kDeviceCode = true;
  std::uint32_t* level;
  std::uint32_t now;
  FATHOM_HD void operator()(VertexId v) const { level[v] = now; }
};

struct HasNoLevel {
  static constexpr bool kDeviceCode = true;
  const std::uint32_t* level;
  FATHOM_HD bool operator()(VertexId v) const { return level[v] == ~std::uint32_t{0}; }
};

/// The vertex itself, where it has none.
struct FirstWithout {
  static constexpr bool kDeviceCode = true;
  const std::uint32_t* level;
  FATHOM_HD VertexId operator()(VertexId v) const {
    return level[v] == ~std::uint32_t{0} ? v : kNoVertex;
  }
};

/// Of vertices without a level: the first, by ids, that v waits for.
struct NameSource {
  static constexpr bool kDeviceCode = true;
  VertexId* source;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    AtomicRef(source[v]).fetch_min(u);
    return false;
  }
};

}  // namespace fathom
