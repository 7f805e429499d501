#include "fathom/algorithms/lcc/lcc.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "fathom/algorithms/lcc/functors.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/algorithms/triangles/short_lists.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/intersect.hpp"
#include "fathom/residency/graph_parts.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

/// The number of distinct neighbours, of lists as they are.
struct CountListed {
  FlatEdges edges;
  VertexId* degree;
  void operator()(VertexId v) const {
    const auto list = cpu::list_of(edges, v);
    VertexId distinct = 0;
    for (std::uint32_t i = 0; i < list.size; ++i) {
      const VertexId u = list.target(i);
      distinct += u != v && (i == 0 || u != list.target(i - 1)) ? 1 : 0;
    }
    degree[v] = distinct;
  }
};

/// value(0) + ... + value(n - 1), in an order that depends on n alone.
template <class T, class Value>
T sum_of(const Context& ctx, std::size_t n, const Value& value) {
  return parallel_reduce(
      ctx.threads(), n, std::size_t{1} << 14, T{0},
      [&](std::size_t first, std::size_t last) {
        T part = 0;
        for (std::size_t v = first; v < last; ++v) part += value(v);
        return part;
      },
      std::plus<T>());
}

class Clustering {
 public:
  Clustering(const Context& ctx, const Graph& graph)
      : ctx_(ctx), graph_(graph), record_(ctx, graph.traffic()) {}

  LccResult run() {
    if (graph_.directed()) count_mutual();
    const std::optional<FlatEdges> as_they_are = detail::short_lists(ctx_, graph_);
    if (as_they_are)
      count_as_they_are(*as_they_are);
    else
      count_oriented();
    return finish();
  }

 private:
  struct State {
    VertexArray<std::uint64_t, MergeSum> links;
    VertexArray<VertexId, MergeSum> degree;
    VertexArray<double> share;
    State(const Context& ctx, VertexId n) : links(ctx, n, 0), degree(ctx, n, 0), share(ctx, n) {}
  };

  /// Caches get what state leaves, which is there from the first lists on.
  StateSize state_to_come() const {
    StateSize size = lcc_state(graph_.directed());
    if (state_) size.whole = 0;
    return size;
  }
  State& state() {
    if (!state_) state_.emplace(ctx_, graph_.vertices());
    return *state_;
  }
  void step(EdgeId edges, const char* name) {
    record_.step(graph_.vertices(), edges, name, graph_.traffic() + before_);
  }

  /// Links that go both ways, once: the triangles of the second places of graph::orient_mutual.
  void count_mutual() {
    const std::unique_ptr<EdgeSource> mutual = detail::open_mutual(graph_);
    const RunLists lists(ctx_, state_to_come(), {{*mutual}});
    step(0, "mutual");
    State& its = state();
    intersect(ctx_, *mutual, [&](const Device& d) {
      return CreditLinks{its.links.on(d), graph_.vertices(), 1};
    });
    before_ = mutual->traffic();
    step(mutual->edges(), "intersect");
  }

  /// Triangles are links both ways; in a directed graph one way, and the others have been counted.
  CreditLinks credit(const Device& d) {
    return {state().links.on(d), 0, graph_.directed() ? std::uint64_t{1} : std::uint64_t{2}};
  }

  void count_as_they_are(const FlatEdges& edges) {
    const RunLists lists(ctx_, state_to_come(), {{graph_.out()}});
    State& its = state();
    compute(ctx_, graph_.vertices(), [&](const Device& d) {
      return CountListed{edges, its.degree.on(d)};
    });
    cpu::count_in_short_lists(ctx_, edges, graph_.vertices(), credit(ctx_.devices()[0]));
    step(2 * graph_.edges(), "intersect");
  }

  void count_oriented() {
    graph_.prepare_oriented();
    const std::shared_ptr<EdgeSource> oriented = graph_.oriented();
    const RunLists lists(ctx_, state_to_come(), {{*oriented}});
    step(0, "orient");
    State& its = state();
    Frontier all(ctx_, graph_.vertices());
    all.fill();
    advance(ctx_, *oriented, all, nullptr,
            [&](const Device& d) { return CountNeighbors{its.degree.on(d)}; });
    step(oriented->edges(), "degrees");
    intersect(ctx_, *oriented, [this](const Device& d) { return credit(d); });
    step(oriented->edges(), "intersect");
  }

  LccResult finish() {
    State& its = state();
    merge(its.links, its.degree);
    compute(ctx_, graph_.vertices(), [&](const Device& d) {
      return FindShare{its.links.on(d), its.degree.on(d), its.share.on(d)};
    });
    LccResult result;
    result.report = record_.finish();
    const Array<std::uint64_t> links = std::move(its.links).take();
    const Array<VertexId> degree = std::move(its.degree).take();
    result.coefficient = std::move(its.share).take();
    const std::size_t n = degree.size();
    result.links = sum_of<std::uint64_t>(ctx_, n, [&](std::size_t v) { return links[v]; });
    result.pairs =
        sum_of<std::uint64_t>(ctx_, n, [&](std::size_t v) { return pairs_of(degree[v]); });
    result.transitivity = share_of(result.links, result.pairs);
    const double all = sum_of<double>(ctx_, n, [&](auto v) { return result.coefficient[v]; });
    result.average = n == 0 ? 0 : all / static_cast<double>(n);
    return result;
  }

  const Context& ctx_;
  const Graph& graph_;
  Recorder record_;
  std::optional<State> state_;
  Traffic before_;  // of lists that are closed
};

}  // namespace

LccResult local_clustering(const Context& ctx, const Graph& graph) {
  return Clustering(ctx, graph).run();
}

}  // namespace fathom
