// Breadth-first search on ranks, several levels between two exchanges: for graphs that are long
// rather than wide. Thousands of levels with few vertices each would wait for each other, and tell
// every rank of every vertex, where a handful of edges lead from one rank's vertices to another's.
//
// A rank searches on among the vertices whose lists it has, and only then tells each other rank
// which of its vertices it has come to, and at what depth. What was found too far away because a
// nearer way comes by another rank is corrected when that is told (label correcting), so depths are
// exact. Ranks go on together from the least depth that anybody has to go on from, and the more
// levels at a time the less had to be corrected.
#pragma once

#include <span>

#include "fathom/algorithms/bfs/bfs.hpp"

namespace fathom::detail {

/// Beyond so many edges per vertex, searches have few levels (R-MAT, uniform graphs), and bits of
/// all vertices are less than what is told of them one by one.
inline constexpr EdgeId kMostEdgesOfLong = 8;

/// Whether ranks search a graph so: each sees whole lists in memory of its own, and vertices have
/// few edges, as those of roads and meshes. The same on all ranks, which ask together.
bool searches_by_rank(const Context& ctx, const Graph& graph);

/// bfs() so, pushing: for distinct sources that were checked.
/// Memory beside depths and parents: ids of the vertices found in a few levels. Cost: each rank
/// tells the others the vertices of theirs that it came to, a few bytes each; and in the end the
/// depths of its own, which take a byte or less where neighbours in the order of ids are alike (and
/// parents, which take an id each).
BfsResult bfs_by_rank(const Context& ctx, const Graph& graph, std::span<const VertexId> sources,
                      const BfsOptions& options);

}  // namespace fathom::detail
