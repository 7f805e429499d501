// Breadth-first searches from up to 64 sources at once.
#pragma once

#include <span>
#include <vector>

#include "fathom/algorithms/multi_search/multi_search.hpp"

namespace fathom {

struct MultiBfsResult {
  Array<std::uint32_t> depth;            // [sources x vertices], a row per source: hops from it;
                                         // kUnreached where it does not lead
  std::vector<VertexId> reached;         // [sources]: vertices with a depth
  std::vector<std::uint32_t> max_depth;  // [sources]
  RunReport report;

  /// Row i: the depths from sources[i].
  std::span<const std::uint32_t> depths(std::size_t i) const {
    const std::size_t vertices = depth.size() / reached.size();
    return depth.span().subspan(i * vertices, vertices);
  }
};

/// Hop distances from each of `sources` alone, along out-edges; a list that several searches need
/// at the same level is fetched once. For more sources, call it for 64 at a time; without need for
/// all depths, use MultiSearch.
///
/// @param graph    directed or not. Pulling reads in-edges; without them the searches push.
/// @param sources  1 to 64 vertices; a vertex given twice gets two equal rows.
/// @return         what bfs() gives for each source; deterministic.
/// @throws Error(Usage) for a source out of range, none or more than 64, or Direction::Pull without
///         in-edges; Error(DoesNotFit); Error(Interrupted).
/// Cost: at each level a read of each edge that leaves any search's frontier, or less by pulling.
/// 24 + 8 ceil(log2(max_depth + 1)) bytes per vertex and device plus frontiers; on the host 4 bytes
/// per source and vertex for the result.
/// Source: Then et al., "The more the merrier: efficient multi-source graph traversal", PVLDB 8(4),
/// 2014.
FATHOM_API MultiBfsResult multi_bfs(const Context& ctx, const Graph& graph,
                                    std::span<const VertexId> sources,
                                    const MultiBfsOptions& options = {});

/// Checks each row as verify_bfs() does, and what is said of it.
/// @throws Error(VerificationFailed) naming the source, the vertex and what is wrong.
/// Cost: a sweep over all edges per source; 8 bytes per vertex and device.
FATHOM_API void verify_multi_bfs(const Context& ctx, const Graph& graph,
                                 std::span<const VertexId> sources, const MultiBfsOptions& options,
                                 const MultiBfsResult& result);

}  // namespace fathom
