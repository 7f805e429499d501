// A graph whose communities everyone agrees on.
#pragma once

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

}  // namespace zoo
