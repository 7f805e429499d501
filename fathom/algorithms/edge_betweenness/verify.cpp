// The check of edge betweenness: what a serial search finds again of some sources, and the flow of
// paths, which nothing but sources and targets adds to.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fathom/algorithms/betweenness/serial_brandes.hpp"
#include "fathom/algorithms/check_sources.hpp"
#include "fathom/algorithms/closeness/functors.hpp"
#include "fathom/algorithms/edge_betweenness/parts.hpp"
#include "fathom/algorithms/multi_search/multi_search.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

constexpr const char* kEdges = "edge-bc";
// Sums in another order differ by rounding alone.
constexpr double kRounding = 1e-9;

bool is_about(double a, double b, double scale) {
  return std::abs(a - b) <= kRounding * (std::abs(scale) + 1e-6);
}

/// The rows of a result, once it is known that they are the graph's edges.
class EdgeRows {
 public:
  EdgeRows(const Context& ctx, const Graph& graph, const EdgeBetweennessOptions& options,
           const EdgeBetweennessResult& result)
      : ctx_(ctx),
        n_(graph.vertices()),
        row_(options.row),
        once_(!graph.directed()),
        result_(result),
        begin_(n_ + std::size_t{1}, 0, ctx.host_memory()) {
    if (result.u.size() < result.rows || result.v.size() < result.rows ||
        result.centrality.size() < result.rows)
      refute(kEdges, "there is not one value per row");
    const bool weighted = options.weighted && graph.weighted();
    weight_ = Array<Weight>(weighted ? result.rows : 0, ctx.host_memory());
    check_edges(graph);
  }

  /// expected[row] += share, of the edge from u to v of this weight. Parallel ones share it.
  void add(VertexId u, VertexId v, Weight w, double share, Array<double>& expected) const {
    if (once_ && row_of(v) < row_of(u)) std::swap(u, v);
    auto [first, last] = group(begin_[row_of(u)], begin_[row_of(u) + std::size_t{1}], row_of(v));
    if (!weight_.empty()) {
      const auto range = std::equal_range(weight_.begin() + first, weight_.begin() + last, w);
      first = static_cast<std::size_t>(range.first - weight_.begin());
      last = static_cast<std::size_t>(range.second - weight_.begin());
    }
    for (std::size_t at = first; at < last; ++at)
      expected[at] += share / static_cast<double>(last - first);
  }

  /// Of parallel edges the greatest first, as rows are.
  void order(Array<double>& expected) const {
    if (weight_.empty()) return;
    for (std::size_t first = 0, last; first < expected.size(); first = last) {
      last = first + 1;
      while (last < expected.size() && result_.u[last] == result_.u[first] &&
             result_.v[last] == result_.v[first])
        ++last;
      std::sort(expected.begin() + first, expected.begin() + last, std::greater<>());
    }
  }

  [[noreturn]] void refute_row(std::size_t row, const std::string& what) const {
    refute(kEdges, "the edge from " + std::to_string(result_.u[row]) + " to " +
                       std::to_string(result_.v[row]) + " has " +
                       std::to_string(result_.centrality[row]) + ", expected " + what);
  }

 private:
  using Entry = std::pair<VertexId, Weight>;  // by the row of the target

  VertexId row_of(VertexId v) const { return row_.empty() ? v : row_[v]; }

  std::pair<std::size_t, std::size_t> group(std::size_t first, std::size_t last,
                                            VertexId row) const {
    const VertexId* const all = result_.v.begin();
    const auto begin =
        std::partition_point(all + first, all + last, [&](VertexId v) { return row_of(v) < row; });
    const auto end =
        std::partition_point(begin, all + last, [&](VertexId v) { return row_of(v) == row; });
    return {static_cast<std::size_t>(begin - all), static_cast<std::size_t>(end - all)};
  }

  void check_edges(const Graph& graph) {
    std::vector<VertexId> vertex(n_);
    for (VertexId v = 0; v < n_; ++v) vertex[row_of(v)] = v;
    const std::unique_ptr<ListReader> lists = graph.out().read_lists();
    std::vector<Entry> list;
    std::size_t at = 0;
    for (VertexId r = 0; r < n_; ++r) {
      if (r % 4096 == 0) ctx_.task().check();
      list.clear();
      lists->read(vertex[r], [&](const PlainSpan& span) {
        for (std::uint32_t i = 0; i < span.size; ++i)
          if (const VertexId target = row_of(span.target(i)); !once_ || r <= target)
            list.emplace_back(target, span.weight(i));
      });
      std::sort(list.begin(), list.end());
      for (const auto& [target, weight] : list) {
        if (at == result_.rows || result_.u[at] != vertex[r] || result_.v[at] != vertex[target])
          refute(kEdges, "row " + std::to_string(at) + " is not of the edge from " +
                             std::to_string(vertex[r]) + " to " + std::to_string(vertex[target]));
        if (!weight_.empty()) weight_[at] = weight;
        ++at;
      }
      begin_[r + std::size_t{1}] = at;
    }
    if (at != result_.rows) refute(kEdges, "there are more rows than edges");
  }

  const Context& ctx_;
  const VertexId n_;
  const std::span<const VertexId> row_;
  const bool once_;
  const EdgeBetweennessResult& result_;
  Array<std::uint64_t> begin_;  // [vertices + 1]: rows of the vertex of each row
  Array<Weight> weight_;        // [rows], where paths go by them; of parallel edges ascending
};

void check_values(const EdgeRows& rows, const Array<double>& is, const Array<double>& expected,
                  bool whole) {
  for (std::size_t row = 0; row < expected.size(); ++row) {
    if (!std::isfinite(is[row])) rows.refute_row(row, "a finite value");
    if (whole ? !is_about(is[row], expected[row], expected[row])
              : is[row] < expected[row] * (1 - kRounding))
      rows.refute_row(row, (whole ? "" : "at least ") + std::to_string(expected[row]));
  }
}

/// How often vertices are reached, and from how far all together.
struct Distances {
  Array<VertexId> reached;
  Array<std::uint64_t> sum;
};

Distances distances_from(const Context& ctx, const Graph& graph,
                         std::span<const VertexId> sources) {
  MultiSearch search(ctx, graph, {}, closeness_state());
  VertexArray<VertexId> reached(ctx, graph.vertices(), 0);
  VertexArray<std::uint64_t> sum(ctx, graph.vertices(), 0);
  Recorder record(ctx, graph.traffic());
  for (std::size_t first = 0; first < sources.size(); first += MultiSearch::kMost) {
    search.start(sources.subspan(first, std::min(MultiSearch::kMost, sources.size() - first)));
    for (search.step(record); search.alive() != 0; search.step(record))
      compute(ctx, search.frontier(), [&](const Device& d) {
        return AddDistances{search.arrived(d), reached.on(d), sum.on(d), search.level()};
      });
  }
  return {std::move(reached).take(), std::move(sum).take()};
}

/// A path of d edges adds 1 to d of them; it enters every vertex that it leaves.
void check_flow(const Context& ctx, const Graph& graph, const EdgeBetweennessResult& result,
                double scale) {
  Distances of = distances_from(ctx, graph, result.sources);
  Array<double> in(graph.vertices(), 0, ctx.host_memory());
  Array<double> out(graph.vertices(), 0, ctx.host_memory());
  for (std::size_t row = 0; row < result.rows; ++row) {
    out[result.u[row]] += result.centrality[row];
    in[result.v[row]] += result.centrality[row];
  }
  double all = 0, expected = 0;
  for (VertexId v = 0; v < graph.vertices(); ++v) {
    all += in[v];
    expected += scale * static_cast<double>(of.sum[v]);
  }
  if (!is_about(all, expected, expected))
    refute(kEdges, "all values together are " + std::to_string(all) + ", expected " +
                       std::to_string(expected) + ", the distances from all sources");
  if (!graph.directed()) return;
  for (const VertexId s : result.sources) {
    out[s] = in[s] = 0;
    of.reached[s] = 0;
  }
  for (VertexId v = 0; v < graph.vertices(); ++v)
    if (const double ends = scale * static_cast<double>(of.reached[v]);
        !is_about(in[v], out[v] + ends, in[v] + ends))
      refute_vertex(kEdges, v,
                    "receives " + std::to_string(in[v]) + " and sends " + std::to_string(out[v]) +
                        ", but " + std::to_string(ends) + " end there");
}

}  // namespace

void verify_edge_betweenness(const Context& ctx, const Graph& graph,
                             const EdgeBetweennessOptions& options,
                             const EdgeBetweennessResult& result, VertexId samples) {
  const EdgeRows rows(ctx, graph, options, result);
  const bool whole = result.sources.size() <= samples;
  std::vector<VertexId> sources = result.sources;
  if (!whole) {
    sources.clear();
    for (VertexId i = 0; i < samples; ++i)
      sources.push_back(result.sources[result.sources.size() * i / samples]);
  }
  Array<double> expected(result.rows, 0, ctx.host_memory());
  {
    SerialBrandes serial(ctx, graph.out(), options.weighted, options.targets);
    for (const VertexId s : sources) {
      ctx.task().check();
      serial.run(
          s,
          [&](VertexId u, VertexId v, Weight w, double share) {
            rows.add(u, v, w, share, expected);
          },
          [](VertexId, double) {});
    }
  }
  rows.order(expected);
  const double scale = edge_betweenness_scale(graph, options, result.sources.size());
  for (double& value : expected) value *= scale;
  check_values(rows, result.centrality, expected, whole);
  if (whole) return;
  if (options.targets.empty() && !(options.weighted && graph.weighted()))
    check_flow(ctx, graph, result, scale);
  if (sources.empty()) return;
  EdgeBetweennessOptions few = options;
  few.samples = 0;
  few.sources = sources;
  const double rescale = scale / edge_betweenness_scale(graph, few, sources.size());
  EdgeBetweennessResult again = edge_betweenness(ctx, graph, few);
  for (double& value : again.centrality) value *= rescale;
  check_values(EdgeRows(ctx, graph, options, again), again.centrality, expected, true);
}

}  // namespace fathom
