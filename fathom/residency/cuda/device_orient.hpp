// Degree-oriented lists (graph::orient_by_degree) made by a GPU, in its memory.
#pragma once

#include "fathom/core/array.hpp"
#include "fathom/residency/edge_view.hpp"

namespace fathom::cuda {

class Gpu;

struct OrientedArrays {
  Array<EdgeId> offset;  // [vertices + 1]
  Array<VertexId> target;
};

/// The lists of an undirected graph, each of which holds an edge in the lists of both ends, loops
/// and duplicates as they come: the same lists as graph::orient_by_degree makes of it.
/// Cost: three reads of each edge, two of a degree at random; memory as OrientNeeds says.
/// @throws Error(DoesNotFit)
OrientedArrays orient_by_degree(Gpu& gpu, const FlatEdges& out, VertexId vertices, EdgeId edges);

}  // namespace fathom::cuda
