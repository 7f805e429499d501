#include "fathom/algorithms/betweenness/betweenness.hpp"

#include <numeric>
#include <string>

#include "fathom/algorithms/betweenness/functors.hpp"
#include "fathom/algorithms/betweenness/hop_searches.hpp"
#include "fathom/algorithms/betweenness/parts.hpp"
#include "fathom/algorithms/betweenness/weighted_search.hpp"
#include "fathom/algorithms/check_sources.hpp"
#include "fathom/algorithms/multi_search/search_lists.hpp"
#include "fathom/algorithms/sample.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {

void check_betweenness(const Graph& graph, const BetweennessOptions& options) {
  if (options.samples > 0 && !options.sources.empty())
    throw Error(ErrorCode::Usage, "betweenness takes samples or sources, not both");
  if (options.samples > graph.vertices())
    throw Error(ErrorCode::Usage, "cannot sample " + std::to_string(options.samples) +
                                      " distinct sources: the graph has " +
                                      std::to_string(graph.vertices()) + " vertices");
  check_sources(graph, options.sources);
  for (const VertexId t : options.targets)
    if (t >= graph.vertices())
      throw Error(ErrorCode::Usage, "target " + std::to_string(t) +
                                        " is out of range: the graph has " +
                                        std::to_string(graph.vertices()) + " vertices");
  if (options.batch < 1)
    throw Error(ErrorCode::Usage, "betweenness searches from at least one source at a time, not " +
                                      std::to_string(options.batch));
}

std::vector<VertexId> betweenness_sources(const Graph& graph, const BetweennessOptions& options) {
  if (!options.sources.empty()) return options.sources;
  if (options.samples > 0) return sample_vertices(graph.vertices(), options.samples, options.seed);
  std::vector<VertexId> all(graph.vertices());
  std::iota(all.begin(), all.end(), VertexId{0});
  return all;
}

std::vector<RunLists::Lists> betweenness_lists(const Graph& graph, bool by_weight) {
  if (by_weight) return {{graph.out(), {kWholeList, true}}};
  return search_lists(graph, graph.has_in(), false);
}

double sources_share(const Graph& graph, const BetweennessOptions& options, std::size_t sources) {
  if (options.samples == 0 && options.sources.empty()) return 1;
  return static_cast<double>(graph.vertices()) / static_cast<double>(sources);
}

double betweenness_scale(const Graph& graph, const BetweennessOptions& options,
                         std::size_t sources) {
  const auto n = static_cast<double>(graph.vertices());
  double scale = 1;
  if (options.normalized)
    scale = graph.vertices() > 2 ? 1 / ((n - 1) * (n - 2)) : 1;
  else if (!graph.directed())
    scale = 0.5;
  if (options.targets.empty()) scale *= sources_share(graph, options, sources);
  return scale;
}

void throw_too_many_paths() {
  throw Error(ErrorCode::DoesNotFit,
              "the number of shortest paths between two vertices exceeds the range of double; "
              "betweenness is not defined numerically for this graph");
}

BetweennessResult betweenness(const Context& ctx, const Graph& graph,
                              const BetweennessOptions& options) {
  check_betweenness(graph, options);
  BetweennessResult result;
  result.sources = betweenness_sources(graph, options);
  const bool by_weight = options.weighted && graph.weighted();
  if (!by_weight)
    result.batch = hop_batch(ctx, graph, result.sources.size(), options.batch,
                             [](int batch) { return betweenness_state(false, batch); });
  const RunLists lists(ctx, betweenness_state(by_weight, result.batch),
                       betweenness_lists(graph, by_weight));
  Recorder record(ctx, graph.traffic());

  Scores score(ctx, graph.vertices(), 0.0);
  {
    const Targets targets(ctx, graph.vertices(), options.targets);
    ctx.task().begin("searching", result.sources.size(), "sources");
    if (by_weight) {
      std::uint64_t done = 0;
      for (const VertexId s : result.sources) {
        WeightedSearch(ctx, graph, targets, s, record).run(score);
        ctx.task().at(++done);
      }
    } else {
      const auto after = [](const auto&) {};
      SearchByHops(ctx, graph, targets, false, score, record, after)
          .run(result.sources, result.batch);
    }
    ctx.task().end();
  }

  const double scale = betweenness_scale(graph, options, result.sources.size());
  compute(ctx, graph.vertices(), [&](const Device& d) { return Scale{score.on(d), scale}; });
  result.report = record.finish();
  result.centrality = std::move(score).take();
  return result;
}

}  // namespace fathom
