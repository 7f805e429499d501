// Betweenness centrality: exact, from sampled sources or from given ones; hops or weights.
#pragma once

#include <cstdint>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct BetweennessOptions {
  VertexId samples = 0;           // so many distinct random sources; 0: all vertices
  std::uint64_t seed = 0;         // of the sample
  std::vector<VertexId> sources;  // these instead; a repeated one counts as often as it is given
  // Paths to these alone, in any order; repetitions do not matter. Empty: to all vertices.
  std::vector<VertexId> targets;
  bool normalized = true;  // divide by (n - 1)(n - 2), the number of ordered pairs
  bool weighted = false;   // shortest by weight; a graph without weights counts hops
  int batch = 8;           // most sources to search from at once, by hops; 1: none share lists
};

struct BetweennessResult {
  Array<double> centrality;       // [vertices]
  std::vector<VertexId> sources;  // that were used
  int batch = 1;                  // most sources that were searched from at once
  RunReport report;
};

/// For each vertex v the sum, over ordered pairs (s, t) with s != v != t, of the share of shortest
/// s-t paths that pass through v; s a source, t a target.
///
/// Scaling is that of NetworkX (until 3.4): normalized values are divided by (n - 1)(n - 2), others
/// by 2 when the graph is undirected; with k of n vertices as sources all are multiplied by n / k,
/// unless targets are given (NetworkX's betweenness_centrality_subset).
///
/// @param graph  directed or not. Parallel edges that the build policy kept are separate paths;
///               merged ones are one. Self-loops do not matter.
/// Weighted: weights are at least 0; lengths are sums in double, compared exactly. An edge that
/// adds nothing to a length (weight zero) counts as an infinitesimal step: of the shortest paths
/// those with the fewest such edges count. Otherwise a cycle of zero weight would make the number
/// of shortest paths infinite.
/// @throws Error(Usage) for a source or target out of range, more samples than vertices, both
///         samples and sources, or a batch below 1; Error(DoesNotFit) when the number of shortest
///         paths to a vertex exceeds the range of double, or memory does not do; Error(BadInput)
///         for a negative weight; Error(Interrupted).
/// Cost per batch of K sources: two to four reads of each edge; 28 K + 12 bytes per vertex and
/// device, and on a host alone 4 bytes per vertex and level of it. K is 8, 4, 2 or 1, as many as
/// options, memory and sources allow; on one host whose lists are in reach at once, searches of
/// many levels, as of road networks, go on one by one (28 bytes per vertex). Weighted: K is 1,
/// about six reads of each edge. Targets take a bit per vertex and device. Deterministic up to the
/// rounding of sums in another order (relative 1e-9). Source: Brandes, "A faster algorithm for
/// betweenness centrality", Journal of Mathematical Sociology 25(2), 2001; of sources and targets:
/// Brandes, "On variants of shortest-path betweenness centrality and their generic computation",
/// Social Networks 30(2), 2008; several searches at once: Then et al., "The more the merrier", VLDB
/// 2014.
FATHOM_API BetweennessResult betweenness(const Context& ctx, const Graph& graph,
                                         const BetweennessOptions& options = {});

/// Compares with a serial Brandes that shares no code with betweenness(). With at most `samples`
/// sources the whole result is recomputed. With more, betweenness() is checked on `samples` of them
/// by value, and the result by what must hold of it: every value is finite, at least the part that
/// the sampled sources contribute, and zero for a vertex without out-edges.
/// @throws Error(VerificationFailed) naming a vertex; Error(Usage) when the edges cannot be read by
///         the host.
FATHOM_API void verify_betweenness(const Context& ctx, const Graph& graph,
                                   const BetweennessOptions& options,
                                   const BetweennessResult& result, VertexId samples = 8);

}  // namespace fathom
