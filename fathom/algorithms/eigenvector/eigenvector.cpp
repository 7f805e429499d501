#include "fathom/algorithms/eigenvector/eigenvector.hpp"

#include <fmt/format.h>

#include <string>

#include "fathom/algorithms/eigenvector/functors.hpp"
#include "fathom/algorithms/power/power_iteration.hpp"

namespace fathom {
namespace {

template <bool kWeighted>
EigenvectorResult iterate(const Context& ctx, const Graph& graph,
                          const EigenvectorOptions& options) {
  const auto n = static_cast<double>(graph.vertices());
  EigenvectorResult result;
  CheckpointRun saved(ctx, options.checkpoint,
                      {"eigenvector",
                       graph.vertices(),
                       graph.edges(),
                       {{"tolerance", fmt::format("{}", options.tolerance)},
                        {"weighted", fmt::format("{}", options.weighted)}}});
  PowerIteration<kWeighted> iteration(ctx, graph, "eigenvector", 1 / std::sqrt(n));
  PowerOutcome outcome = std::move(iteration).run(
      options.tolerance * n, options.max_iterations, saved,
      [&](auto& its) {
        const double norm = its.norm_after(EigenStep{});
        result.eigenvalue = norm - 1;
        return EigenStep{1 / norm};
      },
      [](double) {});
  result.centrality = std::move(outcome.value);
  result.iterations = outcome.iterations;
  result.converged = outcome.converged;
  result.residual = outcome.residual;
  result.report = std::move(outcome.report);
  return result;
}

}  // namespace

EigenvectorResult eigenvector(const Context& ctx, const Graph& graph,
                              const EigenvectorOptions& options) {
  if (!(options.tolerance >= 0))
    throw Error(ErrorCode::Usage,
                "eigenvector: the tolerance cannot be " + std::to_string(options.tolerance));
  if (options.max_iterations == 0)
    throw Error(ErrorCode::Usage, "eigenvector: at least one iteration is needed");
  if (graph.vertices() == 0) return {};
  return options.weighted && graph.weighted() ? iterate<true>(ctx, graph, options)
                                              : iterate<false>(ctx, graph, options);
}

}  // namespace fathom
