// Degree assortativity, edge by edge.
#pragma once

#include <vector>

#include "tests/reference/graph.hpp"

namespace reference {

struct Assortativity {
  double coefficient = 0;  // NaN where degrees do not vary
  std::vector<double> neighbor_degree;
  std::uint64_t loops = 0;
};

/// Out-degrees where edges begin and in-degrees where they end; of undirected graphs each edge both
/// ways, a loop once, which its vertex's degree counts twice.
Assortativity assortativity(const Graph& g);

/// Per vertex: its edges to vertices that have an edge to it, each; loops are none.
std::vector<std::uint64_t> answered_edges(const Graph& g);

struct Club {
  std::uint64_t degree = 0, vertices = 0, edges = 0;
};
/// Of an undirected graph: vertices of a degree above, and edges among them but loops, for 0 and
/// each degree that there is; of two vertices or more.
std::vector<Club> rich_clubs(const Graph& g);

}  // namespace reference
