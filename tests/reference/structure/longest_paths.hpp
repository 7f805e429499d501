// The longest path that ends at each vertex, by trying all that could lead there.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/reference/graph.hpp"

namespace reference {

/// In edges; -1 where paths of any length lead: on a cycle, or behind one. `g` is directed.
std::vector<std::int64_t> longest_paths(const Graph& g);

}  // namespace reference
