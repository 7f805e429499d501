// Biconnected components, bridges and articulation points.
#pragma once

#include <cstdint>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct BiconnectedResult {
  // [vertices]: the component of the edge from v to parent[v], called by the first vertex whose
  // edge to its parent is in it; a root, which has no such edge, is its own.
  Array<VertexId> component;
  Array<VertexId> parent;  // [vertices]: in its tree; a root, the first vertex of its tree, is its
                           // own
  Array<std::uint32_t> articulation;  // [vertices]: 1 where more parts are left without v, else 0
  Array<std::uint32_t> bridge;  // [vertices]: 1 where more are left without the edge from v to
                                // parent[v], else 0
  VertexId components = 0;
  VertexId bridges = 0;
  VertexId articulation_points = 0;
  VertexId largest = 0;  // vertices of the largest component, 0 without edges
  RunReport report;
};

/// Which edges lie on a common cycle: those are in one component. A component has the vertices v
/// with this component[v] and one more, the parent of some of them: the one next to the root. So
/// every edge is told by its ends: it is in the component of the end that has more steps to the
/// root, of either where they have as many.
///
/// @param graph  undirected. Loops do not matter, and parallel edges are one: a bridge may have
///               several of them.
/// @return  parents are those of minimum_spanning_forest() where all weights are 1: the same on
///          every residency, executor and number of devices.
/// @throws Error(Usage) for a directed graph; Error(DoesNotFit); Error(Interrupted).
/// Cost: that forest, one read of each edge, and another one for vertices outside of what is likely
/// to be the largest component, where some edge joins two branches (2 to 3 reads together of R-MAT,
/// uniform graphs and grids). In between the host numbers the trees, in one thread and about ten
/// steps per vertex, however high they are. Five vertex ids, 4 bytes and a bit per vertex and
/// device, of the forest; two ids more where that is the host.
/// Source: Dong, Wang, Gu and Sun, "Provably fast and space-efficient parallel biconnectivity"
/// (FAST-BCC), PPoPP 2023; its tree is any there, and numbers are those of a preorder.
FATHOM_API BiconnectedResult biconnected_components(const Context& ctx, const Graph& graph);

/// Checks a result by another method: parents are edges and make trees that no edge joins; then
/// each other edge closes a cycle with the path between its ends, whose edges are united one list
/// after the other, and what is united so is compared.
/// @throws Error(VerificationFailed) naming the vertex and what is wrong.
/// Cost: one read of each edge by the host, with a step for each edge of the forest once and a few
/// for each other edge; five vertex ids and a bit per vertex.
FATHOM_API void verify_biconnected(const Context& ctx, const Graph& graph,
                                   const BiconnectedResult& result);

}  // namespace fathom
