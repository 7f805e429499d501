// Looking an edge up in a graph that changes; for kernels too.
#pragma once

#include "fathom/dynamic/lists/edge_fields.hpp"
#include "fathom/ops/intersect_lists.hpp"

namespace fathom::dynamic {

struct FoundEdge {
  bool found = false;
  Weight weight = 0;
};

/// Whether there is an edge from u to v; the first is entry i of the span then. Cost: a binary
/// search where lists ascend on one page, and where they do on linked pages one after a look at the
/// last edge of each page before it; else a read of the list.
FATHOM_HD bool find_entry(const DynamicEdges& edges, VertexId u, VertexId v, DynamicSpan& s,
                          std::uint32_t& i) {
  auto cursor = edges.begin(u);
  while (edges.next(cursor, s)) {
    i = 0;
    if (edges.layout.sorted && s.target(s.size - 1) < v) continue;
    if (!edges.layout.ascending())
      while (i < s.size && s.target(i) != v) ++i;
    else
      i = first_at_least(s, v, 0, s.size);
    if (i < s.size && s.target(i) == v) return true;
    if (edges.layout.sorted) return false;
  }
  return false;
}

/// The first edge from u to v. Cost: as find_entry().
FATHOM_HD FoundEdge find_edge(const DynamicEdges& edges, VertexId u, VertexId v) {
  DynamicSpan s;
  std::uint32_t i = 0;
  return find_entry(edges, u, v, s, i) ? FoundEdge{true, s.weight(i)} : FoundEdge{};
}

/// The same of its type and timestamps, in lists that has_fields(); zeros where there is none.
FATHOM_HD EdgeFields find_fields(const DynamicEdges& edges, VertexId u, VertexId v) {
  DynamicSpan s;
  std::uint32_t i = 0;
  return find_entry(edges, u, v, s, i) ? edge_fields(s, i) : EdgeFields{};
}

}  // namespace fathom::dynamic
