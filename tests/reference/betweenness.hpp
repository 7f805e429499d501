// Betweenness centrality: Brandes, "A faster algorithm for betweenness centrality", J. Math. Soc.
// 25(2), 2001.
#pragma once

#include "tests/reference/graph.hpp"

namespace reference {

struct BetweennessOptions {
  bool weighted = false;
  bool normalized = true;
  /// Accumulate over these sources only, and scale by n / sources.size(); empty: all, unscaled.
  std::vector<Vertex> sources;
  /// Paths to these only, and nothing is scaled by sources; empty: to all.
  std::vector<Vertex> targets = {};
};

/// Sum over pairs (s, t), s != v != t, of the share of shortest s-t paths through v. Endpoints do
/// not count. Parallel edges are separate paths: merge them first where they should not be.
/// Scaling as NetworkX: normalized divides by (n - 1)(n - 2); otherwise undirected graphs by 2.
/// (NetworkX 2 leaves out the factor n / k for directed graphs without normalisation.)
///
/// Weighted: lengths are sums in double, compared exactly. A weight of zero counts as an
/// infinitesimal: of the shortest paths, those with the fewest zero-weight edges are counted.
/// Without this rule a cycle of zero weight would make their number infinite.
std::vector<double> betweenness(const Graph& g, const BetweennessOptions& options = {});

struct EdgeValue {
  Vertex u, v;
  double value;
};

/// Sum over pairs (s, t), s != t, of the share of shortest s-t paths that go along each edge:
/// Brandes, "On variants of shortest-path betweenness centrality", Social Networks 30(2), 2008. One
/// per edge, loops and parallel ones too, by (u, v), of parallel ones the greatest first; u <= v
/// where edges are undirected, and paths both ways count. Normalized divides by n (n - 1).
std::vector<EdgeValue> edge_betweenness(const Graph& g, const BetweennessOptions& options = {});

}  // namespace reference
