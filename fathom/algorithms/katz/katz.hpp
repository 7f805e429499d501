// Katz centrality: all walks that end at a vertex, long ones less than short ones.
#pragma once

#include <cstdint>

#include "fathom/core/array.hpp"
#include "fathom/exec/checkpoint/options.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct KatzOptions {
  double alpha = .1;  // what an edge leaves of a walk; > 0, below one over the largest eigenvalue
  double beta = 1;    // what each vertex begins with; 1e-100 to 1e100
  /// Stop when a step changes the values, before they are scaled and all added up, by less than
  /// this times the vertices; >= 0.
  double tolerance = 1e-6;
  std::uint32_t max_iterations = 1000;
  bool weighted = false;                          // edges count by their weights
  bool normalized = true;                         // scale values so that their squares sum to 1
  const CheckpointOptions* checkpoint = nullptr;  // null: none is written or gone on from
};

struct KatzResult {
  Array<double> centrality;  // [vertices], positive
  double norm = 1;           // what the values were divided by
  std::uint32_t iterations = 0;
  bool converged = true;  // false: max_iterations came first
  double residual = 0;    // L1 distance that one more step would go, before scaling
  RunReport report;
};

/// The solution of x = alpha A^T x + beta: a walk of k edges to a vertex adds beta * alpha^k (times
/// its weights).
///
/// @return  the values from which one more step goes less than tolerance * vertices (L1), scaled.
///          Rounding is that of double; executors and residencies agree within it.
/// @throws Error(Usage) for an alpha that is not positive or so large that walks add up without
///         end, a beta out of its range, or a negative tolerance; Error(BadInput) for negative
///         weights that show; Error(DoesNotFit); Error(Interrupted).
/// Cost: one read of each edge per iteration, in-edges where there are any; 16 bytes per vertex and
/// device.
/// Source: Katz, "A new status index derived from sociometric analysis", Psychometrika 18(1), 1953.
FATHOM_API KatzResult katz(const Context& ctx, const Graph& graph, const KatzOptions& options = {});

/// Checks a result by one more step, pushed along out-edges: values are positive and scaled as
/// said, and the step goes as far as was said.
/// @throws Error(VerificationFailed) saying what is wrong.
FATHOM_API void verify_katz(const Context& ctx, const Graph& graph, const KatzOptions& options,
                            const KatzResult& result);

}  // namespace fathom
