// Recursive graph bisection (BP): halves of the vertices exchange members as long as that makes the
// gaps inside queries smaller, and so on inside each half.
//
// A query is a set of vertices that shall lie together: the neighbours of a vertex (BP), or a level
// of a sampled breadth-first search (BFS-BP, which minimises the MinIntraBFS cost of HALO
// directly).
//
// Each bisection starts from the order there is, and takes at most 20 iterations: move gains of all
// vertices by the cost of equation 5, both halves sorted by gain, pairs exchanged while their sum
// is positive. Gains are those before the exchange: a query that is split evenly may trade halves
// with another one and stay split (of four equal cliques two can).
//
// Source: Dhulipala et al., "Compressing graphs and indexes with recursive graph bisection", KDD
// 2016; Gera et al., PVLDB 13(7), 2020, section 8.
#pragma once

#include <span>

#include "fathom/core/array.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom::reorder {

/// The vertices in the order of recursive bisection; a query is the vertices that some vertex has
/// an edge to.
///
/// Deterministic, whatever the threads and the host memory. What fits is bisected in memory: 4
/// bytes per edge and 52 per vertex, at least the same of a part and 12 per vertex. The parts of a
/// depth that do not fit are split together in up to 20 reads of all lists, with 40 bytes per
/// vertex (64-bit ids: 60) and the longest list.
/// @throws Error(DoesNotFit) naming the least host memory, when not even that fits.
/// Cost: two reads of each edge, and one more for each part that is then bisected in memory; for
/// each of log2(vertices) depths up to 20 reads of the queries.
Array<VertexId> bisect_by_neighbours(const Context& ctx, const Graph& graph);

/// The same; a query is a level of a search from one of the sources. Host memory: a byte per vertex
/// and source (2 where a search is deeper than 254, 4 beyond 65534) and 24 per vertex; while
/// searching what multi_bfs() takes for one source, or for more if that fits.
Array<VertexId> bisect_by_levels(const Context& ctx, const Graph& graph,
                                 std::span<const VertexId> sources);

}  // namespace fathom::reorder
