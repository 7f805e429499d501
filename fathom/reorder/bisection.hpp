// Recursive graph bisection (BP): halves of the vertices exchange members as long as that makes the
// gaps inside queries smaller, and so on inside each half.
//
// A query is a set of vertices that shall lie together: the neighbours of a vertex (BP), or a level
// of a sampled breadth-first search (BFS-BP, which minimises the MinIntraBFS cost of HALO
// directly).
#pragma once

#include <cstdint>
#include <span>

#include "fathom/core/array.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom::reorder {

/// For each vertex the queries it is in, each once.
struct QueryIndex {
  Array<EdgeId> offset;   // [vertices + 1]
  Array<VertexId> query;  // [offset.back()]
  VertexId queries = 0;
};

/// A query per vertex u: the vertices that u has an edge to.
/// Cost: one read of each edge; 4 bytes per edge and 8 per vertex in host memory.
QueryIndex neighbour_queries(const Context& ctx, const Graph& graph);

/// A query per level of a search from each source.
/// Cost: a MultiSearch for each 64 sources; 8 bytes per vertex and source in host memory.
QueryIndex level_queries(const Context& ctx, const Graph& graph, std::span<const VertexId> sources);

/// The vertices in the order of recursive bisection.
///
/// Each bisection starts from the order there is, and takes at most 20 iterations: move gains of
/// all vertices by the cost of equation 5, both halves sorted by gain, pairs exchanged while their
/// sum is positive. Gains are those before the exchange: a query that is split evenly may trade
/// halves with another one and stay split (of four equal cliques two can).
/// Deterministic whatever the threads. Cost: for each of log2(vertices) depths and
/// up to 20 iterations a read of the index; 24 bytes per vertex, and 16 per query and worker.
/// Source: Dhulipala et al., "Compressing graphs and indexes with recursive graph bisection", KDD
/// 2016; Gera et al., PVLDB 13(7), 2020, section 8.
Array<VertexId> bisect(const Context& ctx, const QueryIndex& index);

}  // namespace fathom::reorder
