#include "fathom/algorithms/bipartite/bipartite.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "fathom/algorithms/bipartite/functors.hpp"
#include "fathom/algorithms/levels/functors.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

using Ties = VertexArray<Tie, MergeTies>;
using One = VertexArray<VertexId, MergeMin>;

/// The search for an odd cycle, from the first vertex of a component that has one.
class CycleSearch {
 public:
  CycleSearch(const Context& ctx, const Graph& graph, VertexId first)
      : ctx_(ctx),
        graph_(graph),
        hops_(ctx, graph.vertices(), ~std::uint32_t{0}),
        met_(ctx, 1, kNoVertex),
        unreached_(ctx, graph.vertices()),
        now_(ctx, graph.vertices()),
        next_(ctx, graph.vertices()),
        more_(ctx, graph.vertices()) {
    unreached_.fill();
    now_.assign({&first, 1});
    hops_.set(first, 0);
  }

  std::vector<VertexId> run() {
    for (std::uint32_t hops = 1;; ++hops) {
      now_.make_bitmap();
      unreached_.subtract(now_);
      unreached_.make_bitmap();
      reach();
      met_.merge();
      if (met_.get(0) != kNoVertex) break;
      compute(ctx_, next_, [&](const Device& d) { return SetHops{hops_.on(d), hops}; });
      std::swap(now_, next_);
      ctx_.task().check();
    }
    const VertexId other = other_end();
    return go_back(met_.get(0), other);
  }
  EdgeId edges() const { return edges_; }

 private:
  /// next_: neighbours of now_ that were not reached.
  void reach() {
    const auto make = [&](const Device& d) {
      return ReachNext{unreached_.on(d).bits, now_.on(d).bits, met_.on(d)};
    };
    edges_ += graph_.out().degree_sum(ctx_, now_);
    advance(ctx_, graph_.out(), now_, &next_, make, Emit::Often);
    if (!graph_.directed()) return;
    if (graph_.has_in()) {
      edges_ += graph_.in().degree_sum(ctx_, now_);
      advance(ctx_, graph_.in(), now_, &more_, make, Emit::Often);
    } else {
      edges_ += graph_.out().degree_sum(ctx_, unreached_);
      gather(ctx_, graph_.out(), unreached_, &more_,
             [&](const Device& d) { return FindReached{now_.on(d).bits}; });
    }
    next_.unite(more_);
  }

  VertexId other_end() {
    One other(ctx_, 1, kNoVertex);
    advance(ctx_, graph_.out(), now_, nullptr, [&, met = met_.get(0)](const Device& d) {
      return FindOtherEnd{now_.on(d).bits, met, other.on(d)};
    });
    other.merge();
    edges_ += graph_.out().degree_sum(ctx_, now_);
    return other.get(0);
  }

  /// The cycle through the edge of a and b, which are equally far: its smallest vertex first, then
  /// the smaller of those beside it.
  std::vector<VertexId> go_back(VertexId a, VertexId b) {
    Frontier& reached = more_;
    reached.fill();
    reached.subtract(unreached_);
    VertexArray<VertexId, MergeMin> to(ctx_, graph_.vertices(), kNoVertex);
    advance(ctx_, graph_.out(), reached, nullptr, [&](const Device& d) {
      return NameNearer{hops_.on(d), to.on(d)};
    });
    merge(to);
    edges_ += graph_.out().degree_sum(ctx_, reached);
    const Array<VertexId> nearer = std::move(to).take();
    std::vector<VertexId> cycle, back;
    for (; a != b; a = nearer[a], b = nearer[b]) {
      cycle.push_back(a);
      back.push_back(b);
    }
    cycle.push_back(a);
    cycle.insert(cycle.end(), back.rbegin(), back.rend());
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    if (cycle.size() > 1 && cycle.back() < cycle[1]) std::reverse(cycle.begin() + 1, cycle.end());
    return cycle;
  }

  const Context& ctx_;
  const Graph& graph_;
  VertexArray<std::uint32_t> hops_;
  One met_;
  Frontier unreached_, now_, next_, more_;
  EdgeId edges_ = 0;
};

void count_sides(BipartiteResult& result) {
  for (const std::uint32_t side : result.side)
    ++(side == kNoSide ? result.without : result.on_side[side]);
}

}  // namespace

bool MergeTies::on_gpus(const Context& ctx, std::span<Tie* const> replica, std::size_t n) {
  if constexpr (has_device_code<RelateReplica>()) {
    const std::vector<void*> at(replica.begin(), replica.end());
    return merge_into_first(
        ctx, at, n, sizeof(Tie),
        [&](const Device& first, const void* from, std::size_t begin, std::size_t count) {
          const auto size = static_cast<VertexId>(count);
          cuda::compute(first, {FrontierRef::Form::All, size, size, nullptr, nullptr}, {0, size},
                        RelateReplica{replica[0], static_cast<const Tie*>(from),
                                      static_cast<VertexId>(begin)});
        });
  }
  return false;
}

BipartiteResult two_sides(const Context& ctx, const Graph& graph) {
  const VertexId n = graph.vertices();
  std::vector<RunLists::Lists> read{{graph.out()}};
  if (graph.directed() && graph.has_in()) read.push_back({graph.in()});
  const RunLists lists(ctx, bipartite_state(), read);
  Recorder record(ctx, graph.traffic());
  BipartiteResult result;
  VertexArray<std::uint32_t> side(ctx, n);
  {
    Ties tie(ctx, n);
    Frontier all(ctx, n);
    all.fill();
    compute(ctx, n, [&](const Device& d) { return StartApart{tie.on(d)}; });
    advance(ctx, graph.out(), all, nullptr, [&](const Device& d) {
      return RelateEnds{tie.on(d), !graph.directed()};
    });
    merge(tie);
    compute(ctx, n, [&](const Device& d) { return TakeSide{tie.on(d), side.on(d)}; });
  }
  record.step(n, graph.edges(), "link", graph.traffic());
  ctx.task().check();
  const VertexId first = reduce(
      ctx, n, kNoVertex, [&](const Device& d) { return FirstWithout{side.on(d)}; }, MergeMin{});
  if (first != kNoVertex) {
    CycleSearch search(ctx, graph, first);
    result.cycle = search.run();
    record.step(1, search.edges(), "cycle", graph.traffic());
  }
  result.report = record.finish();
  result.side = std::move(side).take();
  count_sides(result);
  return result;
}

}  // namespace fathom
