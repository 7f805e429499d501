#include "fathom/algorithms/mis/mis.hpp"

#include <utility>
#include <vector>

#include "fathom/algorithms/mis/functors.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

bool two_lists(const Graph& graph) {
  return graph.directed() && graph.has_in();
}
/// Only one end of each edge knows of it.
bool one_sided(const Graph& graph) {
  return graph.directed() && !graph.has_in();
}

class Choice {
 public:
  Choice(const Context& ctx, const Graph& graph, const MisOptions& options)
      : ctx_(ctx),
        graph_(graph),
        key_(detail::mis_keys(ctx, graph, options)),
        undecided_(ctx, graph.vertices()),
        out_(ctx, graph.vertices()),
        joining_(ctx, graph.vertices()),
        chosen_(ctx, graph.vertices()),
        more_(ctx, graph.vertices()) {
    undecided_.fill();
    undecided_.make_bitmap();
    chosen_.begin_bitmap();
    chosen_.end_bitmap(true);
  }

  VertexId left() const { return undecided_.size(); }

  /// Decides about whom it can. @returns the edges of the vertices that were looked at.
  EdgeId round() {
    EdgeId edges = edges_of(undecided_);
    hold_back();
    filter(ctx_, undecided_, joining_,
           [&](const Device& d) { return IsNotMarked{out_.on(d).bits}; });
    edges += edges_of(joining_);
    rule_out();
    undecided_.subtract(joining_);
    undecided_.subtract(out_);
    chosen_.unite(joining_);
    return edges;
  }

  VertexId size() const { return chosen_.size(); }
  Array<std::uint32_t> take() {
    compute(ctx_, graph_.vertices(), [&](const Device& d) {
      return SpreadBits{chosen_.on(d).bits, key_.on(d)};
    });
    return std::move(key_).take();
  }

 private:
  EdgeId edges_of(const Frontier& vertices) const {
    if (one_sided(graph_)) return graph_.out().degree_sum(ctx_, undecided_);
    return graph_.out().degree_sum(ctx_, vertices) +
           (two_lists(graph_) ? graph_.in().degree_sum(ctx_, vertices) : 0);
  }

  /// out_: whom an undecided neighbour goes before.
  void hold_back() {
    const auto find = [&](const Device& d) {
      return FindEarlier{undecided_.on(d).bits, key_.on(d)};
    };
    gather(ctx_, graph_.out(), undecided_, &out_, find);
    if (two_lists(graph_)) gather(ctx_, graph_.in(), undecided_, &more_, find);
    if (one_sided(graph_))
      advance(
          ctx_, graph_.out(), undecided_, &more_,
          [&](const Device& d) {
            return HoldBack{undecided_.on(d).bits, key_.on(d)};
          },
          Emit::Often);
    if (graph_.directed()) out_.unite(more_);
  }

  /// out_: who has a neighbour that joins.
  void rule_out() {
    const auto tell = [&](const Device& d) { return RuleOut{undecided_.on(d).bits}; };
    advance(ctx_, graph_.out(), joining_, &out_, tell, Emit::Often);
    if (two_lists(graph_)) advance(ctx_, graph_.in(), joining_, &more_, tell, Emit::Often);
    if (one_sided(graph_))
      gather(ctx_, graph_.out(), undecided_, &more_,
             [&](const Device& d) { return FindChosen{joining_.on(d).bits}; });
    if (graph_.directed()) out_.unite(more_);
  }

  const Context& ctx_;
  const Graph& graph_;
  VertexArray<std::uint32_t, MergeSum> key_;
  Frontier undecided_, out_, joining_, chosen_, more_;
};

}  // namespace

VertexArray<std::uint32_t, MergeSum> detail::mis_keys(const Context& ctx, const Graph& graph,
                                                      const MisOptions& options) {
  const VertexId n = graph.vertices();
  const bool by_degree = options.order == MisOrder::Degree;
  VertexArray<std::uint32_t, MergeSum> key(ctx, n, 0);
  if (by_degree && one_sided(graph)) {
    Frontier all(ctx, n);
    all.fill();
    advance(ctx, graph.out(), all, nullptr,
            [&](const Device& d) { return CountInEdges{key.on(d)}; });
    merge(key);
  }
  compute(ctx, n, [&](const Device& d) {
    return MakeKey{graph.out().offsets(d), two_lists(graph) ? graph.in().offsets(d) : nullptr,
                   key.on(d), options.seed, by_degree};
  });
  return key;
}

MisResult maximal_independent_set(const Context& ctx, const Graph& graph,
                                  const MisOptions& options) {
  const VertexId n = graph.vertices();
  std::vector<RunLists::Lists> read{{graph.out()}};
  if (two_lists(graph)) read.push_back({graph.in()});
  const RunLists lists(ctx, mis_state(graph.directed(), graph.has_in()), read);
  Recorder record(ctx, graph.traffic());
  MisResult result;
  Choice choice(ctx, graph, options);
  const bool counted = one_sided(graph) && options.order == MisOrder::Degree;
  record.step(n, counted ? graph.edges() : 0, "keys", graph.traffic());

  ctx.task().begin("choosing", n, "vertices");
  while (const VertexId left = choice.left()) {
    const EdgeId edges = choice.round();
    ++result.rounds;
    record.step(left, edges, "choose", graph.traffic());
    ctx.task().at(n - choice.left());
  }
  ctx.task().end();
  result.report = record.finish();
  result.size = choice.size();
  result.in_set = choice.take();
  return result;
}

}  // namespace fathom
