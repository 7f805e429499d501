// Eigenvector centrality: important is who important ones point to.
#pragma once

#include <cstdint>

#include "fathom/core/array.hpp"
#include "fathom/exec/checkpoint/options.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct EigenvectorOptions {
  /// Stop when a step changes the values, all added up, by less than this times the vertices; >= 0.
  double tolerance = 1e-6;
  std::uint32_t max_iterations = 100;
  bool weighted = false;                          // edges count by their weights
  const CheckpointOptions* checkpoint = nullptr;  // null: none is written or gone on from
};

struct EigenvectorResult {
  Array<double> centrality;  // [vertices]; not negative, the squares sum to 1
  double eigenvalue = 0;     // of the adjacency matrix, as far as the iteration has come
  std::uint32_t iterations = 0;
  bool converged = true;  // false: max_iterations came first
  double residual = 0;    // L1 distance that one more step would go
  RunReport report;
};

/// The eigenvector of the largest eigenvalue of the transposed adjacency matrix: each value is that
/// of the vertices with an edge to it, added up, over the eigenvalue.
///
/// By power iteration with A + I from equal values, as NetworkX does. Where several vectors belong
/// to the largest eigenvalue (components that are alike) the one found is that nearest to equal
/// values; of graphs without cycles values only come nearer to those of the longest paths' ends,
/// and the iteration seldom converges.
///
/// @return  the values from which one more step goes less than tolerance * vertices (L1). Rounding
///          is that of double; executors and residencies agree within it.
/// @throws Error(Usage) for a negative tolerance; Error(BadInput) for negative weights that show,
///         or weights too large together; Error(DoesNotFit); Error(Interrupted).
/// Cost: one read of each edge per iteration, in-edges where there are any; 16 bytes per vertex and
/// device.
/// Source: Bonacich, "Factoring and weighting approaches to status scores and clique
/// identification", Journal of Mathematical Sociology 2(1), 1972.
FATHOM_API EigenvectorResult eigenvector(const Context& ctx, const Graph& graph,
                                         const EigenvectorOptions& options = {});

/// Checks a result by one more step, pushed along out-edges: values are not negative, their squares
/// sum to 1, and the step goes as far as was said.
/// @throws Error(VerificationFailed) saying what is wrong.
FATHOM_API void verify_eigenvector(const Context& ctx, const Graph& graph,
                                   const EigenvectorOptions& options,
                                   const EigenvectorResult& result);

}  // namespace fathom
