#include "fathom/algorithms/closeness/closeness.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "fathom/algorithms/closeness/functors.hpp"
#include "fathom/algorithms/multi_search/multi_search.hpp"
#include "fathom/algorithms/sample.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

std::vector<VertexId> closeness_sources(VertexId vertices, const ClosenessOptions& options) {
  if (options.samples > vertices)
    throw Error(ErrorCode::Usage, "cannot sample " + std::to_string(options.samples) +
                                      " distinct sources: the graph has " +
                                      std::to_string(vertices) + " vertices");
  if (options.samples == 1 && vertices > 1)
    throw Error(ErrorCode::Usage, "closeness centrality needs at least 2 samples, not 1");
  if (options.samples > 0) return sample_vertices(vertices, options.samples, options.seed);
  std::vector<VertexId> all(vertices);
  std::iota(all.begin(), all.end(), VertexId{0});
  return all;
}

/// Searches from the result's sources and adds up what arrives.
void add_up(const Context& ctx, const Graph& graph, ClosenessResult& result) {
  const std::size_t k = result.sources.size();
  MultiSearch search(ctx, graph, {}, closeness_state());
  VertexArray<VertexId> reached(ctx, graph.vertices(), 0);
  VertexArray<std::uint64_t> sum(ctx, graph.vertices(), 0);
  Recorder record(ctx, graph.traffic());
  ctx.task().begin("searching", k, "sources");
  for (std::size_t first = 0; first < k; first += MultiSearch::kMost) {
    const std::size_t count = std::min(MultiSearch::kMost, k - first);
    search.start(std::span(result.sources).subspan(first, count));
    for (search.step(record); search.alive() != 0; search.step(record))
      compute(ctx, search.frontier(), [&](const Device& d) {
        return AddDistances{search.arrived(d), reached.on(d), sum.on(d), search.level()};
      });
    ctx.task().at(first + count);
  }
  ctx.task().end();
  result.report = record.finish();
  result.reached = std::move(reached).take();
  result.distance_sum = std::move(sum).take();
}

}  // namespace

// NetworkX rounds in the same places.
double detail::closeness_of(VertexId reached, std::uint64_t distance_sum, std::size_t others) {
  if (reached == 0) return 0;
  const auto count = static_cast<double>(reached);
  return count / static_cast<double>(distance_sum) * (count / static_cast<double>(others));
}

ClosenessResult closeness(const Context& ctx, const Graph& graph, const ClosenessOptions& options) {
  const VertexId n = graph.vertices();
  ClosenessResult result;
  result.sources = closeness_sources(n, options);
  add_up(ctx, graph, result);

  result.centrality = Array<double>(n, ctx.host_memory());
  auto source = result.sources.begin();
  for (VertexId v = 0; v < n; ++v) {
    const bool searched = source != result.sources.end() && *source == v;
    if (searched) ++source;
    result.centrality[v] = detail::closeness_of(result.reached[v], result.distance_sum[v],
                                                result.sources.size() - (searched ? 1 : 0));
  }
  return result;
}

}  // namespace fathom
