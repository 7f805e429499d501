// Reverse Cuthill-McKee: breadth-first, each vertex's neighbours by degree, backwards.
//
// Level by level, the sequential queue holds a level in the order of (first numbered neighbour,
// degree, id): a minimum over edges and a sort give the same order in parallel. All weak components
// go on together and are taken apart at the end.
#pragma once

#include "fathom/core/array.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom::reorder {

/// The vertices in reverse Cuthill-McKee order of the symmetrised graph (A + A^T), component by
/// component, the largest first. Each starts from a pseudo-peripheral vertex: of least degree in
/// the last level of a search from such a vertex, as long as searches get deeper, at most
/// kMostSearches times. Cost: for the searches and the numbering, each one read of each edge from
/// both its ends; without in-edges of a directed graph a read of all lists per level. 8 bytes per
/// vertex and device, 56 on the host. Deterministic. Source: George and Liu, "Computer solution of
/// large sparse positive definite systems", 1981; as in Gera et al., PVLDB 13(7), 2020, for
/// directed graphs.
Array<VertexId> rcm_order(const Context& ctx, const Graph& graph);

inline constexpr int kMostSearches = 8;

}  // namespace fathom::reorder
