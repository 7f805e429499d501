// Reciprocity: how many edges of a directed graph have one back.
#pragma once

#include <cstdint>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct ReciprocityResult {
  Array<EdgeId> answered;   // [vertices]: out-edges with an edge back
  std::uint64_t edges = 0;  // of the graph that have one
  double reciprocity = 0;   // edges / all edges; NaN without any
  RunReport report;
};

/// Counts the edges u -> v for which there is an edge v -> u. Parallel edges count each, as often
/// as they are there; a loop has no edge back, but is one of all edges.
///
/// @return  exact: the same on every residency, executor and number of devices.
/// @throws Error(Usage) for an undirected graph; Error(DoesNotFit); Error(Interrupted).
/// Cost: two reads of each edge, in the lists of either direction; those of as many vertices at a
/// time are compared as have half as many entries as there are vertices, so that many pages at the
/// borders of these are read twice. A vertex of more entries than that takes two reads of its own
/// lists and a pass over all vertices. Without in-edges, lists of these are built in host memory
/// for each run, 4 bytes per edge and 8 per vertex (ids of 64 bits: 8 and 8). 13 bytes and a bit
/// per vertex and device (ids of 64 bits: 18). Source: Newman, Forrest and Balthrop, "Email
/// networks and the spread of computer viruses", Physical Review E 66, 2002, section III.
FATHOM_API ReciprocityResult reciprocity(const Context& ctx, const Graph& graph);

/// Counts again on the host, vertex by vertex: its lists are read, sorted and searched. In-edges
/// that are built are compared with the out-edges by a sum of hashes.
/// @throws Error(VerificationFailed) naming the vertex and what is wrong.
/// Cost: one read of each list, sorted; two ids for each entry of the longest one.
FATHOM_API void verify_reciprocity(const Context& ctx, const Graph& graph,
                                   const ReciprocityResult& result);

}  // namespace fathom
