// The check of betweenness: a serial Brandes over the lists in host memory, with a heap for weights
// and for hops alike. It shares nothing with the engine but the scale and the rule for edges that
// add nothing to a length.
#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <string>
#include <utility>

#include "fathom/algorithms/betweenness_parts.hpp"

namespace fathom {
namespace {

// Sums in another order differ by rounding alone.
constexpr double kRelative = 1e-9;

/// Weight, then the number of edges that added nothing.
using Length = std::pair<double, std::uint64_t>;

class SerialBrandes {
 public:
  SerialBrandes(const CsrView& lists, bool weighted)
      : lists_(lists),
        weighted_(weighted && lists.weight),
        length_(lists.vertices),
        paths_(lists.vertices),
        dependency_(lists.vertices) {}

  void add(VertexId source, std::vector<double>& score) {
    const Length far{std::numeric_limits<double>::infinity(), 0};
    std::fill(length_.begin(), length_.end(), far);
    std::fill(paths_.begin(), paths_.end(), 0);
    std::fill(dependency_.begin(), dependency_.end(), 0);
    settle(source);
    paths_[source] = 1;
    for (const VertexId u : order_) for_shortest(u, [&](VertexId v) { paths_[v] += paths_[u]; });
    std::reverse(order_.begin(), order_.end());
    for (const VertexId u : order_) {
      for_shortest(
          u, [&](VertexId v) { dependency_[u] += paths_[u] / paths_[v] * (1 + dependency_[v]); });
      if (u != source) score[u] += dependency_[u];
    }
  }

 private:
  Length through(VertexId u, EdgeId edge) const {
    const Length& to = length_[u];
    const double sum = to.first + (weighted_ ? static_cast<double>(lists_.weight[edge]) : 1.0);
    return {sum, to.second + (sum == to.first ? 1 : 0)};
  }

  /// order_: the vertices reached, nearest first.
  void settle(VertexId source) {
    using Entry = std::pair<Length, VertexId>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
    order_.clear();
    length_[source] = {0, 0};
    heap.emplace(length_[source], source);
    while (!heap.empty()) {
      const auto [length, u] = heap.top();
      heap.pop();
      if (length != length_[u]) continue;  // superseded
      order_.push_back(u);
      for (EdgeId e = lists_.offset[u]; e < lists_.offset[u + 1]; ++e) {
        const VertexId v = lists_.target[e];
        if (through(u, e) < length_[v]) heap.emplace(length_[v] = through(u, e), v);
      }
    }
  }

  template <class Visit>
  void for_shortest(VertexId u, const Visit& visit) const {
    for (EdgeId e = lists_.offset[u]; e < lists_.offset[u + 1]; ++e)
      if (through(u, e) == length_[lists_.target[e]]) visit(lists_.target[e]);
  }

  CsrView lists_;
  bool weighted_;
  std::vector<Length> length_;
  std::vector<double> paths_, dependency_;
  std::vector<VertexId> order_;
};

[[noreturn]] void refute(VertexId v, double is, const std::string& expected) {
  throw Error(ErrorCode::VerificationFailed, "betweenness: vertex " + std::to_string(v) + " has " +
                                                 std::to_string(is) + ", expected " + expected);
}

void compare(const Array<double>& is, const std::vector<double>& expected) {
  for (VertexId v = 0; v < expected.size(); ++v)
    if (!(std::abs(is[v] - expected[v]) <= kRelative * (std::abs(expected[v]) + 1e-6)))
      refute(v, is[v], std::to_string(expected[v]));
}

/// What holds of the whole result when only some sources were recomputed.
void check_bounds(const CsrView& lists, const Array<double>& is, const std::vector<double>& part) {
  for (VertexId v = 0; v < lists.vertices; ++v) {
    if (!std::isfinite(is[v])) refute(v, is[v], "a finite value");
    if (is[v] < part[v] * (1 - kRelative)) refute(v, is[v], "at least " + std::to_string(part[v]));
    if (lists.degree(v) == 0 && is[v] != 0) refute(v, is[v], "0, as no path leaves it");
  }
}

}  // namespace

void verify_betweenness(const Context& ctx, const Graph& graph, const BetweennessOptions& options,
                        const BetweennessResult& result, VertexId samples) {
  const auto lists = graph.out().host_lists();
  if (!lists)
    throw Error(ErrorCode::Usage, "betweenness can only be verified when the host has the edges");
  if (result.centrality.size() != graph.vertices())
    throw Error(ErrorCode::VerificationFailed, "betweenness: there is not one value per vertex");

  const bool whole = result.sources.size() <= samples;
  std::vector<VertexId> sources = result.sources;
  if (!whole) {
    sources.clear();
    for (VertexId i = 0; i < samples; ++i)
      sources.push_back(result.sources[result.sources.size() * i / samples]);
  }
  std::vector<double> expected(graph.vertices(), 0);
  SerialBrandes serial(*lists, options.weighted);
  for (const VertexId s : sources) {
    ctx.task().check();
    serial.add(s, expected);
  }
  const double scale = betweenness_scale(graph, options, result.sources.size());
  for (double& value : expected) value *= scale;
  if (whole) {
    compare(result.centrality, expected);
    return;
  }
  check_bounds(*lists, result.centrality, expected);
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
