// Random walks with restart from several sources, each alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fathom/algorithms/pagerank/rwr.hpp"

namespace fathom {

struct RwrEachOptions {
  RwrOptions walk;                      // its checkpoint is not looked at
  std::uint64_t k = ~std::uint64_t{0};  // at most so many vertices of each source
  int batch = 8;                        // walks at once, at most: 8, 4 or 1
  std::span<const VertexId> row = {};   // [vertices]: the place of each, by which equal ones are
                                        // ordered; empty: its id
};

struct RwrEachResult {
  // A row per source and vertex: those of a source together, by the order of sources; the most
  // probable ones first, of equal ones those that come first. None is 0.
  Array<VertexId> source, vertex;  // [at least rows]
  Array<double> probability;       // [at least rows], of finding the walk of the source there
  std::uint64_t rows = 0;

  struct End {
    std::uint32_t iterations = 0;
    bool converged = true;
    double residual = 0;  // L1 change in the last iteration
  };
  std::vector<End> ends;  // [sources]
  int batch = 1;          // walks at once, at most
  RunReport report;
};

/// What random_walk_with_restart() finds from each of `sources` alone, within the sum of the bounds
/// on both errors, (residual + rounding) * (1 - restart) / restart. Up to 8 walks go along each
/// edge while it is read once, and as far as the slowest of them needs; fewer where memory does not
/// suffice twice over, or vertex state is split: the blocks are of 8, of 4, or one by one.
///
/// @param sources  distinct vertices in [0, graph.vertices()), at least one.
/// @throws Error(Usage) for sources that are none, a k of 0 and rows that are none; and what
///         random_walk_with_restart() throws.
/// Cost: one read of each edge per iteration and block. Of each walk of a block 20 bytes per vertex
/// and device (24 in double, 8 less in place); in host memory 8 bytes and an id per vertex, 8 per
/// walk and vertex more where that is not the device's, and 8 and two ids per row.
FATHOM_API RwrEachResult random_walks_from_each(const Context& ctx, const Graph& graph,
                                                std::span<const VertexId> sources,
                                                const RwrEachOptions& options = {});

/// Checks a result source by source: its rows are in order, and, where all vertices have one, stand
/// one more step of the walk (verify_random_walk()). Of fewer a walk from the source alone, which
/// itself is checked so, is as probable at each of them, within the bounds on both errors, and no
/// more so anywhere else.
/// @throws Error(VerificationFailed) saying what is wrong.
FATHOM_API void verify_walks_from_each(const Context& ctx, const Graph& graph,
                                       std::span<const VertexId> sources,
                                       const RwrEachOptions& options, const RwrEachResult& result);

}  // namespace fathom
