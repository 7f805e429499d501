// Topological levels of a directed acyclic graph, or a cycle.
#pragma once

#include <cstdint>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

/// The level of vertices on cycles and behind them.
inline constexpr std::uint32_t kNoLevel = ~std::uint32_t{0};

struct LevelsResult {
  Array<std::uint32_t> level;  // [vertices]: edges of the longest path that ends there; kNoLevel on
                               // a cycle, or behind one
  std::uint32_t levels = 0;    // how many there are: the longest path has one edge less
  VertexId without = 0;        // vertices that have none
  std::vector<VertexId> cycle;  // an edge leads from each to the next, and from the last to the
                                // first, which is the smallest; empty: there is no cycle
  RunReport report;

  bool acyclic() const { return cycle.empty(); }
};

/// The level of a vertex is the number of edges of the longest path that ends there: 0 without
/// in-edges. Where the graph has cycles, the vertices that none leads to have their levels all the
/// same, and one cycle is named. A loop is a cycle of one vertex.
///
/// @return  levels are unique; the cycle is the same on every residency, executor and number of
///          devices: the one arrived at from the first vertex without a level, going back to the
///          first source without one.
/// @throws Error(Usage) for an undirected graph; Error(DoesNotFit), also for a vertex of more than
///         2^32 - 2 in-edges (those that are not stored are not checked); Error(Interrupted).
/// Cost: one read of each edge, two without in-edges; a superstep per level. 8 bytes per vertex and
/// device (12 with several devices) plus frontiers.
/// Source: Kahn, "Topological sorting of large networks", CACM 5(11), 1962, a level at a time.
FATHOM_API LevelsResult topological_levels(const Context& ctx, const Graph& graph);

/// Checks a result without peeling again. Edges go from lower to higher levels, and no vertex with
/// a level has a source without; each of a level above 0 has a source on the one below, each
/// without a level a source without one, so that there is a cycle; and the edges of the one named
/// exist.
/// @throws Error(VerificationFailed) naming the vertex and what is wrong.
/// Cost: one read of each edge; 8 bytes per vertex and device, and a vertex id.
FATHOM_API void verify_levels(const Context& ctx, const Graph& graph, const LevelsResult& result);

}  // namespace fathom
