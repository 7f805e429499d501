// PageRank by power iteration.
#pragma once

#include <cstdint>
#include <span>

#include "fathom/core/array.hpp"
#include "fathom/exec/checkpoint/options.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

/// Whose conventions to follow where implementations differ.
enum class PagerankCompat {
  None,
  Networkx,  // stops at an L1 change below vertices * tolerance
  Gap,       // the rank of dangling vertices is lost; ranks then sum to less than 1
};

struct PagerankOptions {
  double alpha = .85;       // probability of following an edge, in [0, 1]
  double tolerance = 1e-6;  // stop when the ranks change by less in an iteration (L1), >= 0
  std::uint32_t max_iterations = 100;
  // Where the host's threads reach all edges, use new ranks at once, on undirected graphs with a
  // relaxation factor that is found on the way (docs/adr/0048); elsewhere solve these by conjugate
  // gradients (docs/adr/0035). Both read the edges fewer times. Neither is done without jumps, and
  // with a tolerance of 0 iterations are those of the walk. False: they always are (Jacobi), as on
  // a GPU with a directed graph (docs/adr/0022).
  bool in_place = true;
  bool weighted = false;  // follow edges in proportion to their weight; parallel edges add up
  PagerankCompat compat = PagerankCompat::None;
  /// Where jumps and the rank of dangling vertices go: one value >= 0 per vertex, any scale; empty:
  /// anywhere with equal probability.
  std::span<const double> personalization;
  /// Ranks to begin with, such as those of the graph before it changed: one value >= 0 per vertex,
  /// any scale; empty: where jumps go. The nearer they are, the fewer iterations it takes.
  std::span<const double> start;
  const CheckpointOptions* checkpoint = nullptr;  // null: none is written or gone on from
};

struct PagerankResult {
  Array<double> rank;            // [vertices]; sums to 1 (not with PagerankCompat::Gap)
  std::uint32_t iterations = 0;  // reads of the edges
  bool converged = true;         // false: max_iterations came first
  double residual = 0;           // L1 change of the ranks in the last iteration of the walk; with
                                 // a relaxation factor more, so that it bounds as much
  RunReport report;
};

/// The stationary distribution of a walk that follows out-edges and sometimes jumps.
///
/// A vertex without out-edges (weighted: without positive weight) is dangling: a walk there jumps.
///
/// @return  ranks within (residual + rounding) * alpha / (1 - alpha) of the exact ones (L1). What
///          is read per edge is rounded to float when the tolerance is at least 2^-20 (that is,
///          at the default) and the weight of each vertex's out-edges is from 2^-100 to 2^80, and
///          added up 16 at a time in float: the rounding is then at most 10 * 2^-24, less than any
///          such tolerance (by conjugate gradients: as much of all steps together, which seldom
///          add up to 2); else it is that of double. Results of different residencies, directions
///          and runs agree within the sum of their bounds; on one thread, or streamed with
///          in-edges, they are deterministic.
/// @throws Error(Usage) for an alpha outside [0, 1], a negative tolerance, a personalization or
///         a start of another size, with a negative or non-finite value or without a positive one;
///         Error(BadInput) for a negative or non-finite weight; Error(DoesNotFit);
///         Error(Interrupted).
/// Cost: one read of each edge per iteration: in-edges, updated in place when the host reaches all
/// (fewer iterations), else out-edges with atomic adds; 20 to 40 bytes per vertex and device, 8
/// more for conjugate gradients, which are left where state would have to be split for that.
/// Source: Page, Brin, Motwani and Winograd, 1999; dangling vertices as NetworkX treats them;
/// conjugate gradients: Hestenes and Stiefel, 1952; the relaxation factor: Young, 1954, and
/// Hageman and Young, 1981.
FATHOM_API PagerankResult pagerank(const Context& ctx, const Graph& graph,
                                   const PagerankOptions& options = {});

/// Checks a result by one more iteration, pushed in double precision: ranks are not negative, sum
/// to 1, and change by no more than the tolerance (unconverged: the residual) allows.
/// @throws Error(VerificationFailed) saying what is wrong.
FATHOM_API void verify_pagerank(const Context& ctx, const Graph& graph,
                                const PagerankOptions& options, const PagerankResult& result);

}  // namespace fathom
