// Shortest paths where ranks go on by themselves: each along the lists of its own vertices, several
// buckets at a time, and then tells each other rank how near it has come to vertices of that one.
#pragma once

#include "fathom/algorithms/bfs/rank_steps.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/exec/vertex_array.hpp"

namespace fathom::detail {

/// Whether there are several ranks on hosts, each with whole lists of its own vertices and memory
/// for bins of them, and the graph is as long as searches by rank are for (bfs/rank_levels.hpp): on
/// graphs of few hops nearly all vertices border on other ranks', and supersteps take .5 of the
/// time that this does. The same on all ranks.
bool finds_paths_by_rank(const Context& ctx, const Graph& graph);

/// distance, infinite but at the source, becomes that from there, on all ranks; `bad_weight` is set
/// as Relax does. Delta-stepping with buckets of `width` inside a rank; a way that comes by another
/// rank may be shorter than what was found, which is then corrected.
/// Cost: 5 to 14 bytes to the rank of a vertex whenever another one has come nearer to it, and all
/// distances once. Memory: 2 bits per vertex, and bins as bucket() has them, or less where there is
/// less.
/// @return  what all ranks looked at.
/// @throws Error(DoesNotFit)
template <class Length>
RankWork shortest_paths_by_rank(const Context& ctx, EdgeSource& edges, VertexId source,
                                Length width, VertexArray<Length, MergeMin>& distance,
                                std::uint32_t* bad_weight);

extern template RankWork shortest_paths_by_rank<float>(const Context&, EdgeSource&, VertexId, float,
                                                       VertexArray<float, MergeMin>&,
                                                       std::uint32_t*);
extern template RankWork shortest_paths_by_rank<double>(const Context&, EdgeSource&, VertexId,
                                                        double, VertexArray<double, MergeMin>&,
                                                        std::uint32_t*);

}  // namespace fathom::detail
