// Graphs for communities: one where everyone agrees on them, and those of the zoo that have any.
#pragma once

#include <vector>

#include "tests/suites/zoo.hpp"

namespace zoo {

/// Cliques of six in a ring, an edge from each to the next.
inline RawGraph ring_of_cliques(std::uint32_t cliques) {
  RawGraph raw{"Ring", 6 * cliques, false, {}, {}};
  for (std::uint32_t c = 0; c < cliques; ++c) {
    for (const Pair& edge : clique_edges(6 * c, 6)) raw.edges.push_back(edge);
    raw.edges.emplace_back(6 * c + 5, 6 * ((c + 1) % cliques));
  }
  return raw;
}

inline std::vector<RawGraph> undirected_graphs() {
  std::vector<RawGraph> graphs = all_graphs();
  std::erase_if(graphs, [](const RawGraph& raw) { return raw.directed; });
  return graphs;
}

}  // namespace zoo
