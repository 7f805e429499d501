// Single-source shortest paths with non-negative weights: delta-stepping.
#pragma once

#include <limits>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

inline constexpr Weight kInfinity = std::numeric_limits<Weight>::infinity();

struct SsspOptions {
  Weight delta = 0;  // width of a bucket; 0: chosen from the weights and degrees
};

struct SsspResult {
  Array<Weight> distance;  // [vertices], from the source; kInfinity where there is no path
  VertexId reached = 0;    // vertices with a finite distance, the source among them
  Weight delta = 0;        // the width that was used
  RunReport report;
};

/// Lengths of the shortest paths from `source` along out-edges.
///
/// @param graph    directed or not, weights finite and at least 0 (zero is fine); without weights
///                 every edge has length 1.
/// @param source   in [0, graph.vertices()).
/// @return         distance[v] is the smallest, over all paths to v, of the weights summed in float
///                 from the source on. Rounded addition is monotone, so this is well defined, the
///                 same on every executor and for every delta, and equal to Dijkstra's answer in
///                 float arithmetic. A path whose sum overflows counts as none.
/// @throws Error(Usage) for a source out of range or a delta that is negative or NaN;
///         Error(BadInput) for a reachable weight that is negative or NaN; Error(DoesNotFit);
///         Error(Interrupted).
/// Cost: about one to two reads of each edge reached; 4 bytes per vertex and device, and 8 per
/// pending entry (one host) or three bitmaps. Deterministic.
/// Source: Meyer and Sanders, "Delta-stepping: a parallelizable shortest path algorithm", Journal
/// of Algorithms 49(1), 2003; bucket fusion: Zhang et al., CGO 2020.
FATHOM_API SsspResult sssp(const Context& ctx, const Graph& graph, VertexId source,
                           const SsspOptions& options = {});

/// Proves a result without recomputing it. The source has distance 0; no edge offers a shorter way
/// (so no distance is too large); and every reached vertex hangs on the source by edges that add up
/// exactly, found by passing marks along such edges from the source (so no distance is too small).
/// Marks start at the source alone: vertices on a cycle of zero weight cannot vouch for each other.
/// @throws Error(VerificationFailed) naming a vertex and what is wrong.
/// Cost: two reads of each edge; 8 bytes per vertex and device.
FATHOM_API void verify_sssp(const Context& ctx, const Graph& graph, VertexId source,
                            const SsspResult& result);

}  // namespace fathom
