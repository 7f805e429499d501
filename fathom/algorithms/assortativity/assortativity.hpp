// Degree assortativity: whether edges join vertices of like degrees.
#pragma once

#include <cstdint>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct AssortativityOptions {
  bool rich_club = false;
};

/// The vertices of a degree above `degree`, of which there are two at least, and the edges among
/// them.
struct RichClub {
  std::uint64_t degree = 0, vertices = 0, edges = 0;
  double coefficient = 0;  // edges, as a share of vertices (vertices - 1) / 2
  bool operator==(const RichClub&) const = default;
};

struct AssortativityResult {
  Array<double> neighbor_degree;  // [vertices]: the mean over a vertex's list; 0 where it is empty
  double coefficient = 0;         // -1 to 1; NaN where all ends, or all beginnings, are of a degree
  std::uint64_t loops = 0;
  // Where asked for: for 0 and each degree that a vertex has, ascending, as long as there is a
  // club.
  std::vector<RichClub> rich_club;
  RunReport report;
};

/// Pearson's correlation, over all edges, of the degrees at their ends: of a directed graph the
/// out-degree where an edge begins and the in-degree where it ends, of an undirected one degrees,
/// each edge counting in either direction. Parallel edges count each; a loop counts twice in an
/// undirected degree, and once as an edge. Mean degrees of neighbours are of the same ends: in a
/// directed graph in-degrees along out-edges.
///
/// A rich club (options.rich_club, undirected graphs) is counted without loops, but with parallel
/// edges each, so that only of a simple graph its coefficient is at most 1.
///
/// @return  sums are exact integers, so that results are the same on every residency, executor and
///          number of devices: a mean is rounded once, the coefficient as much as a few times.
/// @throws Error(Usage) for the rich club of a directed graph; Error(DoesNotFit);
/// Error(Interrupted).
/// Cost: one read of each edge, two of an undirected graph, for its loops, and without in-edges; 32
/// bytes per vertex and device. With a rich club one read and 8 bytes more. Source: Newman, "Mixing
/// patterns in networks", Physical Review E 67(2), 2003, equations 21 and 26; Zhou and Mondragon,
/// "The rich-club phenomenon in the Internet topology", IEEE Communications Letters 8(3), 2004.
FATHOM_API AssortativityResult degree_assortativity(const Context& ctx, const Graph& graph,
                                                    const AssortativityOptions& options = {});

/// Checks a result by another method: degrees are counted edge by edge, without lists' lengths, and
/// products are added up at the end of edges, where they were at the beginning; a rich club is
/// counted again edge by edge on the host.
/// @throws Error(VerificationFailed) naming the vertex and what is wrong.
/// Cost: two reads of each edge; 40 bytes per vertex and device.
FATHOM_API void verify_assortativity(const Context& ctx, const Graph& graph,
                                     const AssortativityResult& result);

}  // namespace fathom
