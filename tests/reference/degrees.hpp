// Degrees by counting.
#pragma once

#include "tests/reference/graph.hpp"

namespace reference {

struct Degrees {
  std::vector<std::uint64_t> out, in;  // per vertex; equal when undirected
};

/// Arcs at each vertex, parallel ones each; a loop of an undirected graph is one.
Degrees degrees(const Graph& g);

}  // namespace reference
