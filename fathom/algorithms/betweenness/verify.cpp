// The check of betweenness: what a serial search finds again of some sources.
#include <cmath>
#include <string>

#include "fathom/algorithms/betweenness/parts.hpp"
#include "fathom/algorithms/betweenness/serial_brandes.hpp"
#include "fathom/algorithms/refute.hpp"

namespace fathom {
namespace {

// Sums in another order differ by rounding alone.
constexpr double kRelative = 1e-9;

void compare(const Array<double>& is, const Array<double>& expected) {
  for (VertexId v = 0; v < expected.size(); ++v)
    if (!(std::abs(is[v] - expected[v]) <= kRelative * (std::abs(expected[v]) + 1e-6)))
      refute_value("betweenness", v, is[v], std::to_string(expected[v]));
}

/// What holds of the whole result when only some sources were recomputed.
void check_bounds(ListReader& lists, const Array<double>& is, const Array<double>& part) {
  for (VertexId v = 0; v < part.size(); ++v) {
    if (!std::isfinite(is[v])) refute_value("betweenness", v, is[v], "a finite value");
    if (is[v] < part[v] * (1 - kRelative))
      refute_value("betweenness", v, is[v], "at least " + std::to_string(part[v]));
    if (lists.degree(v) == 0 && is[v] != 0)
      refute_value("betweenness", v, is[v], "0, as no path leaves it");
  }
}

}  // namespace

void verify_betweenness(const Context& ctx, const Graph& graph, const BetweennessOptions& options,
                        const BetweennessResult& result, VertexId samples) {
  if (result.centrality.size() != graph.vertices())
    throw Error(ErrorCode::VerificationFailed, "betweenness: there is not one value per vertex");

  const bool whole = result.sources.size() <= samples;
  std::vector<VertexId> sources = result.sources;
  if (!whole) {
    sources.clear();
    for (VertexId i = 0; i < samples; ++i)
      sources.push_back(result.sources[result.sources.size() * i / samples]);
  }
  Array<double> expected(graph.vertices(), 0, ctx.host_memory());
  {
    SerialBrandes serial(ctx, graph.out(), options.weighted, options.targets);
    for (const VertexId s : sources) {
      ctx.task().check();
      serial.run(
          s, [](VertexId, VertexId, Weight, double) {},
          [&](VertexId v, double dependency) { expected[v] += dependency; });
    }
  }
  const double scale = betweenness_scale(graph, options, result.sources.size());
  for (double& value : expected) value *= scale;
  if (whole) {
    compare(result.centrality, expected);
    return;
  }
  check_bounds(*graph.out().read_lists(), result.centrality, expected);
  if (sources.empty()) return;
  BetweennessOptions few = options;
  few.samples = 0;
  few.sources = sources;
  const double rescale = scale / betweenness_scale(graph, few, sources.size());
  BetweennessResult again = betweenness(ctx, graph, few);
  for (double& value : again.centrality) value *= rescale;
  compare(again.centrality, expected);
}

}  // namespace fathom
