// The check of harmonic centrality: serial searches over lists read one at a time, forwards from
// sources and backwards from vertices.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fathom/algorithms/harmonic/harmonic.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/algorithms/serial_search.hpp"

namespace fathom {
namespace {

// Terms are rounded to integers; see harmonic().
constexpr double kRelativeError = 1e-8;

void compare(VertexId v, double is, double expected) {
  if (!(std::abs(is - expected) <= kRelativeError * (expected + 1e-3)))
    refute_value("harmonic", v, is, std::to_string(expected));
}

/// What harmonic() makes of sums over the sources.
struct Scaling {
  Scaling(VertexId n, const std::vector<VertexId>& sources) : source(n, false) {
    const auto k = static_cast<double>(sources.size());
    for (const VertexId s : sources) source[s] = true;
    if (sources.size() < 2 || sources.size() >= n) return;
    all = (static_cast<double>(n) - 1) / k;
    of_sources = k / (k - 1);
  }
  double operator()(VertexId v, double sum) const {
    return sum * all * (source[v] ? of_sources : 1);
  }
  std::vector<bool> source;
  double all = 1, of_sources = 1;
};

/// Some of many, spread evenly.
std::vector<VertexId> some_of(std::size_t many, VertexId few) {
  std::vector<VertexId> places;
  for (std::size_t i = 0; i < std::min<std::size_t>(few, many); ++i)
    places.push_back(static_cast<VertexId>(many * i / std::min<std::size_t>(few, many)));
  return places;
}

void check_backwards(const Context& ctx, const Graph& graph, const HarmonicResult& result,
                     const Scaling& scaled, VertexId few) {
  SerialSearch search(ctx, graph.in());
  std::vector<VertexId> vertices = some_of(graph.vertices(), few);
  const auto largest = std::max_element(result.centrality.begin(), result.centrality.end());
  vertices.push_back(static_cast<VertexId>(largest - result.centrality.begin()));
  for (const VertexId x : vertices) {
    double sum = 0;
    search.run(x, [&](VertexId y, std::uint64_t depth) {
      sum += scaled.source[y] ? 1 / static_cast<double>(depth) : 0;
    });
    compare(x, result.centrality[x], scaled(x, sum));
  }
}

}  // namespace

void verify_harmonic(const Context& ctx, const Graph& graph, const HarmonicOptions& options,
                     const HarmonicResult& result, VertexId few) {
  const VertexId n = graph.vertices();
  if (result.centrality.size() != n)
    throw Error(ErrorCode::VerificationFailed, "harmonic: there is not one value per vertex");
  if (result.sources.size() != (options.samples > 0 ? options.samples : n))
    throw Error(ErrorCode::VerificationFailed, "harmonic: there are not as many sources as asked");
  if (n == 0) return;
  const Scaling scaled(n, result.sources);
  const bool whole = result.sources.size() <= few;
  Array<double> part(n, 0, ctx.host_memory());
  {
    SerialSearch search(ctx, graph.out());
    for (const VertexId i : some_of(result.sources.size(), few))
      search.run(result.sources[i], [&](VertexId v, std::uint64_t depth) {
        part[v] += 1 / static_cast<double>(depth);
      });
  }
  for (VertexId v = 0; v < n; ++v) {
    const double is = result.centrality[v], expected = scaled(v, part[v]);
    if (!std::isfinite(is)) refute_value("harmonic", v, is, "a finite value");
    if (whole) compare(v, is, expected);
    if (is < expected * (1 - kRelativeError))
      refute_value("harmonic", v, is, "at least " + std::to_string(expected));
  }
  if (!whole && graph.has_in()) check_backwards(ctx, graph, result, scaled, few);
}

}  // namespace fathom
