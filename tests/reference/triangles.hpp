// Triangles of the underlying undirected simple graph, by membership tests.
#pragma once

#include "tests/reference/graph.hpp"

namespace reference {

struct Triangles {
  std::uint64_t total = 0;
  std::vector<std::uint64_t> per_vertex;  // triangles that contain the vertex; sums to 3 * total
};

/// Direction, loops and multiplicity of edges are ignored.
Triangles count_triangles(const Graph& g);

}  // namespace reference
