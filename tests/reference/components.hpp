// Weakly connected components by union-find.
#pragma once

#include "tests/reference/graph.hpp"

namespace reference {

/// For each vertex the smallest vertex of its weak component.
std::vector<Vertex> components(const Graph& g);

}  // namespace reference
