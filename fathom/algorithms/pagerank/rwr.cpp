#include "fathom/algorithms/pagerank/rwr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fathom/algorithms/pagerank/walk.hpp"
#include "fathom/exec/checkpoint/run.hpp"

namespace fathom {
namespace {

[[noreturn]] void refuse_walk(const std::string& what) {
  throw Error(ErrorCode::Usage, "random walk: " + what);
}

/// Where the walk restarts, each as often as it is named.
std::vector<std::pair<VertexId, double>> restarts(const Graph& graph,
                                                  std::span<const VertexId> sources) {
  if (sources.empty()) refuse_walk("at least one source is needed");
  std::map<VertexId, double> times;
  for (const VertexId s : sources) {
    if (s >= graph.vertices())
      refuse_walk("source " + std::to_string(s) + " is out of range: the graph has " +
                  std::to_string(graph.vertices()) + " vertices");
    ++times[s];
  }
  std::vector<std::pair<VertexId, double>> shares(times.begin(), times.end());
  for (auto& [v, share] : shares) share /= static_cast<double>(sources.size());
  return shares;
}

}  // namespace

PagerankOptions as_pagerank(const RwrOptions& options) {
  if (!(options.restart >= 0 && options.restart <= 1))
    refuse_walk("restart is a probability, not " + std::to_string(options.restart));
  PagerankOptions pagerank;
  pagerank.alpha = 1 - options.restart;
  pagerank.tolerance = options.tolerance;
  pagerank.max_iterations = options.max_iterations;
  pagerank.weighted = options.weighted;
  return pagerank;
}

RwrResult random_walk_with_restart(const Context& ctx, const Graph& graph,
                                   std::span<const VertexId> sources, const RwrOptions& options) {
  const auto jumps = restarts(graph, sources);
  PagerankOptions as = as_pagerank(options);
  as.checkpoint = options.checkpoint;
  CheckpointSettings settings;
  if (options.checkpoint) {
    std::vector<VertexId> in_order(sources.begin(), sources.end());
    std::sort(in_order.begin(), in_order.end());
    settings = {{"restart", fmt::format("{}", options.restart)},
                {"tolerance", fmt::format("{}", options.tolerance)},
                {"weighted", fmt::format("{}", options.weighted)},
                {"sources", checkpoint_digest(std::as_bytes(std::span(in_order)))}};
  }
  PagerankResult walk = walk_from(ctx, graph, as, jumps, "rwr", settings);
  return {std::move(walk.rank), walk.iterations, walk.converged, walk.residual,
          std::move(walk.report)};
}

void verify_random_walk(const Context& ctx, const Graph& graph, std::span<const VertexId> sources,
                        const RwrOptions& options, const RwrResult& result) {
  std::vector<double> mass(graph.vertices(), 0.0);
  for (const auto& [v, share] : restarts(graph, sources)) mass[v] = share;
  PagerankResult walk;
  walk.rank = Array<double>::copy_of(result.probability.span());
  walk.iterations = result.iterations;
  walk.converged = result.converged;
  walk.residual = result.residual;
  PagerankOptions as = as_pagerank(options);
  as.personalization = mass;
  verify_pagerank(ctx, graph, as, walk);
}

}  // namespace fathom
