#include "fathom/algorithms/katz/katz.hpp"

#include <fmt/format.h>

#include "fathom/algorithms/katz/functors.hpp"
#include "fathom/algorithms/power/power_iteration.hpp"

namespace fathom {
namespace {

// Values this large have been growing for hundreds of iterations.
constexpr double kWithoutEnd = 1e150;

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::Usage, "katz: " + what);
}

void check_arguments(const KatzOptions& options) {
  if (!(options.alpha > 0 && std::isfinite(options.alpha)))
    refuse(fmt::format("alpha is a positive number, not {}", options.alpha));
  if (!(options.beta >= 1e-100 && options.beta <= 1e100))  // squares of values are numbers then
    refuse(fmt::format("beta is a number from 1e-100 to 1e100, not {}", options.beta));
  if (!(options.tolerance >= 0))
    refuse(fmt::format("the tolerance cannot be {}", options.tolerance));
  if (options.max_iterations == 0) refuse("at least one iteration is needed");
}

/// What a walk gains at each edge shows how large alpha could be.
[[noreturn]] void refuse_alpha(double alpha, double growth) {
  refuse(
      fmt::format("with alpha {} walks add up without end; on this graph it has to be below {:.4g}",
                  alpha, alpha / growth));
}

template <bool kWeighted>
KatzResult iterate(const Context& ctx, const Graph& graph, const KatzOptions& options) {
  const auto n = static_cast<double>(graph.vertices());
  const KatzStep step{options.alpha, options.beta};
  PowerIteration<kWeighted> iteration(ctx, graph, "katz", options.beta);
  double before = 0;
  CheckpointRun saved(ctx, options.checkpoint,
                      {"katz",
                       graph.vertices(),
                       graph.edges(),
                       {{"alpha", fmt::format("{}", options.alpha)},
                        {"beta", fmt::format("{}", options.beta)},
                        {"tolerance", fmt::format("{}", options.tolerance)},
                        {"weighted", fmt::format("{}", options.weighted)}}});
  saved.add("before", before);
  PowerOutcome outcome = std::move(iteration).run(
      options.tolerance * n, options.max_iterations, saved, [&](auto&) { return step; },
      [&](double length) {
        if (!(length < kWithoutEnd * options.beta)) refuse_alpha(options.alpha, length / before);
        before = length;
      });
  KatzResult result;
  result.centrality = std::move(outcome.value);
  result.iterations = outcome.iterations;
  result.converged = outcome.converged;
  result.residual = outcome.residual;
  result.report = std::move(outcome.report);
  if (!options.normalized) return result;
  result.norm = norm_of(result.centrality.span());
  for (double& value : result.centrality) value /= result.norm;
  return result;
}

}  // namespace

KatzResult katz(const Context& ctx, const Graph& graph, const KatzOptions& options) {
  check_arguments(options);
  if (graph.vertices() == 0) return {};
  return options.weighted && graph.weighted() ? iterate<true>(ctx, graph, options)
                                              : iterate<false>(ctx, graph, options);
}

}  // namespace fathom
