// Closeness centrality as Wasserman and Faust write it down: a search from each source, one after
// the other.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/reference/graph.hpp"

namespace reference {

struct Closeness {
  std::vector<std::uint64_t> reached, distance_sum;  // [n]: of the sources but the vertex itself
  std::vector<double> value;                         // [n]
};

Closeness closeness(const Graph& g, const std::vector<Vertex>& sources);

}  // namespace reference
