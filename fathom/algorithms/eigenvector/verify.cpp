// The certificate of eigenvector centrality.
#include <cmath>
#include <string>

#include "fathom/algorithms/eigenvector/eigenvector.hpp"
#include "fathom/algorithms/eigenvector/functors.hpp"
#include "fathom/algorithms/power/power_iteration.hpp"
#include "fathom/algorithms/refute.hpp"

namespace fathom {

void verify_eigenvector(const Context& ctx, const Graph& graph, const EigenvectorOptions& options,
                        const EigenvectorResult& result) {
  constexpr double kRounding = 1e-9;
  const std::span<const double> value = result.centrality.span();
  if (value.size() != graph.vertices()) refute("eigenvector", "not one value per vertex");
  if (value.empty()) return;
  for (std::size_t v = 0; v < value.size(); ++v)
    if (!(value[v] >= 0 && std::isfinite(value[v])))
      refute_value("eigenvector", static_cast<VertexId>(v), value[v], "a number of at least 0");
  if (const double norm = norm_of(value); std::abs(norm - 1) > kRounding)
    refute("eigenvector", "the squares of the values sum to " + std::to_string(norm * norm));
  const auto n = static_cast<double>(value.size());
  if (result.converged != (result.residual < options.tolerance * n))
    refute("eigenvector", "the reported residual contradicts the reported convergence");

  const Array<double> received = options.weighted && graph.weighted()
                                     ? received_from<true>(ctx, graph, value)
                                     : received_from<false>(ctx, graph, value);
  double squares = 0;
  for (std::size_t v = 0; v < value.size(); ++v) {
    const double next = EigenStep{}.of(value[v], received[v]);
    squares += next * next;
  }
  const double norm = std::sqrt(squares);
  if (std::abs(norm - 1 - result.eigenvalue) > kRounding * norm)
    refute("eigenvector", "the eigenvalue is " + std::to_string(norm - 1) + ", not " +
                              std::to_string(result.eigenvalue));
  const double found = step_length(value, received.span(), EigenStep{1 / norm});
  if (!(std::abs(found - result.residual) <= kRounding * (1 + result.residual)))
    refute("eigenvector", "one more step changes the values by " + std::to_string(found) +
                              ", not by " + std::to_string(result.residual));
}

}  // namespace fathom
