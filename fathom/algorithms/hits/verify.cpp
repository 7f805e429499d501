// The certificate of hubs and authorities.
#include <cmath>
#include <numeric>
#include <string>

#include "fathom/algorithms/hits/functors.hpp"
#include "fathom/algorithms/hits/hits.hpp"
#include "fathom/algorithms/power/power_iteration.hpp"
#include "fathom/algorithms/refute.hpp"

namespace fathom {
namespace {

constexpr double kRounding = 1e-9;

/// Whether the values sum to 1, and not to 0.
bool check_values(const Graph& graph, std::span<const double> value, const char* name) {
  if (value.size() != graph.vertices()) refute("hits", "not one value per vertex");
  double sum = 0;
  for (std::size_t v = 0; v < value.size(); ++v) {
    if (!(value[v] >= 0 && std::isfinite(value[v])))
      refute_value("hits", static_cast<VertexId>(v), value[v], "a number of at least 0");
    sum += value[v];
  }
  if (sum != 0 && std::abs(sum - 1) > kRounding)
    refute("hits", std::string(name) + " sum to " + std::to_string(sum));
  return sum != 0;
}

double scale_of(std::span<const double> value) {
  return 1 / std::accumulate(value.begin(), value.end(), 0.0);
}

template <bool kWeighted>
void check_step(const Context& ctx, const Graph& graph, const HitsResult& result) {
  const Array<double> received = received_from<kWeighted>(ctx, graph, result.hub.span());
  const double off =
      step_length(result.authority.span(), received.span(), HubStep{scale_of(received.span())});
  if (!(off <= kRounding))
    refute("hits", "authorities are " + std::to_string(off) + " from those of the hubs");
  const Array<double> returned = returned_from<kWeighted>(ctx, graph, result.authority.span());
  const double found =
      step_length(result.hub.span(), returned.span(), HubStep{scale_of(returned.span())});
  if (!(std::abs(found - result.residual) <= kRounding))
    refute("hits", "one more step changes hubs by " + std::to_string(found) + ", not by " +
                       std::to_string(result.residual));
}

}  // namespace

void verify_hits(const Context& ctx, const Graph& graph, const HitsOptions& options,
                 const HitsResult& result) {
  const bool hubs = check_values(graph, result.hub.span(), "hubs");
  const bool authorities = check_values(graph, result.authority.span(), "authorities");
  if (graph.vertices() == 0) return;
  if (hubs != authorities) refute("hits", "hubs or authorities are 0, and not both");
  if (result.converged != (result.residual < options.tolerance || result.residual == 0))
    refute("hits", "the reported residual contradicts the reported convergence");
  const bool weighted = options.weighted && graph.weighted();
  if (hubs)
    return weighted ? check_step<true>(ctx, graph, result) : check_step<false>(ctx, graph, result);
  const Array<double> one(graph.vertices(), 1.0, ctx.host_memory());
  const Array<double> sum = weighted ? returned_from<true>(ctx, graph, one.span())
                                     : returned_from<false>(ctx, graph, one.span());
  for (std::size_t v = 0; v < sum.size(); ++v)
    if (sum[v] != 0) refute_vertex("hits", v, "points somewhere, and all hubs are 0");
}

}  // namespace fathom
