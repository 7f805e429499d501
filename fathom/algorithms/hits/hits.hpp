// Hubs and authorities: good hubs point to good authorities, which good hubs point to.
#pragma once

#include <cstdint>

#include "fathom/core/array.hpp"
#include "fathom/exec/checkpoint/options.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct HitsOptions {
  double tolerance = 1e-8;  // stop when hubs change by less in a step (L1); >= 0
  std::uint32_t max_iterations = 100;
  bool weighted = false;                          // edges count by their weights
  const CheckpointOptions* checkpoint = nullptr;  // null: none is written or gone on from
};

struct HitsResult {
  Array<double> hub, authority;  // [vertices] each; not negative, each sums to 1 (0 without edges)
  std::uint32_t iterations = 0;
  bool converged = true;  // false: max_iterations came first
  double residual = 0;    // L1 distance that one more step would take hubs
  RunReport report;
};

/// Authorities are the sums of the hubs that point to them, hubs those of the authorities they
/// point to, both scaled: the singular vectors of the adjacency matrix of its largest singular
/// value, by power iteration from equal hubs.
///
/// @return  hubs from which one more step goes less than `tolerance`, and what follows of them.
///          Rounding is that of double; executors and residencies agree within it. Where several
///          vectors belong to the largest value the one found is that nearest to equal hubs.
/// @throws Error(Usage) for a negative tolerance; Error(BadInput) for negative weights that show,
///         or weights too large together; Error(DoesNotFit); Error(Interrupted).
/// Cost: two reads of each edge per iteration, one of them of in-edges where there are any; 24
/// bytes per vertex and device. Source: Kleinberg, "Authoritative sources in a hyperlinked
/// environment", J. ACM 46(5), 1999.
FATHOM_API HitsResult hits(const Context& ctx, const Graph& graph, const HitsOptions& options = {});

/// Checks a result by one more step along out-edges: values are not negative and sum to 1,
/// authorities are those of the hubs, and hubs change as far as was said.
/// @throws Error(VerificationFailed) saying what is wrong.
FATHOM_API void verify_hits(const Context& ctx, const Graph& graph, const HitsOptions& options,
                            const HitsResult& result);

}  // namespace fathom
