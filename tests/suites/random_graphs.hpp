// Random graphs for property tests.
#pragma once

#include <rapidcheck.h>

#include "tests/suites/zoo.hpp"

namespace zoo {

/// Up to 60 vertices; from almost empty to dense, with loops and parallel edges. Weights are 0 to 7
/// units: sums are exact when the unit is a power of two.
inline RawGraph random_graph(bool weighted, float unit = 0.25f) {
  RawGraph g;
  g.name = "Random";
  g.vertices = *rc::gen::inRange<std::uint32_t>(1, 60);
  g.directed = *rc::gen::arbitrary<bool>();
  const auto end = rc::gen::inRange<std::uint32_t>(0, g.vertices);
  g.edges = *rc::gen::container<std::vector<Pair>>(rc::gen::pair(end, end));
  if (weighted)
    for (std::size_t i = 0; i < g.edges.size(); ++i)
      g.weights.push_back(static_cast<float>(*rc::gen::inRange(0, 8)) * unit);
  return g;
}

}  // namespace zoo
