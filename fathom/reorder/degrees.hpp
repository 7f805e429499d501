// Degrees of vertices in host memory, whether in-edges are stored or not.
#pragma once

#include "fathom/core/array.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom::reorder {

/// [vertices]. Without in-edges of a directed graph: one read of each edge.
Array<EdgeId> in_degrees(const Context& ctx, const Graph& graph);
/// [vertices]: edges in either direction; of an undirected graph, neighbours.
Array<EdgeId> all_degrees(const Context& ctx, const Graph& graph);

}  // namespace fathom::reorder
