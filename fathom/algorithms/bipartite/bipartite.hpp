// The two sides of a bipartite graph, or an odd cycle.
#pragma once

#include <cstdint>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

/// The side of vertices whose component has an odd cycle.
inline constexpr std::uint32_t kNoSide = ~std::uint32_t{0};

struct BipartiteResult {
  Array<std::uint32_t> side;     // [vertices]: 0 or 1, or kNoSide
  VertexId on_side[2] = {0, 0};  // vertices of each
  VertexId without = 0;          // vertices that have none
  std::vector<VertexId>
      cycle;  // an odd number: an edge joins each with the next, and the last with
              // the first, which is the smallest; empty: there is no such cycle
  RunReport report;

  bool bipartite() const { return cycle.empty(); }
};

/// Sides such that each edge joins two of them; the smallest vertex of a component is on side 0.
/// Edges count whatever their direction. Where a component has an odd cycle its vertices have no
/// side, those of other components have theirs all the same, and one such cycle is named. A loop is
/// an odd cycle of one vertex.
///
/// @return  sides are unique; the cycle is the same on every residency, executor and number of
///          devices: in the component of the first vertex without a side a search from there goes
///          on until an edge joins two that are equally far; of the first such edge by its smaller
///          end, then the other, both ends go back, each to the first neighbour that is nearer,
///          until they meet.
/// @throws Error(DoesNotFit); Error(Interrupted).
/// Cost: one read of each edge. To find a cycle one more of the component it is in, as far as it is
/// searched, and one to go back; supersteps up to the nearest such edge. Without in-edges each of
/// those reads the lists of all vertices that are not reached. 12 bytes per vertex and device, and
/// four bits.
/// Source: Tarjan and van Leeuwen, "Worst-case analysis of set union algorithms", J. ACM 31(2),
/// 1984, by trees whose links have a parity.
FATHOM_API BipartiteResult two_sides(const Context& ctx, const Graph& graph);

/// Checks a result by another method: sides differ across each edge; of two copies of each vertex,
/// of which edges join unlike ones, those of a vertex without a side are connected, and the copy of
/// one with a side leads to the smallest vertex's on side 0; and the cycle is odd, and its edges
/// exist.
/// @throws Error(VerificationFailed) naming the vertex and what is wrong.
/// Cost: one read of each edge; 20 bytes per vertex and device.
FATHOM_API void verify_bipartite(const Context& ctx, const Graph& graph,
                                 const BipartiteResult& result);

}  // namespace fathom
