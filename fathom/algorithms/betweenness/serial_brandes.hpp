// A serial Brandes over lists read one at a time, with a heap for weights and for hops alike: what
// certificates compare with. It shares nothing with the engine but the rule for edges that add
// nothing to a length.
#pragma once

#include <algorithm>
#include <compare>
#include <functional>
#include <limits>
#include <memory>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/residency/edge_source.hpp"

namespace fathom {

/// Weight, then the number of edges that added nothing.
struct SerialLength {
  double weight;
  std::uint64_t free_edges;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 mistakes what it generates
  friend auto operator<=>(const SerialLength&, const SerialLength&) = default;
};

class SerialBrandes {
 public:
  /// `targets`: that paths are counted to; none: all vertices.
  SerialBrandes(const Context& ctx, EdgeSource& edges, bool weighted,
                std::span<const VertexId> targets)
      : lists_(edges.read_lists()),
        weighted_(weighted && edges.weighted()),
        length_(edges.vertices(), ctx.host_memory()),
        paths_(edges.vertices(), ctx.host_memory()),
        dependency_(edges.vertices(), ctx.host_memory()),
        order_(edges.vertices(), ctx.host_memory()),
        counts_(edges.vertices(), targets.empty() ? 1 : 0, ctx.host_memory()) {
    for (const VertexId t : targets) counts_[t] = 1;
  }

  /// on_edge(u, v, w, share): of the paths from the source, `share` go along an entry of the list
  /// of u. on_vertex(u, dependency): of a vertex that was reached and is not the source.
  template <class OnEdge, class OnVertex>
  void run(VertexId source, const OnEdge& on_edge, const OnVertex& on_vertex) {
    const SerialLength far{std::numeric_limits<double>::infinity(), 0};
    std::fill(length_.begin(), length_.end(), far);
    std::fill(paths_.begin(), paths_.end(), 0);
    std::fill(dependency_.begin(), dependency_.end(), 0);
    settle(source);
    paths_[source] = 1;
    for (VertexId i = 0; i < reached_; ++i) {
      const VertexId u = order_[i];
      for_shortest(u, [&](VertexId v, Weight) { paths_[v] += paths_[u]; });
    }
    for (VertexId i = reached_; i-- > 0;) {
      const VertexId u = order_[i];
      for_shortest(u, [&](VertexId v, Weight w) {
        const double share = paths_[u] / paths_[v] * (counts_[v] + dependency_[v]);
        dependency_[u] += share;
        on_edge(u, v, w, share);
      });
      if (u != source) on_vertex(u, dependency_[u]);
    }
  }

 private:
  SerialLength through(VertexId u, Weight weight) const {
    const SerialLength& to = length_[u];
    const double sum = to.weight + (weighted_ ? static_cast<double>(weight) : 1.0);
    return {sum, to.free_edges + (sum == to.weight ? 1 : 0)};
  }

  /// Lengths from the source, and the order in which they were found.
  void settle(VertexId source) {
    using Entry = std::pair<SerialLength, VertexId>;
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
        if (const SerialLength found = through(from, w); found < length_[v])
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
      if (through(u, w) == length_[v]) visit(v, w);
    });
  }

  std::unique_ptr<ListReader> lists_;
  bool weighted_;
  Array<SerialLength> length_;
  Array<double> paths_, dependency_;
  Array<VertexId> order_;       // [reached_]: the vertices reached, nearest first
  Array<std::uint8_t> counts_;  // 1 where paths end
  VertexId reached_ = 0;
};

}  // namespace fathom
