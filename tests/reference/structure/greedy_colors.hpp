// The colouring that asking vertices one by one finds, and the order of asking, as
// fathom/algorithms/color/color.hpp specifies it.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/reference/graph.hpp"

namespace reference {

/// The colour of each vertex.
std::vector<std::uint32_t> greedy_colors(const Graph& g, std::uint64_t seed);

}  // namespace reference
