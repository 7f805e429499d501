// Hints for searches that pull: each vertex's neighbour with the longest list.
#pragma once

#include "fathom/residency/edge_view.hpp"

namespace fathom::cuda {

class Gpu;

/// hint[v] for every v below `vertices`, kNoVertex where the list is empty; in device memory.
/// Instantiated for the layouts of unweighted lists. Cost: one read of each edge.
template <class E>
void find_hints(const Gpu& gpu, const E& edges, VertexId vertices, VertexId* hint);

}  // namespace fathom::cuda
