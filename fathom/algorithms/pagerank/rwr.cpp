#include "fathom/algorithms/pagerank/rwr.hpp"

#include <fmt/format.h>

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

/// Where the walk restarts: one value per vertex.
std::vector<double> restarts(const Graph& graph, std::span<const VertexId> sources) {
  if (sources.empty()) refuse_walk("at least one source is needed");
  std::vector<double> mass(graph.vertices(), 0.0);
  for (const VertexId s : sources) {
    if (s >= graph.vertices())
      refuse_walk("source " + std::to_string(s) + " is out of range: the graph has " +
                  std::to_string(graph.vertices()) + " vertices");
    ++mass[s];
  }
  return mass;
}

}  // namespace

PagerankOptions as_pagerank(const RwrOptions& options, std::span<const double> restarts) {
  if (!(options.restart >= 0 && options.restart <= 1))
    refuse_walk("restart is a probability, not " + std::to_string(options.restart));
  PagerankOptions pagerank;
  pagerank.alpha = 1 - options.restart;
  pagerank.tolerance = options.tolerance;
  pagerank.max_iterations = options.max_iterations;
  pagerank.weighted = options.weighted;
  pagerank.personalization = restarts;
  return pagerank;
}

RwrResult random_walk_with_restart(const Context& ctx, const Graph& graph,
                                   std::span<const VertexId> sources, const RwrOptions& options) {
  const std::vector<double> mass = restarts(graph, sources);
  PagerankOptions as = as_pagerank(options, mass);
  as.checkpoint = options.checkpoint;
  CheckpointSettings settings;
  if (options.checkpoint)
    settings = {{"restart", fmt::format("{}", options.restart)},
                {"tolerance", fmt::format("{}", options.tolerance)},
                {"weighted", fmt::format("{}", options.weighted)},
                {"sources", checkpoint_digest(std::as_bytes(std::span(mass)))}};
  PagerankResult walk = walk_from(ctx, graph, as, "rwr", settings);
  return {std::move(walk.rank), walk.iterations, walk.converged, walk.residual,
          std::move(walk.report)};
}

void verify_random_walk(const Context& ctx, const Graph& graph, std::span<const VertexId> sources,
                        const RwrOptions& options, const RwrResult& result) {
  const std::vector<double> mass = restarts(graph, sources);
  PagerankResult walk;
  walk.rank = Array<double>::copy_of(result.probability.span());
  walk.iterations = result.iterations;
  walk.converged = result.converged;
  walk.residual = result.residual;
  verify_pagerank(ctx, graph, as_pagerank(options, mass), walk);
}

}  // namespace fathom
