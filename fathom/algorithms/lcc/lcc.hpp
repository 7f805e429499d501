// Local clustering coefficients: how many of a vertex's neighbours are neighbours.
#pragma once

#include <cstdint>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct LccResult {
  Array<double> coefficient;  // [vertices]: 0 to 1
  double average = 0;         // of all vertices; 0 of none
  double transitivity = 0;    // links / pairs; 0 without pairs
  std::uint64_t links = 0;    // ordered pairs with an edge from one to the other, of all vertices
  std::uint64_t pairs = 0;    // ordered pairs of neighbours of a vertex, of all vertices
  RunReport report;
};

/// With N(v) the vertices that have an edge from or to v, without v: the share of the ordered pairs
/// (a, b) of two vertices in N(v) that have an edge from a to b. 0 where N(v) has fewer than two.
/// Parallel edges count once, loops do not count. In an undirected graph edges go both ways: that
/// is triangles over pairs of neighbours; in a directed one the LCC of LDBC Graphalytics (which is
/// not what others call the clustering of directed graphs). The average is over all vertices;
/// transitivity is the share of all ordered pairs together: in an undirected graph three times the
/// triangles over the paths of two edges.
///
/// @return  exact but for one rounding of each coefficient and those of the average, whose order
///          depends on the number of vertices alone: the same on every residency, executor and
///          number of devices.
/// @throws Error(DoesNotFit) also when the longest oriented list does not fit half of the page
///         frames, as of count_triangles(); Error(Usage) of a directed graph whose vertices twice
///         are more than ids can number; Error(Interrupted).
/// Cost: that of count_triangles(), and another read of each oriented edge. Of a directed graph
/// further lists are built in host memory for each run (graph::orient_mutual: at most 8 bytes per
/// edge and 16 per vertex), whose triangles are counted too. 20 bytes per vertex and device, and
/// per worker of a host 4 and a bit, or twice that. Source: Watts and Strogatz, "Collective
/// dynamics of 'small-world' networks", Nature 393, 1998; directed: Iosup et al., "LDBC
/// Graphalytics", PVLDB 9(13), 2016.
FATHOM_API LccResult local_clustering(const Context& ctx, const Graph& graph);

/// Checks a result by another method: oriented lists are shown to hold the graph's edges and
/// triangles are counted by merging, as verify_triangles() does; every coefficient has to be the
/// quotient of those counts. Of a directed graph the lists of mutual edges are checked too: each
/// edge has its two, and there are as many as the graph has edges beyond one for each pair.
/// @throws Error(VerificationFailed) naming the vertex and what is wrong.
/// Cost: that of verify_triangles(), for a directed graph three times, and its lists once more, one
/// by one; 16 bytes per vertex and device, directed 32, and 2 per edge.
FATHOM_API void verify_lcc(const Context& ctx, const Graph& graph, const LccResult& result);

}  // namespace fathom
