// PageRank by power iteration in double precision.
#pragma once

#include "tests/reference/graph.hpp"

namespace reference {

/// What becomes of the rank of vertices without out-edges (weighted: without positive weight).
enum class Dangling {
  Spread,  // according to the personalization, as NetworkX does
  Drop     // lost, as in the GAP benchmark: ranks then sum to less than 1
};

struct PagerankOptions {
  double alpha = .85;
  double tolerance = 1e-12;  // stop when the L1 change of an iteration is below
  int max_iterations = 1000;
  bool weighted = false;  // follow edges in proportion to their weight; parallel edges add up
  Dangling dangling = Dangling::Spread;
  /// Where random jumps land, one entry per vertex, scaled to sum 1 here; empty: anywhere.
  std::vector<double> personalization;
};

struct PagerankResult {
  std::vector<double> rank;
  int iterations = 0;
  bool converged = false;
};

PagerankResult pagerank(const Graph& g, const PagerankOptions& options = {});

}  // namespace reference
