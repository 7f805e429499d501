#include "fathom/algorithms/harmonic/harmonic.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "fathom/algorithms/harmonic/functors.hpp"
#include "fathom/algorithms/multi_search/multi_search.hpp"
#include "fathom/algorithms/sample.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

std::vector<VertexId> choose_sources(VertexId vertices, const HarmonicOptions& options) {
  if (options.samples > vertices)
    throw Error(ErrorCode::Usage, "cannot sample " + std::to_string(options.samples) +
                                      " distinct sources: the graph has " +
                                      std::to_string(vertices) + " vertices");
  if (options.samples == 1 && vertices > 1)
    throw Error(ErrorCode::Usage, "harmonic centrality needs at least 2 samples, not 1");
  if (options.samples > 0) return sample_vertices(vertices, options.samples, options.seed);
  std::vector<VertexId> all(vertices);
  std::iota(all.begin(), all.end(), VertexId{0});
  return all;
}

}  // namespace

HarmonicResult harmonic(const Context& ctx, const Graph& graph, const HarmonicOptions& options) {
  const VertexId n = graph.vertices();
  HarmonicResult result;
  result.sources = choose_sources(n, options);
  const std::size_t k = result.sources.size();
  const std::uint64_t unit = std::uint64_t{1} << (63 - std::bit_width(k));

  MultiSearch search(ctx, graph, {}, harmonic_state());
  VertexArray<std::uint64_t> sum(ctx, n, 0);
  Recorder record(ctx, graph.traffic());
  ctx.task().begin("searching", k, "sources");
  for (std::size_t first = 0; first < k; first += MultiSearch::kMost) {
    const std::size_t count = std::min(MultiSearch::kMost, k - first);
    search.start(std::span(result.sources).subspan(first, count));
    for (search.step(record); search.alive() != 0; search.step(record)) {
      const std::uint64_t level = search.level();
      const std::uint64_t term = (unit + level / 2) / level;
      compute(ctx, search.frontier(), [&](const Device& d) {
        return AddHarmonic{search.arrived(d), sum.on(d), term};
      });
    }
    ctx.task().at(first + count);
  }
  ctx.task().end();

  const bool sampled = k > 1 && k < n;
  const double scale = (sampled ? (static_cast<double>(n) - 1) / static_cast<double>(k) : 1.0) /
                       static_cast<double>(unit);
  VertexArray<double> centrality(ctx, n);
  compute(ctx, n, [&](const Device& d) {
    return ScaleHarmonic{sum.on(d), centrality.on(d), scale};
  });
  result.report = record.finish();
  result.centrality = std::move(centrality).take();
  if (sampled)
    for (const VertexId s : result.sources)
      result.centrality[s] *= static_cast<double>(k) / static_cast<double>(k - 1);
  return result;
}

}  // namespace fathom
