// Modularity, and methods that move one vertex after the other: Louvain (Blondel et al., 2008), and
// Leiden (Traag, Waltman and van Eck, 2019) with the best choice in refinement.
#pragma once

#include <vector>

#include "tests/reference/graph.hpp"

namespace reference {

/// Of an undirected graph; a loop counts twice.
double modularity(const Graph& g, const std::vector<Vertex>& community, double resolution = 1);

/// Communities of an undirected graph: any number for each.
std::vector<Vertex> louvain(const Graph& g, double resolution = 1);
std::vector<Vertex> leiden(const Graph& g, double resolution = 1);

/// Whether edges that weigh something connect every community, inside it.
bool connects_each(const Graph& g, const std::vector<Vertex>& community);

}  // namespace reference
