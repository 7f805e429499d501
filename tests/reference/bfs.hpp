// Breadth-first search with a queue.
#pragma once

#include "tests/reference/graph.hpp"

namespace reference {

/// Number of edges on a shortest path from the nearest source; -1 where there is none.
std::vector<std::int32_t> bfs_depths(const Graph& g, const std::vector<Vertex>& sources);

}  // namespace reference
