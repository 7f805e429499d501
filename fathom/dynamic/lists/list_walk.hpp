// Walks over the lists of a graph that changes.
#pragma once

#include <type_traits>

#include "fathom/dynamic/lists/find_edge.hpp"

namespace fathom::dynamic {

/// visit(target, weight) for each edge of v; stops and returns false when a visit returns false.
template <class Visit>
FATHOM_HD bool each_edge(const DynamicEdges& edges, VertexId v, const Visit& visit) {
  DynamicSpan s;
  for (auto cursor = edges.begin(v); edges.next(cursor, s);)
    for (std::uint32_t i = 0; i < s.size; ++i) {
      if constexpr (std::is_void_v<decltype(visit(VertexId{}, Weight{}))>)
        visit(s.target(i), s.weight(i));
      else if (!visit(s.target(i), s.weight(i)))
        return false;
    }
  return true;
}

/// The same with visit(target).
template <class Visit>
FATHOM_HD bool each_target(const DynamicEdges& edges, VertexId v, const Visit& visit) {
  return each_edge(edges, v, [&](VertexId target, Weight) { return visit(target); });
}

/// Calls visit(span, i) for each edge from u to v. Cost: as find_entry().
template <class Visit>
FATHOM_HD void each_edge_to(const DynamicEdges& edges, VertexId u, VertexId v, const Visit& visit) {
  DynamicSpan s;
  for (auto cursor = edges.begin(u); edges.next(cursor, s);) {
    std::uint32_t i = 0;
    if (!edges.layout.ascending()) {
      for (; i < s.size; ++i)
        if (s.target(i) == v) visit(s, i);
      continue;
    }
    if (edges.layout.sorted && s.target(s.size - 1) < v) continue;
    for (i = first_at_least(s, v, 0, s.size); i < s.size && s.target(i) == v; ++i) visit(s, i);
    if (i < s.size) return;
  }
}

/// The smallest weight of the edges from u to v, infinity where there are none; NaN where one is.
/// Cost: as find_edge().
FATHOM_HD Weight smallest_weight(const DynamicEdges& edges, VertexId u, VertexId v) {
  Weight smallest = __builtin_inff();
  each_edge_to(edges, u, v, [&](const DynamicSpan& s, std::uint32_t i) {
    const Weight w = s.weight(i);
    if (w < smallest || w != w) smallest = w;
  });
  return smallest;
}

/// How many edges there are from u to v. Cost: as find_edge().
FATHOM_HD std::uint32_t count_edges(const DynamicEdges& edges, VertexId u, VertexId v) {
  std::uint32_t count = 0;
  each_edge_to(edges, u, v, [&](const DynamicSpan&, std::uint32_t) { ++count; });
  return count;
}

}  // namespace fathom::dynamic
