// Parts of a graph: induced subgraphs and egonets, as graphs of their own.
#pragma once

#include <cstdint>
#include <span>

#include "fathom/algorithms/subgraph/neighborhood.hpp"
#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/graph/csr.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct SubgraphResult {
  Array<VertexId> vertices;  // ascending: vertex i of the subgraph is vertices[i] of the graph
  Csr out;                   // lists of the subgraph, in its own ids; weighted as the graph is
  RunReport report;
};

/// The subgraph of some vertices and all edges between them: parallel edges and loops too. An
/// undirected graph's is symmetric.
///
/// @param vertices  in [0, graph.vertices()), in any order; duplicates are harmless.
/// @return          unique and deterministic; in host memory.
/// @throws Error(Usage) for a vertex out of range; Error(DoesNotFit); Error(Interrupted).
/// Cost: two reads of the edges of the given vertices; 24 bytes per vertex and device, 8 MiB for a
/// batch of edges, and the result.
FATHOM_API SubgraphResult induced_subgraph(const Context& ctx, const Graph& graph,
                                           std::span<const VertexId> vertices);

/// Checks a result by one sweep over all edges: each vertex has as many edges to others of the set,
/// with the same sum of hashes of target and weight (a list that is wrong goes unnoticed with a
/// probability of 2^-64).
/// @throws Error(VerificationFailed) naming the vertex and what is wrong.
/// Cost: one read of each edge; 20 bytes per vertex and device.
FATHOM_API void verify_subgraph(const Context& ctx, const Graph& graph,
                                std::span<const VertexId> vertices, const SubgraphResult& result);

struct EgonetResult {
  NeighborhoodResult around;
  SubgraphResult graph;
  RunReport report;  // of both
};

/// The subgraph induced by what lies within some hops of a vertex, or of several.
/// @throws as neighborhood() and induced_subgraph() do, whose costs it has.
FATHOM_API EgonetResult egonet(const Context& ctx, const Graph& graph,
                               std::span<const VertexId> sources,
                               const NeighborhoodOptions& options = {});

/// verify_neighborhood() and verify_subgraph().
FATHOM_API void verify_egonet(const Context& ctx, const Graph& graph,
                              std::span<const VertexId> sources, const NeighborhoodOptions& options,
                              const EgonetResult& result);

}  // namespace fathom
