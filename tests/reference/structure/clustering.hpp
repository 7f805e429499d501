// Local clustering coefficients, by asking for every edge there could be among neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/reference/graph.hpp"

namespace reference {

struct Clustering {
  std::vector<double> coefficient;
  std::uint64_t links = 0, pairs = 0;  // ordered pairs of neighbours, of all vertices
};

/// Loops and the multiplicity of edges are ignored; edges of undirected graphs go both ways.
Clustering clustering(const Graph& g);

}  // namespace reference
