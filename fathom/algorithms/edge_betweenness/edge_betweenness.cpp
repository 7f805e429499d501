#include "fathom/algorithms/edge_betweenness/edge_betweenness.hpp"

#include "fathom/algorithms/betweenness/hop_searches.hpp"
#include "fathom/algorithms/betweenness/parts.hpp"
#include "fathom/algorithms/betweenness/weighted_search.hpp"
#include "fathom/algorithms/check_rows.hpp"
#include "fathom/algorithms/edge_betweenness/entry_sums.hpp"
#include "fathom/algorithms/edge_betweenness/parts.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

/// Adds up what goes along edges when searches are over.
class EdgeShares {
 public:
  EdgeShares(const Graph& graph, detail::EntrySums& sums, Recorder& record)
      : graph_(graph), both_ways_(!graph.directed()), sums_(sums), record_(record) {}

  template <int K>
  void operator()(const HopSearches<K>& searches) const {
    add([&](const Device& d, const EntryWindow& window, double* sum) {
      return AddShares<HopShares<K>>{
          {searches.levels(d), searches.paths(d), searches.coefficients(d), both_ways_},
          window,
          sum};
    });
  }
  void operator()(const SingleSearch& search) const {
    add([&](const Device& d, const EntryWindow& window, double* sum) {
      return AddShares<SingleShares>{
          {search.levels(d), search.paths(d), search.coefficients(d), both_ways_}, window, sum};
    });
  }
  void operator()(const WeightedSearch& search) const {
    add([&](const Device& d, const EntryWindow& window, double* sum) {
      return AddShares<WeightedShares>{
          {search.shortest_edges(d), search.paths(d), search.coefficients(d), both_ways_},
          window,
          sum};
    });
  }

 private:
  template <class Make>
  void add(const Make& make) const {
    sums_.add(make);
    record_.step(graph_.vertices(), sums_.entries(), "edges", graph_.traffic());
  }

  const Graph& graph_;
  const bool both_ways_;
  detail::EntrySums& sums_;
  Recorder& record_;
};

}  // namespace

double edge_betweenness_scale(const Graph& graph, const BetweennessOptions& options,
                              std::size_t sources) {
  const auto n = static_cast<double>(graph.vertices());
  double scale = 1;
  if (options.normalized)
    scale = graph.vertices() > 1 ? 1 / (n * (n - 1)) : 1;
  else if (!graph.directed())
    scale = 0.5;
  if (options.targets.empty()) scale *= sources_share(graph, options, sources);
  return scale;
}

EdgeBetweennessResult edge_betweenness(const Context& ctx, const Graph& graph,
                                       const EdgeBetweennessOptions& options) {
  check_betweenness(graph, options);
  check_rows("edge-bc", options.row, graph.vertices());
  EdgeBetweennessResult result;
  result.sources = betweenness_sources(graph, options);
  const bool by_weight = options.weighted && graph.weighted();
  const auto searching = [&](int batch) {
    return betweenness_state(by_weight, batch, kIdBytes, true);
  };
  // Slots before searches, and these before caches: who comes first decides on what is left.
  detail::EntrySums sums(ctx, graph.out(), options.row, edge_betweenness_state(by_weight));
  if (!by_weight)
    result.batch = hop_batch(ctx, graph, result.sources.size(), options.batch, searching);
  const RunLists lists(ctx, searching(result.batch), betweenness_lists(graph, by_weight));
  Recorder record(ctx, graph.traffic());
  {
    Scores score(ctx, graph.vertices(), 0.0);
    const Targets targets(ctx, graph.vertices(), options.targets);
    const EdgeShares shares(graph, sums, record);
    ctx.task().begin("searching", result.sources.size(), "sources");
    if (by_weight) {
      std::uint64_t done = 0;
      for (const VertexId s : result.sources) {
        WeightedSearch search(ctx, graph, targets, s, record);
        search.run(score);
        shares(search);
        ctx.task().at(++done);
      }
    } else {
      SearchByHops(ctx, graph, targets, true, score, record, shares)
          .run(result.sources, result.batch);
    }
    ctx.task().end();
  }
  std::move(sums).take(!graph.directed(),
                       edge_betweenness_scale(graph, options, result.sources.size()), result);
  result.report = record.finish();
  return result;
}

}  // namespace fathom
