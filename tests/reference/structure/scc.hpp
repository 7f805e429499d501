// Strongly connected components by Tarjan's search.
#pragma once

#include "tests/reference/graph.hpp"

namespace reference {

/// For each vertex the smallest vertex of its strong component.
std::vector<Vertex> strong_components(const Graph& g);

}  // namespace reference
