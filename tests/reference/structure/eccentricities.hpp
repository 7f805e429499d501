// Eccentricities by a search from every vertex, one after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/reference/graph.hpp"

namespace reference {

/// [n]: edges to the farthest vertex that is reached along out-edges.
std::vector<std::uint32_t> eccentricities(const Graph& g);

/// 1 for the vertices of the largest component, of several that with the smallest vertex, whatever
/// the direction of the edges.
std::vector<bool> largest_component(const Graph& g);

}  // namespace reference
