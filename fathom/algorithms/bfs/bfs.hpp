// Breadth-first search, direction-optimising.
#pragma once

#include <cstdint>
#include <span>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

inline constexpr std::uint32_t kUnreached = ~std::uint32_t{0};

enum class Direction { Auto, Push, Pull };

struct BfsOptions {
  bool parents = false;
  Direction direction = Direction::Auto;
  std::uint32_t depth_limit = kUnreached;  // vertices farther than this stay unreached
  bool hints = true;  // when pulling, try each vertex's hint first, where the source has hints
};

struct BfsResult {
  Array<std::uint32_t> depth;  // [vertices], hops from the nearest source; kUnreached where none
  Array<VertexId> parent;      // [vertices] when asked for, else empty; a source is its own parent,
                               // kNoVertex where unreached
  VertexId reached = 0;
  std::uint32_t max_depth = 0;
  RunReport report;
};

/// Hop distances from the nearest of `sources` along out-edges.
///
/// @param graph    directed or not. Pulling reads in-edges; without them the search pushes.
/// @param sources  vertices in [0, graph.vertices()), at least one; duplicates are harmless.
/// @return         depths are unique; parents are any valid shortest-path tree.
/// @throws Error(Usage) for a source out of range or none, or Direction::Pull without in-edges or
///         under Strategy::Scalability; Error(DoesNotFit); Error(Interrupted).
/// Cost: at most one read of each edge reached plus alpha-bounded pulls; 4 bytes per vertex and
/// device (8 with parents) plus frontiers. Depths are deterministic, parents are not.
/// On several ranks that see whole lists of graphs with up to 8 edges per vertex, unless a
/// direction is asked for, each rank searches several levels among its own vertices before it tells
/// others what it came to (rank_levels.hpp); some edges are then read more than once. Source:
/// Beamer, Asanovic and Patterson, "Direction-optimizing breadth-first search", SC 2012.
FATHOM_API BfsResult bfs(const Context& ctx, const Graph& graph, std::span<const VertexId> sources,
                         const BfsOptions& options = {});

/// Checks a result without recomputing it: sources and only sources have depth 0; no edge skips a
/// level, so depths are no larger than the distances; every other reached vertex has an
/// in-neighbour (its parent, when given) one level above, so they are no smaller.
/// @throws Error(VerificationFailed) naming the vertex and what is wrong.
/// Cost: one sweep over all edges; 12 bytes per vertex and device.
FATHOM_API void verify_bfs(const Context& ctx, const Graph& graph,
                           std::span<const VertexId> sources, const BfsOptions& options,
                           const BfsResult& result);

}  // namespace fathom
