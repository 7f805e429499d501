// Connected components; weak ones on directed graphs.
#pragma once

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct ComponentsOptions {
  /// Link a few edges first and skip the component that these find; without it every edge is linked
  /// once.
  bool sample = true;
};

struct ComponentsResult {
  Array<VertexId> label;  // [vertices]: the smallest vertex of the component
  VertexId components = 0;
  VertexId largest = 0;  // vertices of the largest component
  RunReport report;
};

/// Which vertices are connected, whatever the direction of the edges.
///
/// @return  labels are unique and deterministic.
/// @throws Error(Usage) for a directed graph without in-edges under Strategy::Scalability, where
///         labels spread along edges; Error(DoesNotFit); Error(Interrupted).
/// Cost: an edge of each vertex (none where a GPU has hints), up to eight of the vertices that are
/// then roots of trees, then all edges of the vertices outside what these joined into one component
/// (in-edges too on directed graphs; without in-edges, all edges); 4 bytes per vertex and device
/// plus a bitmap.
/// Source: Sutton, Ben-Nun and Barak, "Optimizing parallel graph connectivity computation via
/// subgraph sampling" (Afforest), IPDPS 2018. There a second edge of every vertex is linked: edges
/// of the roots alone, as Boruvka's rounds take them, join as many trees (docs/adr/0027).
FATHOM_API ComponentsResult connected_components(const Context& ctx, const Graph& graph,
                                                 const ComponentsOptions& options = {});

/// Checks a result by another method: each label is the smallest vertex of its class, no edge joins
/// two classes, and a union-find over all edges arrives at as many components.
/// @throws Error(VerificationFailed) naming the vertex and what is wrong.
/// Cost: two reads of every edge; 4 bytes per vertex and device.
FATHOM_API void verify_components(const Context& ctx, const Graph& graph,
                                  const ComponentsResult& result);

}  // namespace fathom
