// Graphs whose weights come near what a float can hold, at either end of it.
#pragma once

#include <vector>

#include "tests/suites/zoo.hpp"

namespace fathom::testing {

/// R-MAT graphs: all weights huge; all tiny; those of every other vertex huge, and of the rest
/// tiny.
inline std::vector<zoo::RawGraph> graphs_of_extreme_weights(bool directed) {
  struct Units {
    const char* name;
    float even, odd;  // of vertices
  };
  std::vector<zoo::RawGraph> graphs;
  for (const Units& units : {Units{"Huge", 0x1p118f, 0x1p118f}, Units{"Tiny", 0x1p-140f, 0x1p-140f},
                             Units{"HugeAndTiny", 0x1p118f, 0x1p-140f}}) {
    zoo::RawGraph& graph =
        graphs.emplace_back(zoo::weighted(zoo::rmat(directed), zoo::Weights::WithZero));
    graph.name += units.name;
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
      graph.weights[e] *= graph.edges[e].first % 2 == 0 ? units.even : units.odd;
  }
  return graphs;
}

}  // namespace fathom::testing
