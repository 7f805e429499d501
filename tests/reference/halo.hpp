// The orders of HALO as the paper writes them down: one vertex after the other.
#pragma once

#include "tests/reference/graph.hpp"

namespace reference {

/// For each vertex x the sum of 1 / d(y, x) over the sources y != x that reach it; the sums of
/// sources are multiplied by k / (k - 1) when `scale_sources` (Algorithm 2).
std::vector<double> harmonic_sums(const Graph& g, const std::vector<Vertex>& sources,
                                  bool scale_sources);

/// Algorithm 3: the new position of each vertex. `centres`: all vertices in decreasing order of
/// centrality. Neighbours are taken in ascending order of their ids.
std::vector<Vertex> halo2_positions(const Graph& g, const std::vector<Vertex>& centres);

}  // namespace reference
