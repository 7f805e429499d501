// Spanning forests by trying edges one by one, as fathom/algorithms/msf/msf.hpp specifies them.
#pragma once

#include <vector>

#include "tests/reference/graph.hpp"

namespace reference {

struct SpanningForest {
  std::vector<Vertex> parent;  // of a root itself; roots are the first vertices of their trees
  std::vector<float> weight;   // of the edge to the parent; 0 of a root
  Vertex edges = 0;
};

/// `g` is undirected. `maximum`: of the heaviest edges.
SpanningForest spanning_forest(const Graph& g, bool maximum);

}  // namespace reference
