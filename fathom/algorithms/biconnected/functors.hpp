// What biconnected components do on an edge and a vertex, for any executor.
//
// Trees are numbered in preorder: the vertices below one have the numbers behind its own, up to its
// `last`. Two tree edges that meet are in one component where an edge leads out of the subtree
// below the upper one; and the edges above both ends of an edge that joins two branches are. Their
// classes, called by the smallest number, are what union-find is asked for: component[number] is
// that of the edge from there to the parent.
#pragma once

#include "fathom/algorithms/components/functors.hpp"
#include "fathom/core/atomic.hpp"

namespace fathom {

/// The smallest and the largest number among a vertex's neighbours.
struct FindReach {
  static constexpr bool kDeviceCode = true;
  const VertexId* number;
  VertexId* low;   // by number
  VertexId* high;  // by number: what the largest one lacks to kNoVertex

  struct Value {
    VertexId low, high;
  };
  FATHOM_HD Value identity() const { return {kNoVertex, kNoVertex}; }
  FATHOM_HD Value map(VertexId, VertexId v, Weight) const {
    return {number[v], kNoVertex - number[v]};
  }
  FATHOM_HD Value combine(Value a, Value b) const {
    return {a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
  }
  FATHOM_HD bool commit(VertexId u, Value found) const {
    AtomicRef(low[number[u]]).fetch_min(found.low);
    AtomicRef(high[number[u]]).fetch_min(found.high);
    return false;
  }
};

/// Joins the ends of edges between two branches.
struct LinkBranches {
  static constexpr bool kDeviceCode = true;
  const VertexId* number;
  const VertexId* last;  // by number
  VertexId* component;   // by number

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    const VertexId a = number[u], b = number[v];
    const VertexId low = a < b ? a : b, high = a < b ? b : a;
    if (high > last[low]) link(component, low, high);
    return false;
  }
};

/// Whether the edge above v is outside the component of this label.
struct EdgeOutside {
  static constexpr bool kDeviceCode = true;
  const VertexId* number;
  const VertexId* component;
  VertexId label;
  FATHOM_HD bool operator()(VertexId v) const { return component[number[v]] != label; }
};

}  // namespace fathom
