// The matching that asking edges one by one finds, as fathom/algorithms/matching/matching.hpp
// specifies it.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/reference/graph.hpp"

namespace reference {

struct Matching {
  std::vector<Vertex> partner;  // kNone without one
  std::vector<float> weight;    // of the edge to the partner; 0 without one
  Vertex edges = 0;
};

/// `g` is undirected.
Matching greedy_matching(const Graph& g, std::uint64_t seed);

}  // namespace reference
