// Random walk with restart: how near every vertex is to some sources.
#pragma once

#include <cstdint>
#include <span>

#include "fathom/core/array.hpp"
#include "fathom/exec/checkpoint/options.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct RwrOptions {
  double restart = .15;     // probability of going back to a source, in [0, 1]
  double tolerance = 1e-6;  // stop when the probabilities change by less in an iteration (L1)
  std::uint32_t max_iterations = 100;
  bool weighted = false;                          // follow edges in proportion to their weight
  const CheckpointOptions* checkpoint = nullptr;  // null: none is written or gone on from
};

struct RwrResult {
  Array<double> probability;  // [vertices], of finding the walk there; sums to 1; 0 where it
                              // never comes
  std::uint32_t iterations = 0;
  bool converged = true;  // false: max_iterations came first
  double residual = 0;    // L1 change in the last iteration
  RunReport report;
};

/// The stationary distribution of a walk that follows out-edges and restarts at one of `sources`,
/// each with equal probability; so it does where no edge leads on. The same as PageRank whose jumps
/// all go to the sources: cost, precision and determinism are those of pagerank().
///
/// @param sources  vertices in [0, graph.vertices()), at least one; duplicates count twice.
/// @throws Error(Usage) for no source or one out of range, a restart probability outside [0, 1] or
///         a negative tolerance; and what pagerank() throws.
/// Source: Tong, Faloutsos and Pan, "Fast random walk with restart and its applications", ICDM
/// 2006, equation 1; dangling vertices as in personalised PageRank of NetworkX.
FATHOM_API RwrResult random_walk_with_restart(const Context& ctx, const Graph& graph,
                                              std::span<const VertexId> sources,
                                              const RwrOptions& options = {});

/// Checks a result by one more step of the walk; see verify_pagerank().
/// @throws Error(VerificationFailed) saying what is wrong.
FATHOM_API void verify_random_walk(const Context& ctx, const Graph& graph,
                                   std::span<const VertexId> sources, const RwrOptions& options,
                                   const RwrResult& result);

}  // namespace fathom
