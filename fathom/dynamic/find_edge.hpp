// Looking an edge up in a graph that changes; for kernels too.
#pragma once

#include "fathom/ops/intersect_lists.hpp"
#include "fathom/residency/dynamic_edges.hpp"

namespace fathom::dynamic {

struct FoundEdge {
  bool found = false;
  Weight weight = 0;
};

/// The first edge from u to v. Cost: a binary search where lists ascend on one page, else a read
/// of the list.
FATHOM_HD FoundEdge find_edge(const DynamicEdges& edges, VertexId u, VertexId v) {
  DynamicSpan s;
  auto cursor = edges.begin(u);
  while (edges.next(cursor, s)) {
    std::uint32_t i = 0;
    if (edges.layout.link_words == 0)
      i = first_at_least(s, v, 0, s.size);
    else
      while (i < s.size && s.target(i) != v) ++i;
    if (i < s.size && s.target(i) == v) return {true, s.weight(i)};
  }
  return {};
}

}  // namespace fathom::dynamic
