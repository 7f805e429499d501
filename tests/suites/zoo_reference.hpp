// Zoo graphs as graphs of the reference algorithms.
#pragma once

#include "tests/reference/graph.hpp"
#include "tests/suites/zoo.hpp"

namespace zoo {

/// Missing weights are 1; duplicates stay.
inline reference::Graph to_reference(const RawGraph& g) {
  std::vector<reference::Edge> edges;
  for (std::size_t i = 0; i < g.edges.size(); ++i)
    edges.emplace_back(g.edges[i].first, g.edges[i].second, g.weights.empty() ? 1 : g.weights[i]);
  return reference::make_graph(g.vertices, std::move(edges), g.directed);
}

}  // namespace zoo
