// Walking over a graph that changes in code of one's own: the same source for host threads and
// kernels.
#pragma once

#include <fathom/dynamic/find_edge.hpp>
#include <fathom/dynamic_graph.hpp>

/// How many of u's edges have one that goes back.
FATHOM_HD std::uint32_t mutual_edges(const fathom::DynamicEdges& lists, fathom::VertexId u) {
  std::uint32_t count = 0;
  fathom::DynamicSpan span;
  for (auto cursor = lists.begin(u); lists.next(cursor, span);)
    for (std::uint32_t i = 0; i < span.size; ++i)
      if (fathom::dynamic::find_edge(lists, span.target(i), u).found) ++count;
  return count;
}

/// The sum of mutual_edges() over all vertices of lists in a GPU's memory.
std::uint64_t mutual_edges_on_gpu(const fathom::DynamicEdges& lists, fathom::VertexId vertices);
/// Whether there is a GPU, and code for it.
bool gpu_is_there();
