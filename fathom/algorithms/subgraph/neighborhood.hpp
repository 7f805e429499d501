// Neighbourhoods: what lies within a few hops of some vertices.
#pragma once

#include <cstdint>
#include <span>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

/// Which edges of a directed graph are followed.
enum class EdgeMode {
  Out,  // along their direction
  In,   // against it
  All,  // both ways
};

struct NeighborhoodOptions {
  std::uint32_t hops = 1;  // how far, below kUnreached
  EdgeMode mode = EdgeMode::Out;
};

struct NeighborhoodResult {
  Array<std::uint32_t> hops;  // [vertices], from the nearest source; kUnreached beyond the limit
  VertexId reached = 0;       // vertices, sources included
  std::uint32_t farthest = 0;
  RunReport report;
};

/// The vertices within `hops` of the nearest of `sources`.
///
/// @param sources  vertices in [0, graph.vertices()), at least one; duplicates are harmless.
/// @return         unique and deterministic.
/// @throws Error(Usage) for a source out of range or none, or for a mode that needs in-edges which
///         were not stored; Error(DoesNotFit); Error(Interrupted).
/// Cost: one read of each edge of the vertices nearer than `hops`; 4 bytes per vertex and device
/// plus frontiers.
FATHOM_API NeighborhoodResult neighborhood(const Context& ctx, const Graph& graph,
                                           std::span<const VertexId> sources,
                                           const NeighborhoodOptions& options = {});

/// Checks a result without searching again: sources and only sources are at 0 hops, nothing is
/// beyond the limit, no edge leads on by more than a hop, and whatever was reached has a neighbour
/// one hop nearer.
/// @throws Error(VerificationFailed) naming the vertex and what is wrong.
/// Cost: one read of each edge, by the out-lists; 8 bytes per vertex and device.
FATHOM_API void verify_neighborhood(const Context& ctx, const Graph& graph,
                                    std::span<const VertexId> sources,
                                    const NeighborhoodOptions& options,
                                    const NeighborhoodResult& result);

}  // namespace fathom
