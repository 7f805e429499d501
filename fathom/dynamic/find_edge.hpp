// Looking an edge up in a graph that changes; for kernels too.
#pragma once

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
    std::uint32_t low = 0, high = s.size;
    if (edges.layout.link_words == 0) {
      while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        if (s.target(middle) < v)
          low = middle + 1;
        else
          high = middle;
      }
    } else {
      while (low < s.size && s.target(low) != v) ++low;
    }
    if (low < s.size && s.target(low) == v) return {true, s.weight(low)};
  }
  return {};
}

}  // namespace fathom::dynamic
