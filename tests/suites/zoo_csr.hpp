// Zoo graphs as CSRs, through the library's builder.
#pragma once

#include <span>
#include <vector>

#include "fathom/graph/build.hpp"
#include "tests/suites/zoo.hpp"

namespace zoo {

/// Undirected graphs are symmetrised, directed ones get in-edges. The zoo's multigraphs compare
/// with the reference only when duplicates are kept (the default here) or merged on both sides.
inline fathom::graph::BuiltGraph build(
    const RawGraph& g, fathom::graph::Duplicates duplicates = fathom::graph::Duplicates::Keep) {
  std::vector<fathom::Edge> edges;
  for (const auto& [u, v] : g.edges) edges.push_back({u, v});
  fathom::graph::BuildOptions options;
  options.undirected = !g.directed;
  options.weighted = !g.weights.empty();
  options.duplicates = duplicates;
  return fathom::graph::build(
      g.vertices, [&](const auto& consume) { consume(edges, std::span(g.weights)); }, options);
}

}  // namespace zoo
