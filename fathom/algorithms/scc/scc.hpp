// Strongly connected components.
#pragma once

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct SccResult {
  Array<VertexId> label;  // [vertices]: the smallest vertex of the component
  VertexId components = 0;
  VertexId largest = 0;  // vertices of the largest component
  VertexId trivial = 0;  // components of a single vertex
  RunReport report;
};

/// Which vertices reach each other along the direction of edges. In an undirected graph these are
/// the connected components.
///
/// @return  labels are unique and deterministic.
/// @throws Error(DoesNotFit); Error(Interrupted).
/// Cost: vertices without an in- or an out-neighbour leave first, by an edge or more of each list;
/// then every edge of the vertices left once in either direction for the largest component, and
/// what it leaves a few times: of m edges within parts of n vertices O(m log^2 n) at worst, as
/// expected. Supersteps grow with the longest shortest paths. Without in-edges each backward
/// superstep reads the lists of all vertices still looked for. 8 bytes per vertex and device plus
/// frontiers.
/// Source: Slota, Rajamanickam and Madduri, "BFS and coloring-based parallel algorithms for
/// strongly connected components and related problems" (Multistep), IPDPS 2014. There colours are
/// ids; here they are drawn anew in every round and stay within those of the round before, which
/// leaves half of a vertex's ancestors at most, as expected, so that chains of components take
/// logarithmically many rounds.
FATHOM_API SccResult strongly_connected_components(const Context& ctx, const Graph& graph);

/// Checks a result by another method: each label is the smallest vertex of its class; along edges
/// within classes that vertex reaches and is reached by its whole class; and classes can be removed
/// one by one such that no edge of those left leads to the next, so that no component is larger.
/// @throws Error(VerificationFailed) naming the vertex and what is wrong.
/// Cost: four reads of every edge; without in-edges one of those is a read per superstep. With
/// several devices a pass over the vertices for each round of removals, as many as the longest
/// chain of components. 32 bytes per vertex and device at most, with 4-byte ids.
FATHOM_API void verify_scc(const Context& ctx, const Graph& graph, const SccResult& result);

}  // namespace fathom
