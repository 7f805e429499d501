// Minimum and maximum spanning forests of undirected graphs.
#pragma once

#include <cstdint>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct MsfOptions {
  bool maximum = false;  // of the heaviest edges instead
  bool weighted = true;  // else as if all weights were 1, and none is read
};

struct MsfResult {
  Array<VertexId> parent;  // [vertices]: in its tree; a root, the first vertex of its tree, is its
                           // own
  Array<Weight> weight;    // [vertices]: of the edge to the parent; 0 of a root
  double total = 0;        // of all weights, added by ascending vertices
  VertexId trees = 0;      // components of the graph
  VertexId edges = 0;      // vertices - trees
  std::uint32_t rounds = 0;
  RunReport report;
};

/// A forest of the graph's edges that connects what the graph connects, of the smallest sum of
/// weights (the largest with `maximum`). The edges are those from v to parent[v], for each v that
/// is not its own parent.
///
/// @param graph  undirected; weights finite, also negative; without weights all are 1. Loops do not
///               matter, of parallel edges the best does.
/// @return  Of edges with equal weights the one whose smaller end is smaller comes first, then the
///          one whose larger end is, for maximum forests too: the forest is unique, on every
///          residency, executor and number of devices.
/// @throws Error(Usage) for a directed graph; Error(BadInput) where an edge has another weight in
/// its
///         other direction, as far as that matters; Error(DoesNotFit); Error(Interrupted).
/// Cost: one read of each edge, then a vertex is read again only when the edge it knows no longer
/// leaves its tree and may be lighter than all that its tree knows; one tree, likely the largest,
/// waits for the others to choose (R-MAT, uniform graphs and grids: 1.8 to 2.6 reads of each edge
/// in 3 to 11 rounds). In a round a tree's path from the chosen edge to its root is walked by one
/// thread.
/// Five vertex ids, 4 bytes and a bit per vertex and device.
/// Source: Boruvka, 1926; hooks and shortcuts: Fallin, Gonzalez, Seo and Burtscher, "A high-
/// performance MST implementation for GPUs" (ECL-MST), SC 2023.
FATHOM_API MsfResult minimum_spanning_forest(const Context& ctx, const Graph& graph,
                                             const MsfOptions& options = {});

/// Checks a result without choosing again: its edges are the graph's and form no circle, roots are
/// the first vertices of their trees, no edge joins two trees, and none goes before the last edge,
/// in the order of weights and ends, of the path between its own ends.
/// @throws Error(VerificationFailed) naming the vertex and what is wrong.
/// Cost: one read of each edge, with up to 2 log2(vertices) steps; the edges of the forest are
/// sorted. Five vertex ids and 8 bytes per vertex and device.
FATHOM_API void verify_msf(const Context& ctx, const Graph& graph, const MsfOptions& options,
                           const MsfResult& result);

}  // namespace fathom
