#include "fathom/algorithms/scc/scc.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "fathom/algorithms/scc/functors.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

// Trimming goes on as long as it takes one of so many vertices that are left: a round reads about
// one edge of each.
constexpr VertexId kTrimmed = 8;

class StrongComponents {
 public:
  StrongComponents(const Context& ctx, const Graph& graph)
      : ctx_(ctx),
        graph_(graph),
        record_(ctx, graph.traffic()),
        label_(ctx, graph.vertices(), 0),
        colour_(ctx, graph.vertices(), 0),
        left_(ctx, graph.vertices()),
        now_(ctx, graph.vertices()),
        next_(ctx, graph.vertices()),
        joined_(ctx, graph.vertices()) {
    left_.fill();
  }

  bool done() const { return left_.empty(); }
  VertexId settled() const { return graph_.vertices() - left_.size(); }

  /// Settles vertices that have no in- or no out-neighbour left in their region.
  void trim() {
    for (;;) {
      const VertexId before = left_.size();
      if (before == 0) return;
      const EdgeId edges = out_edges(left_) + (two_lists() ? in_edges(left_) : 0);
      left_.make_bitmap();
      keep_partners();
      left_.subtract(now_);
      compute(ctx_, left_, [&](const Device& d) {
        return SettleAlone{label_.on(d), colour_.on(d)};
      });
      std::swap(left_, now_);
      step(before, edges, "trim");
      if (before - left_.size() < before / kTrimmed + 1) return;
    }
  }

  /// Settles the component of the vertex that is likeliest to be in the largest one.
  void settle_giant() {
    const VertexId pivot = likeliest();
    colour_.fill(kNoVertex);
    compute(ctx_, left_, [&](const Device& d) { return Unmark{colour_.on(d)}; });
    mark_from(pivot, graph_.out(), kUnmarked, "forward");
    if (one_sided())
      mark_backward(pivot);
    else if (graph_.directed())
      mark_from(pivot, graph_.in(), kForward, "backward");
    const VertexId component = graph_.directed() ? kBoth : kForward;
    compute(ctx_, left_, [&](const Device& d) {
      return SettleMarked{colour_.on(d), label_.on(d), component, pivot};
    });
    filter(ctx_, left_, now_, [&](const Device& d) { return HasMark{colour_.on(d), component}; });
    left_.subtract(now_);
    colour_.fill(0);
  }

  /// Settles the component of each vertex that keeps its colour while colours sink to where they
  /// reach: whatever reaches it back has its colour.
  void settle_by_colours(std::uint64_t round) {
    const Palette palette = Palette::of_round(round);
    compute(ctx_, left_, [&](const Device& d) { return StartColour{palette, colour_.on(d)}; });
    spread_colours();
    compute(ctx_, left_, [&](const Device& d) {
      return StartRoots{palette, colour_.on(d), label_.on(d)};
    });
    if (one_sided())
      join_targets();
    else
      join_roots();
    filter(ctx_, left_, now_, [&](const Device& d) { return IsKnown{label_.on(d), false}; });
    compute(ctx_, left_, [&](const Device& d) { return EndRound{colour_.on(d), label_.on(d)}; });
    std::swap(left_, now_);
  }

  /// Labels by the smallest vertices; ends the run.
  void label_by_first() {
    colour_.fill(kNoVertex);
    compute(ctx_, graph_.vertices(), [&](const Device& d) {
      return FindFirst{label_.on(d), colour_.on(d)};
    });
    compute(ctx_, graph_.vertices(), [&](const Device& d) {
      return LabelByFirst{colour_.on(d), label_.on(d)};
    });
  }
  RunReport report() { return record_.finish(); }
  Array<VertexId> take_labels() && { return std::move(label_).take(); }

 private:
  bool two_lists() const { return graph_.directed() && graph_.has_in(); }
  /// Only the source of each edge knows of it.
  bool one_sided() const { return graph_.directed() && !graph_.has_in(); }
  EdgeId out_edges(const Frontier& of) const { return graph_.out().degree_sum(ctx_, of); }
  EdgeId in_edges(const Frontier& of) const { return graph_.in().degree_sum(ctx_, of); }
  void step(VertexId vertices, EdgeId edges, const char* what) {
    record_.step(vertices, edges, what, graph_.traffic());
  }

  /// now_: the vertices of left_ that have both neighbours.
  void keep_partners() {
    gather(ctx_, graph_.out(), left_, &next_, [&](const Device& d) {
      return HasPartner{left_.on(d).bits, label_.on(d)};
    });
    const auto among_next = [&](const Device& d) {
      return HasPartner{next_.on(d).bits, label_.on(d)};
    };
    if (two_lists()) {
      gather(ctx_, graph_.in(), next_, &now_, among_next);
    } else if (one_sided()) {
      advance(
          ctx_, graph_.out(), next_, &now_,
          [&](const Device& d) { return IsPartner{among_next(d)}; }, Emit::Often);
    } else {
      std::swap(next_, now_);
    }
  }

  VertexId likeliest() {
    left_.make_bitmap();
    const auto value = [&](const Device& d) {
      return Unlikeliness{left_.on(d).bits, graph_.out().offsets(d),
                          two_lists() ? graph_.in().offsets(d) : nullptr};
    };
    const std::uint64_t least =
        reduce(ctx_, graph_.vertices(), ~std::uint64_t{0}, value, MergeMin{});
    return reduce(
        ctx_, graph_.vertices(), kNoVertex,
        [&](const Device& d) {
          return FirstOf{value(d), least};
        },
        MergeMin{});
  }

  /// Lowers the mark of what a search along `edges` reaches through vertices of the mark `from`.
  void mark_from(VertexId pivot, EdgeSource& edges, VertexId from, const char* what) {
    colour_.set(pivot, from - 1);
    now_.assign({&pivot, 1});
    VertexId vertices = 0;
    EdgeId visited = 0;
    for (; !now_.empty(); std::swap(now_, next_)) {
      vertices += now_.size();
      visited += edges.degree_sum(ctx_, now_);
      advance(ctx_, edges, now_, &next_, [&](const Device& d) {
        return LowerMark{colour_.on(d), from};
      });
      merge(colour_);
      ctx_.task().check();
    }
    step(vertices, visited, what);
  }

  /// The search back from the pivot without in-edges.
  void mark_backward(VertexId pivot) {
    filter(ctx_, left_, next_, [&](const Device& d) { return HasMark{colour_.on(d), kForward}; });
    colour_.set(pivot, kBoth);
    pull(colour_, [&](const Device& d) { return LowerOwnMark{colour_.on(d), kForward}; });
  }

  void spread_colours() {
    now_.keep_list();  // long chains have many supersteps of few vertices
    next_.keep_list();
    now_.clear();
    now_.unite(left_);
    VertexId vertices = 0;
    EdgeId visited = 0;
    for (; !now_.empty(); std::swap(now_, next_)) {
      list_few(now_);
      vertices += now_.size();
      visited += out_edges(now_);
      advance(
          ctx_, graph_.out(), now_, &next_,
          [&](const Device& d) {
            return LowerColour{label_.on(d), colour_.on(d)};
          },
          Emit::Often);
      merge(colour_);
      ctx_.task().check();
    }
    step(vertices, visited, "colour");
  }

  /// From the roots backward, within their colours.
  void join_roots() {
    filter(ctx_, left_, now_, [&](const Device& d) { return IsKnown{label_.on(d), true}; });
    VertexId vertices = 0;
    EdgeId visited = 0;
    for (; !now_.empty(); std::swap(now_, next_)) {
      vertices += now_.size();
      visited += in_edges(now_);
      advance(ctx_, graph_.in(), now_, &next_, [&](const Device& d) {
        return JoinRoot{colour_.on(d), label_.on(d)};
      });
      merge(label_);
      ctx_.task().check();
    }
    step(vertices, visited, "backward");
  }

  void join_targets() {
    filter(ctx_, left_, next_, [&](const Device& d) { return IsKnown{label_.on(d), false}; });
    pull(label_, [&](const Device& d) { return JoinTarget{colour_.on(d), label_.on(d)}; });
  }

  /// Has the vertices of next_ look for targets that have joined, until no more do.
  template <class State, class Factory>
  void pull(State& state, const Factory& make) {
    VertexId vertices = 0;
    EdgeId visited = 0;
    do {
      vertices += next_.size();
      visited += out_edges(next_);
      gather(ctx_, graph_.out(), next_, &joined_, make);
      merge(state);
      next_.subtract(joined_);
      ctx_.task().check();
    } while (!joined_.empty());
    step(vertices, visited, "backward");
  }

  const Context& ctx_;
  const Graph& graph_;
  Recorder record_;
  VertexArray<VertexId, MergeMin> label_, colour_;  // functors.hpp says of what
  Frontier left_;                                   // not settled yet
  Frontier now_, next_, joined_;
};

void count_components(const Context& ctx, SccResult& result) {
  Array<VertexId> size(result.label.size(), 0, ctx.host_memory());
  for (const VertexId label : result.label) ++size[label];
  for (const VertexId vertices : size) {
    result.components += vertices > 0 ? 1 : 0;
    result.trivial += vertices == 1 ? 1 : 0;
    result.largest = std::max(result.largest, vertices);
  }
}

}  // namespace

SccResult strongly_connected_components(const Context& ctx, const Graph& graph) {
  const StateSize state = scc_state(graph.directed(), graph.has_in());
  std::vector<RunLists::Lists> read{{graph.out()}};
  if (graph.directed() && graph.has_in()) read.push_back({graph.in()});
  const RunLists lists(ctx, state, read);
  SccResult result;
  {
    StrongComponents components(ctx, graph);
    ctx.task().begin("components", graph.vertices(), "vertices");
    components.trim();
    if (!components.done()) components.settle_giant();
    for (std::uint64_t round = 0; !components.done(); ++round) {
      ctx.task().at(components.settled());
      components.trim();
      if (!components.done()) components.settle_by_colours(round);
    }
    ctx.task().end();
    components.label_by_first();
    result.report = components.report();
    result.label = std::move(components).take_labels();
  }
  count_components(ctx, result);
  return result;
}

}  // namespace fathom
