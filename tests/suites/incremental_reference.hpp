// A graph that changes, as the serial reference algorithms take it.
#pragma once

#include "fathom/dynamic/dynamic_graph.hpp"
#include "tests/reference/graph.hpp"

namespace fathom::testing {

inline reference::Graph reference_of(const DynamicGraph& graph) {
  const Csr lists = graph.to_csr();
  std::vector<reference::Edge> edges;
  for (VertexId u = 0; u < graph.vertices(); ++u)
    for (EdgeId e = lists.offset[u]; e < lists.offset[u + 1]; ++e)
      if (graph.directed() || u <= lists.target[e])
        edges.emplace_back(u, lists.target[e], graph.weighted() ? lists.weight[e] : 1);
  return reference::make_graph(graph.vertices(), std::move(edges), graph.directed());
}

}  // namespace fathom::testing
