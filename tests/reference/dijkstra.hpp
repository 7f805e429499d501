// Single-source shortest paths by Dijkstra's algorithm with a binary heap.
#pragma once

#include "tests/reference/graph.hpp"

namespace reference {

/// Length of a shortest path from the nearest source, summed in double (exact as long as the
/// weights span less than 29 binary orders of magnitude); infinity where there is none. Weights
/// must not be negative.
std::vector<double> dijkstra(const Graph& g, const std::vector<Vertex>& sources);

/// The same with sums rounded to float after every edge, as an engine in float has to do it.
std::vector<float> dijkstra_float(const Graph& g, Vertex source);

/// The same in double, along weights that a float need not hold.
struct WideArc {
  Vertex target;
  double weight;
};
std::vector<double> dijkstra_wide(const std::vector<std::vector<WideArc>>& out, Vertex source);

}  // namespace reference
