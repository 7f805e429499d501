// PageRank and triangle counting in the forms of aimGraph's and faimGraph's papers, for comparisons
// with those of fathom/algorithms, which are faster and more general.
#pragma once

#include <cstdint>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/residency/edge_view.hpp"

namespace fathom::dynamic {

/// Who works on a list.
enum class PaperForm {
  Naive,     // one worker on each
  Balanced,  // one on each of its pages, or 128 edges of contiguous lists, which are found first
};

struct PaperRanks {
  Array<double> rank;          // [vertices]; the rank of vertices without edges is lost
  double balance_seconds = 0;  // of finding pages; also part of the time of the call
};

struct PaperTriangles {
  std::uint64_t total = 0;
  double balance_seconds = 0;
};

/// So many iterations from equal ranks, each of which pushes along every edge by an atomic
/// addition.
///
/// `edges`: FlatEdges or DynamicEdges of so many vertices in memory that the context's only device
/// reads: EdgeSource::whole(), DynamicGraph::lists(). Equals pagerank() with PagerankCompat::Gap up
/// to the order of additions. On the CPU executor and on GPUs.
/// @throws Error(Usage) for other layouts or several devices; Error(DoesNotFit);
/// Error(Interrupted). Cost: a read of each edge and an atomic addition per iteration; 16 bytes per
/// vertex; balanced 8 more, and 32 to 40 per page. Source: section 4.4.3 of Winter's thesis.
FATHOM_API PaperRanks paper_pagerank(const Context& ctx, const AnyEdges& edges, VertexId vertices,
                                     PaperForm form, std::uint32_t iterations, double alpha = .85);

/// Triangles, by testing whether any two lower neighbours of a vertex are tied.
///
/// `edges` as above, of an undirected graph without loops and duplicates whose lists ascend, as
/// those of linked layouts without sorted_links do until edges are inserted (else triangles are
/// missed). Deterministic.
/// @throws as paper_pagerank().
/// Cost: a search for every pair; 8 bytes per vertex; balanced as above.
/// Source: section 4.4.2 of Winter's thesis.
FATHOM_API PaperTriangles paper_triangles(const Context& ctx, const AnyEdges& edges,
                                          VertexId vertices, PaperForm form);

}  // namespace fathom::dynamic
