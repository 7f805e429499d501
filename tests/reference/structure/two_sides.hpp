// The two sides of a bipartite graph, by a search from the first vertex of each component.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/reference/graph.hpp"

namespace reference {

/// 0 or 1 per vertex; -1 in a component with an odd cycle. Edges count in either direction.
std::vector<std::int64_t> two_sides(const Graph& g);

}  // namespace reference
