// Single-source shortest paths with non-negative weights: delta-stepping.
#pragma once

#include <limits>
#include <span>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

inline constexpr Weight kInfinity = std::numeric_limits<Weight>::infinity();

/// What distances are summed in.
enum class SsspPrecision { Float, Double };

struct SsspOptions {
  // Width of a bucket, on one GPU the least; 0: chosen from the weights and degrees.
  double delta = 0;
  SsspPrecision precision = SsspPrecision::Float;
  // Weights in place of the graph's, for those that a float does not hold: [edges], in host memory,
  // in the order of the out-lists (an undirected edge is in two). With precision Double, where
  // kernels run on the host (emulated devices too), vertex state is not split, and the graph is
  // none that changes.
  std::span<const double> weights = {};
};

struct SsspResult {
  Array<Weight> distance;         // [vertices], from the source; kInfinity where there is no path
  Array<double> double_distance;  // the same of precision Double; the other one is empty
  VertexId reached = 0;           // vertices with a finite distance, the source among them
  double delta = 0;               // the width that was used
  RunReport report;
};

/// Lengths of the shortest paths from `source` along out-edges.
///
/// @param graph    directed or not, weights finite and at least 0 (zero is fine); without weights
///                 every edge has length 1.
/// @param source   in [0, graph.vertices()).
/// @return         distance[v] is the smallest, over all paths to v, of the weights summed in float
///                 (or double) from the source on. Rounded addition is monotone, so this is well
///                 defined, the same on every executor and for every delta, and equal to Dijkstra's
///                 answer in that arithmetic. A path whose sum overflows counts as none.
/// @throws Error(Usage) for a source out of range, a delta that is negative or NaN, or weights of
///         the caller that are not one per edge or cannot be followed here;
///         Error(BadInput) for a reachable weight that is negative or NaN; Error(DoesNotFit);
///         Error(Interrupted).
/// Cost: about one to two reads of each edge reached; 4 bytes per vertex and device, and 8 per
/// pending entry (one host) or three bitmaps; twice the bytes in double. Deterministic.
/// Source: Meyer and Sanders, "Delta-stepping: a parallelizable shortest path algorithm", Journal
/// of Algorithms 49(1), 2003; bucket fusion: Zhang et al., CGO 2020.
FATHOM_API SsspResult sssp(const Context& ctx, const Graph& graph, VertexId source,
                           const SsspOptions& options = {});

/// Proves a result without recomputing it. The source has distance 0; no edge offers a shorter way
/// (so no distance is too large); and every reached vertex hangs on the source by edges that add up
/// exactly, found by passing marks along such edges from the source (so no distance is too small).
/// Marks start at the source alone: vertices on a cycle of zero weight cannot vouch for each other.
/// @throws Error(VerificationFailed) naming a vertex and what is wrong.
/// Of `options` it uses the weights. Distances are those of the precision that the result has.
/// Cost: two reads of each edge; 8 bytes per vertex and device, 12 in double.
FATHOM_API void verify_sssp(const Context& ctx, const Graph& graph, VertexId source,
                            const SsspResult& result, const SsspOptions& options = {});

}  // namespace fathom
