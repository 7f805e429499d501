#include "fathom/algorithms/kcore/kcore.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fathom/algorithms/kcore/functors.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/algorithms/vertex_error.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

class Peeling {
 public:
  Peeling(const Context& ctx, const Graph& graph)
      : ctx_(ctx),
        graph_(graph),
        one_device_(ctx.replicas() == 1),
        degree_(ctx, graph.vertices(), 0),
        layer_(ctx, graph.vertices(), kUnpeeled),
        lost_(ctx, one_device_ ? 0 : graph.vertices(), 0),
        left_(ctx, graph.vertices()),
        now_(ctx, graph.vertices()),
        next_(ctx, graph.vertices()),
        more_(ctx, graph.vertices()),
        touched_(ctx, graph.vertices()) {
    left_.fill();
  }

  /// The degrees of all vertices, from both ends of each edge.
  void count_degrees() {
    const VertexId refused = reduce(
        ctx_, graph_.vertices(), kNoVertex,
        [&](const Device& d) {
          return TooManyEdges{graph_.out().offsets(d),
                              two_lists() ? graph_.in().offsets(d) : nullptr};
        },
        MergeMin{});
    if (refused != kNoVertex)
      throw VertexError(
          ErrorCode::DoesNotFit,
          "kcore: vertex {} has more than " + std::to_string(kUnpeeled - 1) + " edges", {refused});
    const auto count = [&](const Device& d) { return CountOthers{degree_.on(d)}; };
    gather(ctx_, graph_.out(), left_, nullptr, count);
    if (two_lists()) gather(ctx_, graph_.in(), left_, nullptr, count);
    if (one_sided())
      advance(ctx_, graph_.out(), left_, nullptr,
              [&](const Device& d) { return CountFromOthers{degree_.on(d)}; });
    merge(degree_);
  }

  bool done() const { return left_.empty(); }
  std::uint32_t rounds() const { return round_; }

  /// Finds the vertices that go first at a level of at least k, and that level.
  std::uint32_t next_level(std::uint32_t k) {
    find_first(k);
    if (!now_.empty()) return k;
    // The levels in between are empty.
    k = reduce(
        ctx_, graph_.vertices(), kUnpeeled,
        [&](const Device& d) {
          return DegreeLeft{degree_.on(d), k};
        },
        MergeMin{});
    find_first(k);
    return k;
  }

  struct Work {
    VertexId vertices = 0;
    EdgeId edges = 0;
  };

  /// Peels what next_level() has found, and on until all degrees left are above k.
  Work peel(std::uint32_t k) {
    Work work;
    for (; !now_.empty(); std::swap(now_, next_)) {
      ++round_;
      compute(ctx_, now_, [&](const Device& d) {
        return Peel{degree_.on(d), layer_.on(d), k, round_};
      });
      work.vertices += now_.size();
      work.edges += graph_.out().degree_sum(ctx_, now_);
      if (two_lists()) work.edges += graph_.in().degree_sum(ctx_, now_);
      if (one_sided()) work.edges += graph_.edges();
      if (one_device_)
        tell_neighbours(k);
      else
        add_up_losses(k);
      ctx_.task().check();
    }
    filter(ctx_, left_, next_, [&](const Device& d) { return DegreeAbove{degree_.on(d), k}; });
    std::swap(left_, next_);
    return work;
  }

  /// Those left get the core number `limit`, and no layer.
  void stop_at(std::uint32_t limit) {
    compute(ctx_, left_, [&](const Device& d) {
      return Peel{degree_.on(d), layer_.on(d), limit, kUnpeeled};
    });
  }

  Array<std::uint32_t> take_cores() { return std::move(degree_).take(); }
  Array<std::uint32_t> take_layers() { return std::move(layer_).take(); }

 private:
  bool two_lists() const { return graph_.directed() && graph_.has_in(); }
  /// Only one end of each edge knows of it.
  bool one_sided() const { return graph_.directed() && !graph_.has_in(); }

  void find_first(std::uint32_t k) {
    filter(ctx_, left_, now_, [&](const Device& d) { return DegreeAtMost{degree_.on(d), k}; });
  }

  void tell_neighbours(std::uint32_t k) {
    if (one_sided())
      now_.make_bitmap();
    else
      now_.make_list();
    const auto lose = [&](const Device& d) { return LoseNeighbour{degree_.on(d), k}; };
    advance(ctx_, graph_.out(), now_, &next_, lose);
    if (two_lists()) advance(ctx_, graph_.in(), now_, &more_, lose);
    if (one_sided())
      gather(ctx_, graph_.out(), left_, &more_, [&](const Device& d) {
        return MissNeighbours{now_.on(d).bits, degree_.on(d), k};
      });
    if (graph_.directed() && !more_.empty()) next_.unite(more_);
  }

  /// The same where no device sees all losses of a vertex.
  void add_up_losses(std::uint32_t k) {
    now_.make_bitmap();
    const auto note = [&](const Device& d) { return NoteLoss{degree_.on(d), lost_.on(d), k}; };
    advance(ctx_, graph_.out(), now_, &touched_, note);
    if (two_lists()) advance(ctx_, graph_.in(), now_, &more_, note);
    if (one_sided())
      gather(ctx_, graph_.out(), left_, &more_, [&](const Device& d) {
        return NoteLosses{now_.on(d).bits, degree_.on(d), lost_.on(d), k};
      });
    if (graph_.directed()) touched_.unite(more_);
    lost_.merge(&touched_);
    compute(ctx_, touched_, [&](const Device& d) { return Subtract{degree_.on(d), lost_.on(d)}; });
    filter(ctx_, touched_, next_, [&](const Device& d) { return DegreeAtMost{degree_.on(d), k}; });
  }

  const Context& ctx_;
  const Graph& graph_;
  bool one_device_;
  VertexArray<std::uint32_t, MergeSum> degree_;
  VertexArray<std::uint32_t> layer_;
  VertexArray<std::uint32_t, MergeSum> lost_;  // zero between supersteps
  Frontier left_, now_, next_, more_, touched_;
  std::uint32_t round_ = 0;
};

}  // namespace

KcoreResult kcore(const Context& ctx, const Graph& graph, const KcoreOptions& options) {
  const VertexId n = graph.vertices();
  const bool two_lists = graph.directed() && graph.has_in();
  const StateSize state = kcore_state(two_lists, ctx.replicas() == 1);
  std::vector<RunLists::Lists> read{{graph.out()}};
  if (two_lists) read.push_back({graph.in()});
  const RunLists lists(ctx, state, read);
  Recorder record(ctx, graph.traffic());
  Peeling peeling(ctx, graph);
  KcoreResult result;
  if (n > 0) peeling.count_degrees();
  record.step(n, graph.edges(), "count", graph.traffic());

  ctx.task().begin("peeling", n, "vertices");
  VertexId peeled = 0;
  for (std::uint32_t k = 0; !peeling.done(); ++k) {
    if (k < options.limit) k = peeling.next_level(k);
    if (k >= options.limit) {
      result.degeneracy = options.limit;
      peeling.stop_at(options.limit);
      break;
    }
    result.degeneracy = k;
    const auto work = peeling.peel(k);
    record.step(work.vertices, work.edges, "peel", graph.traffic());
    ctx.task().at(peeled += work.vertices);
  }
  ctx.task().end();
  result.report = record.finish();
  result.layers = peeling.rounds();
  result.core = peeling.take_cores();
  result.layer = peeling.take_layers();
  return result;
}

}  // namespace fathom
