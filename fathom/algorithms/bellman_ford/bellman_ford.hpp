// Single-source shortest paths with weights of any sign, or negative cycles: Bellman-Ford.
#pragma once

#include <vector>

#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct BellmanFordOptions {
  SsspPrecision precision = SsspPrecision::Float;
};

struct BellmanFordResult {
  Array<Weight> distance;         // [vertices], from the source; kInfinity where there is no path,
                                  // -kInfinity behind a negative cycle
  Array<double> double_distance;  // the same of precision Double; the other one is empty
  VertexId reached = 0;           // vertices with a path from the source, the source among them
  VertexId without = 0;           // those of them that have no distance, -kInfinity
  std::vector<std::vector<VertexId>>
      cycles;  // of negative weight, no vertex twice: an edge leads from each to the next, and from
               // the last to the first, which is the smallest. The others without a distance are
               // behind one of them.
  double cycle_weight = 0;  // the sum of the first one's lightest edges
  RunReport report;

  bool has_distances() const { return cycles.empty(); }
};

/// Lengths of the shortest paths from `source` along out-edges, by rounds that relax the edges of
/// vertices whose distance fell in the round before. Now and then a cycle is looked for among the
/// edges that distances come from: once twice as many edges have been relaxed as there are, or
/// twice as many rounds gone by, so that it is found early, and for little. Where one has a
/// negative weight its vertices and those behind it have no distance, others have theirs all the
/// same.
///
/// @param graph    directed or not, weights finite; without weights every edge has length 1. An
///                 undirected edge leads both ways: a negative one is a cycle.
/// @param source   in [0, graph.vertices()).
/// @return         distance[v] is the smallest, over all walks to v, of the weights summed in float
///                 (or double) from the source on. Rounded addition is monotone, so this is well
///                 defined, and the same on every residency, executor and number of devices; so are
///                 rounds and cycles. Sums that are not exact may lose what makes a cycle negative:
///                 it is then not found. Those of integers are exact up to 2^24, in double 2^53.
/// @throws Error(Usage) for a source out of range; Error(BadInput) for a reachable weight that is
///         not finite, a distance below -3.4e38 (in double -1.8e308), or a cycle that is not
///         negative but whose rounded sums fall for ever; Error(DoesNotFit); Error(Interrupted).
/// Cost: a superstep per edge of the longest shortest path, at most one per vertex between cycles;
/// edges of vertices whose distance falls, each time it does, and up to half as many to look for
/// cycles, where a weight is negative. 12 bytes per vertex and device, 20 in double, a vertex id,
/// and two frontiers.
/// Source: Bellman, "On a routing problem", Quarterly of Applied Mathematics 16(1), 1958; when to
/// look for cycles: Cherkassky and Goldberg, "Negative-cycle detection algorithms", Mathematical
/// Programming 85(2), 1999.
FATHOM_API BellmanFordResult bellman_ford(const Context& ctx, const Graph& graph, VertexId source,
                                          const BellmanFordOptions& options = {});

/// Proves a result without relaxing again. The source has distance 0, or none; no edge offers a
/// shorter way; every vertex with a distance hangs on the source by edges that add up exactly; one
/// without is reached from there and from a cycle that is named; and the edges of each cycle exist,
/// and have a negative sum, which is exact.
/// @throws Error(VerificationFailed) naming a vertex and what is wrong.
/// Cost: three reads of each edge at most; 8 bytes per vertex and device, 12 in double.
FATHOM_API void verify_bellman_ford(const Context& ctx, const Graph& graph, VertexId source,
                                    const BellmanFordResult& result);

}  // namespace fathom
