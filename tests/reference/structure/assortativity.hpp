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

}  // namespace reference
