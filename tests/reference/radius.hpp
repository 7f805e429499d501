// Radii from sketches as HADI defines them, and exactly, by a search from every vertex.
#pragma once

#include "tests/reference/graph.hpp"

namespace reference {

struct Radii {
  std::vector<std::uint32_t> effective;  // per vertex
  std::vector<std::uint32_t> farthest;   // per vertex: last hop at which anything new was found
  std::vector<double> pairs;             // [h]: pairs of vertices within h hops
};

/// Sketch k of vertex v starts with one bit: the lowest one of word(seed, v, k), at most bit 31.
/// Every round unites the sketches of a vertex with those its out-neighbours had before.
Radii sketched_radii(const Graph& g, unsigned sketches, std::uint64_t seed, double quantile);

Radii exact_radii(const Graph& g, double quantile);

/// Where `pairs` reaches the quantile of its last entry, on straight lines between hops.
double effective_diameter(const std::vector<double>& pairs, double quantile);

}  // namespace reference
