// Truss numbers: in which dense parts of a graph each edge holds out.
#pragma once

#include <cstdint>
#include <span>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct KtrussOptions {
  std::uint32_t least = 2;  // only the edges of this truss are asked for: those below it are peeled
                            // at once, and their numbers are not found
  bool per_vertex = false;
  std::span<const VertexId> row = {};  // [vertices]: the place of each in the order of edges, of
                                       // which none has two; empty: its id
};

/// The edges of the simple graph, each once, from the end that comes first: those of the truss that
/// was asked for by their ends, then all others by theirs.
struct KtrussResult {
  Array<VertexId> u, v;         // [edges]
  Array<std::uint32_t> truss;   // [edges], from 2 on; 0: below KtrussOptions::least
  Array<std::uint32_t> layer;   // [edges]: the round, from 1 on, in which it was peeled off
  std::uint64_t rows = 0;       // edges of the truss that was asked for
  std::uint32_t greatest = 0;   // truss number; 0: no edge has one
  std::uint32_t layers = 0;     // rounds
  Array<std::uint32_t> vertex;  // [vertices] when asked for, else empty: the greatest truss number
                                // of its edges; 0: none has one
  RunReport report;
};

/// The largest k for which each edge belongs to the k-truss, the largest subgraph of which every
/// edge is in at least k - 2 triangles. An edge that is in no triangle has the number 2.
///
/// Of the underlying undirected simple graph: direction, loops and multiplicity of edges do not
/// matter, as to count_triangles().
///
/// @return  unique and deterministic, layers too.
/// @throws Error(Usage) for rows that are none; Error(DoesNotFit), also for more than 2^32 - 2
///         edges; Error(Interrupted).
/// Cost: one read of the degree-oriented lists, which are built where the store lacks them (as of
/// count_triangles()); then a search in the list of one end, of at most sqrt(2 * edges) entries,
/// for each neighbour that the end of fewer neighbours has left when an edge is peeled: at most
/// edges ^ 1.5 searches. All of the state is on each device: per edge of the simple graph two
/// vertex ids and 4 3/8 bytes, and per vertex two ids and 8 bytes. The result takes two ids and 8
/// bytes per edge, and while it is made one id and 4 bytes more, in host memory.
/// Source: Cohen, "Trusses", NSA, 2008; Wang and Cheng, "Truss decomposition in massive networks",
/// PVLDB 5(9), 2012; by rounds: Kabir and Madduri, "Shared-memory graph truss decomposition" (PKT),
/// HiPC 2017.
FATHOM_API KtrussResult truss_decomposition(const Context& ctx, const Graph& graph,
                                            const KtrussOptions& options = {});

/// Checks a result without peeling again, by the triangles of its edges, which it lists anew. Its
/// edges are those of the graph, each once. Each is in as many triangles of edges of no smaller
/// truss number as its own says: numbers are not too large. And it is in no more triangles than
/// that of its own and later layers, while numbers do not fall from layer to layer: whatever
/// contains it, the first edge of that to be peeled was in no more triangles, so that numbers are
/// not too small. Layers are as early as they can be.
/// @throws Error(VerificationFailed) naming the edge and what is wrong.
/// Cost: one read of each edge, with a search; at most edges ^ 1.5 steps of merging lists. Two ids
/// and 17 bytes per edge, 12 bytes per vertex, of host memory.
FATHOM_API void verify_ktruss(const Context& ctx, const Graph& graph, const KtrussOptions& options,
                              const KtrussResult& result);

}  // namespace fathom
