// Modularity, and the Louvain method one vertex after the other (Blondel et al., 2008).
#pragma once

#include <vector>

#include "tests/reference/graph.hpp"

namespace reference {

/// Of an undirected graph; a loop counts twice.
double modularity(const Graph& g, const std::vector<Vertex>& community, double resolution = 1);

/// Communities of an undirected graph: any number for each.
std::vector<Vertex> louvain(const Graph& g, double resolution = 1);

}  // namespace reference
