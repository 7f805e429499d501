// Hints for searches that pull: each vertex's neighbour with the longest list.
#pragma once

#include "fathom/exec/frontier.hpp"
#include "fathom/residency/edge_view.hpp"

namespace fathom::cuda {

class Gpu;

/// hint[v] for every v of the range, kNoVertex where the list is empty; in device memory. The lists
/// are not those of a graph that changes, nor filtered. Cost: one read of each edge.
void find_hints(const Gpu& gpu, const AnyEdges& edges, VertexRange of, VertexId* hint);

}  // namespace fathom::cuda
