// Algorithm 3 of HALO in parallel: centres one after the other, each followed by its neighbours.
//
// The sequential loop labels a vertex when it meets it first: in the turn of the best centre among
// the vertex itself and those with an edge to it. That turn is a minimum over edges, taken by all
// edges at once; within a turn the centre comes first, then its neighbours in the order of the
// list.
#pragma once

#include <span>

#include "fathom/core/array.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom::reorder {

/// @param centres  all vertices, the best first.
/// @param by_rank  the neighbours of a centre come in the order of `centres` instead of by id.
/// @return  the vertices in their new order.
/// Cost: one read of each edge; 8 bytes per vertex and device, 44 on the host.
Array<VertexId> with_neighbours(const Context& ctx, const Graph& graph,
                                std::span<const VertexId> centres, bool by_rank);

}  // namespace fathom::reorder
