// How alike vertices are: what they share of their neighbours.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

/// With N(v) the neighbours of v, and C those that u and v have in common.
enum class SimilarityMeasure {
  Jaccard,             // |C| / |N(u) or N(v)|
  Overlap,             // |C| / the lesser of |N(u)| and |N(v)|
  AdamicAdar,          // the sum of 1 / ln |N(w)| over w in C
  ResourceAllocation,  // the sum of 1 / |N(w)| over w in C
  CommonNeighbors,     // |C|
};

/// Whether common neighbours count by their degrees.
inline bool weighs_neighbors(SimilarityMeasure measure) {
  return measure == SimilarityMeasure::AdamicAdar ||
         measure == SimilarityMeasure::ResourceAllocation;
}

struct SimilarityOptions {
  SimilarityMeasure measure = SimilarityMeasure::Jaccard;
  std::uint64_t k = 10;  // of best_similar(): at most so many of each vertex; at least 1
  // Of best_similar(): of these alone, whose repetitions do not matter. Empty: of every vertex.
  std::span<const VertexId> sources = {};
  // [vertices], of best_similar(): the place of each vertex in the order of rows, which ties are
  // decided by: distinct numbers below vertices. Empty: ids are.
  std::span<const VertexId> row = {};
};

struct SimilarityResult {
  std::uint64_t rows = 0;
  Array<VertexId> u, v;  // [rows], and what is behind them means nothing
  Array<double> value;   // [rows]
  double rounding = 0;   // of what each common neighbour adds, at most; 0: they are counted
  RunReport report;
};

/// The similarity of each of some pairs of two vertices, in their order: 0 without common
/// neighbours. Of the undirected simple graph: loops and multiplicity of edges do not matter.
///
/// @return  counts and their quotients are exact up to one rounding. Sums over neighbours are of
///          terms in fixed point, so that no order changes them: with b bits for the number of
///          the most neighbours of a vertex, each is off by at most 2^(b-63), which is `rounding`.
///          All are the same on every residency, executor and number of devices.
/// @throws Error(Usage) where edges have directions, or for a pair of one vertex or of what is no
///         vertex; Error(DoesNotFit), Error(Interrupted).
/// Cost: one read of each edge for degrees, then of the lists of pairs, sorted by their vertices:
/// as many at a time as have half as many entries as there are vertices. A longer list of one
/// vertex is read in parts. A pair takes a search for each entry of its shorter list in the longer
/// one. 47 bytes per vertex and device (64-bit ids: 65), 8 more where neighbours are weighed; of
/// the host 32 (48), and 24 per pair. Sources: Jaccard, 1901; Adamic and Adar, "Friends and
/// neighbors on the Web", Social Networks 25(3), 2003; Zhou, Lue and Zhang, "Predicting missing
/// links via local information", Eur. Phys. J. B 71(4), 2009.
FATHOM_API SimilarityResult similarity_of(const Context& ctx, const Graph& graph,
                                          std::span<const std::pair<VertexId, VertexId>> pairs,
                                          const SimilarityOptions& options = {});

/// The k most similar vertices of each, or of sources: of those with a common neighbour, neighbours
/// or not, best first, of equal ones those that come first. Rows are in the order of u.
///
/// @return, @throws  as of similarity_of(); Error(Usage) also for a row that is no order.
/// Cost: two reads of each edge, then of the lists of each vertex's neighbours: for as many
/// vertices at a time as have room for their candidates in a table of two cells per vertex. Time is
/// that of all paths of two edges. 73 bytes per vertex and device (64-bit ids: 97), 8 more where
/// neighbours are weighed; of the host 54 (68) and 16 per row (24), and 12 more (16) where devices
/// have a memory of their own.
FATHOM_API SimilarityResult best_similar(const Context& ctx, const Graph& graph,
                                         const SimilarityOptions& options = {});

/// Checks values by another method: the lists of u and v are read on the host, and their common
/// entries found by merging; sums over neighbours are made in floating point.
/// @throws Error(VerificationFailed) naming the pair, its value and what was expected.
/// Cost: a read of the lists of each pair, and one of every edge where neighbours are weighed; 8
/// bytes per vertex.
FATHOM_API void verify_similarity(const Context& ctx, const Graph& graph,
                                  std::span<const std::pair<VertexId, VertexId>> pairs,
                                  const SimilarityOptions& options, const SimilarityResult& result);

/// The same of rows that were chosen: each value is right, each vertex has at most k rows in their
/// order, of itself nobody; and of 64 of the vertices asked for, all who have a neighbour in common
/// with them are compared: nobody is missing who is better.
FATHOM_API void verify_best_similar(const Context& ctx, const Graph& graph,
                                    const SimilarityOptions& options,
                                    const SimilarityResult& result);

}  // namespace fathom
