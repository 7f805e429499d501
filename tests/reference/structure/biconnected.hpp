// Biconnected components by depth-first search and a stack of edges (Hopcroft and Tarjan, 1973).
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "tests/reference/graph.hpp"

namespace reference {

struct Biconnected {
  std::map<std::pair<Vertex, Vertex>, std::size_t> component;  // of each edge, smaller end first
  std::vector<std::size_t> edges;                              // of each component
  std::vector<std::size_t> vertices;                           // of each component
  std::vector<std::uint32_t> articulation;                     // [n]: 1 or 0
};

/// `g` is undirected; parallel edges are one, loops do not matter.
Biconnected biconnected(const Graph& g);

}  // namespace reference
