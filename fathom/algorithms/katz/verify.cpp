// The certificate of Katz centrality.
#include <cmath>
#include <string>

#include "fathom/algorithms/katz/functors.hpp"
#include "fathom/algorithms/katz/katz.hpp"
#include "fathom/algorithms/power/power_iteration.hpp"
#include "fathom/algorithms/refute.hpp"

namespace fathom {

void verify_katz(const Context& ctx, const Graph& graph, const KatzOptions& options,
                 const KatzResult& result) {
  constexpr double kRounding = 1e-9;
  const std::span<const double> value = result.centrality.span();
  if (value.size() != graph.vertices()) refute("katz", "not one value per vertex");
  if (value.empty()) return;
  for (std::size_t v = 0; v < value.size(); ++v)
    if (!(value[v] > 0 && std::isfinite(value[v])))
      refute_value("katz", static_cast<VertexId>(v), value[v], "a positive number");
  if (const double norm = norm_of(value);
      options.normalized ? std::abs(norm - 1) > kRounding : result.norm != 1)
    refute("katz", "the values are not scaled as was asked: their norm is " + std::to_string(norm));
  const auto n = static_cast<double>(value.size());
  if (result.converged != (result.residual < options.tolerance * n))
    refute("katz", "the reported residual contradicts the reported convergence");

  const Array<double> received = options.weighted && graph.weighted()
                                     ? received_from<true>(ctx, graph, value)
                                     : received_from<false>(ctx, graph, value);
  // The rule is linear but for beta: of scaled values it holds with a scaled beta.
  const double found =
      step_length(value, received.span(), KatzStep{options.alpha, options.beta / result.norm}) *
      result.norm;
  if (!(std::abs(found - result.residual) <=
        kRounding * (n * options.beta + result.norm + result.residual)))
    refute("katz", "one more step changes the values by " + std::to_string(found) + ", not by " +
                       std::to_string(result.residual));
}

}  // namespace fathom
