// The check of betweenness: a serial Brandes over lists read one at a time, with a heap for weights
// and for hops alike. It shares nothing with the engine but the scale and the rule for edges that
// add nothing to a length.
#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>
#include <memory>
#include <queue>
#include <string>
#include <utility>

#include "fathom/algorithms/refute.hpp"

#include "fathom/algorithms/betweenness/parts.hpp"

namespace fathom {
namespace {

// Sums in another order differ by rounding alone.
constexpr double kRelative = 1e-9;

/// Weight, then the number of edges that added nothing.
struct Length {
  double weight;
  std::uint64_t free_edges;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 mistakes what it generates
  friend auto operator<=>(const Length&, const Length&) = default;
};

class SerialBrandes {
 public:
  SerialBrandes(const Context& ctx, EdgeSource& edges, bool weighted)
      : lists_(edges.read_lists()),
        weighted_(weighted && edges.weighted()),
        length_(edges.vertices(), ctx.host_memory()),
        paths_(edges.vertices(), ctx.host_memory()),
        dependency_(edges.vertices(), ctx.host_memory()),
        order_(edges.vertices(), ctx.host_memory()) {}

  void add(VertexId source, Array<double>& score) {
    const Length far{std::numeric_limits<double>::infinity(), 0};
    std::fill(length_.begin(), length_.end(), far);
    std::fill(paths_.begin(), paths_.end(), 0);
    std::fill(dependency_.begin(), dependency_.end(), 0);
    settle(source);
    paths_[source] = 1;
    for (VertexId i = 0; i < reached_; ++i) {
      const VertexId u = order_[i];
      for_shortest(u, [&](VertexId v) { paths_[v] += paths_[u]; });
    }
    for (VertexId i = reached_; i-- > 0;) {
      const VertexId u = order_[i];
      for_shortest(
          u, [&](VertexId v) { dependency_[u] += paths_[u] / paths_[v] * (1 + dependency_[v]); });
      if (u != source) score[u] += dependency_[u];
    }
  }

 private:
  Length through(VertexId u, Weight weight) const {
    const Length& to = length_[u];
    const double sum = to.weight + (weighted_ ? static_cast<double>(weight) : 1.0);
    return {sum, to.free_edges + (sum == to.weight ? 1 : 0)};
  }

  /// Lengths from the source, and the order in which they were found.
  void settle(VertexId source) {
    using Entry = std::pair<Length, VertexId>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
    reached_ = 0;
    length_[source] = {0, 0};
    heap.emplace(length_[source], source);
    while (!heap.empty()) {
      const auto [length, u] = heap.top();
      heap.pop();
      if (length != length_[u]) continue;  // superseded
      order_[reached_++] = u;
      for_edges(u, [&, from = u](VertexId v, Weight w) {
        if (const Length found = through(from, w); found < length_[v])
          heap.emplace(length_[v] = found, v);
      });
    }
  }

  template <class Visit>
  void for_edges(VertexId u, const Visit& visit) {
    lists_->read(u, [&](const PlainSpan& span) {
      for (std::uint32_t i = 0; i < span.size; ++i) visit(span.target(i), span.weight(i));
    });
  }

  template <class Visit>
  void for_shortest(VertexId u, const Visit& visit) {
    for_edges(u, [&](VertexId v, Weight w) {
      if (through(u, w) == length_[v]) visit(v);
    });
  }

  std::unique_ptr<ListReader> lists_;
  bool weighted_;
  Array<Length> length_;
  Array<double> paths_, dependency_;
  Array<VertexId> order_;  // [reached_]: the vertices reached, nearest first
  VertexId reached_ = 0;
};

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
    SerialBrandes serial(ctx, graph.out(), options.weighted);
    for (const VertexId s : sources) {
      ctx.task().check();
      serial.add(s, expected);
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
