// Single-source shortest paths by Bellman and Ford's algorithm: all edges, as often as there are
// vertices.
#pragma once

#include "tests/reference/graph.hpp"

namespace reference {

/// Length of a shortest path from the source, summed in float or double; infinity where there is
/// none, -infinity for vertices on and behind negative cycles. Sums have to be exact where a graph
/// has cycles.
std::vector<float> bellman_ford_float(const Graph& g, Vertex source);
std::vector<double> bellman_ford_double(const Graph& g, Vertex source);

/// The sum of the lightest edges from each vertex to the next and from the last to the first.
double cycle_weight(const Graph& g, const std::vector<Vertex>& cycle);

}  // namespace reference
