#include "fathom/algorithms/levels/levels.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "fathom/algorithms/levels/functors.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/algorithms/vertex_error.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

class Layers {
 public:
  Layers(const Context& ctx, const Graph& graph)
      : ctx_(ctx),
        graph_(graph),
        one_device_(ctx.replicas() == 1),
        level_(ctx, graph.vertices(), kNoLevel),
        waits_(std::in_place, ctx, graph.vertices(), 0),
        arrived_(std::in_place, ctx, one_device_ ? 0 : graph.vertices(), 0),
        now_(ctx, graph.vertices()),
        next_(ctx, graph.vertices()),
        touched_(ctx, graph.vertices()) {}

  /// Counts in-edges. @returns the edges that were read for it.
  EdgeId begin() {
    const EdgeId read = graph_.has_in() ? 0 : graph_.edges();
    if (graph_.has_in())
      take_lengths();
    else
      count_sources();
    find_ready(all(), now_);
    return read;
  }

  bool done() const { return now_.empty(); }
  VertexId ready() const { return now_.size(); }
  EdgeId edges() const { return graph_.out().degree_sum(ctx_, now_); }

  /// Those that wait for nobody get this level; then they are told of who waits for them.
  void give(std::uint32_t level) {
    compute(ctx_, now_, [&](const Device& d) { return GiveLevel{level_.on(d), level}; });
    if (one_device_)
      advance(ctx_, graph_.out(), now_, &next_,
              [&](const Device& d) { return Arrive{waits_->on(d)}; });
    else
      add_up_arrivals();
    std::swap(now_, next_);
  }

  struct Cycle {
    std::vector<VertexId> vertices;
    EdgeId edges = 0;  // that were read for it
  };
  /// Some vertices have no level. Each of these has a source without one: going back from source to
  /// source ends on a cycle.
  Cycle find_cycle() {
    waits_.reset();
    arrived_.reset();
    Frontier every = all();
    filter(ctx_, every, next_, [&](const Device& d) { return HasNoLevel{level_.on(d)}; });
    VertexArray<VertexId, MergeMin> source(ctx_, graph_.vertices(), kNoVertex);
    advance(ctx_, graph_.out(), next_, nullptr,
            [&](const Device& d) { return NameSource{source.on(d)}; });
    merge(source);
    const VertexId first = reduce(
        ctx_, graph_.vertices(), kNoVertex,
        [&](const Device& d) { return FirstWithout{level_.on(d)}; }, MergeMin{});
    const EdgeId edges = graph_.out().degree_sum(ctx_, next_);
    return {walk_back(std::move(source).take(), first), edges};
  }

  Array<std::uint32_t> take() { return std::move(level_).take(); }

 private:
  Frontier all() const {
    Frontier every(ctx_, graph_.vertices());
    every.fill();
    return every;
  }

  void take_lengths() {
    const VertexId refused = reduce(
        ctx_, graph_.vertices(), kNoVertex,
        [&](const Device& d) { return TooManyInEdges{graph_.in().offsets(d)}; }, MergeMin{});
    if (refused != kNoVertex)
      throw VertexError(
          ErrorCode::DoesNotFit,
          "levels: vertex {} has more than " + std::to_string(kNoLevel - 1) + " in-edges",
          {refused});
    compute(ctx_, graph_.vertices(), [&](const Device& d) {
      return AwaitList{graph_.in().offsets(d), waits_->on(d)};
    });
  }

  void count_sources() {
    Frontier every = all();
    advance(ctx_, graph_.out(), every, nullptr,
            [&](const Device& d) { return AwaitSource{waits_->on(d)}; });
    waits_->merge();
  }

  void find_ready(Frontier among, Frontier& ready) {
    filter(ctx_, among, ready, [&](const Device& d) { return WaitsForNone{waits_->on(d)}; });
  }

  /// Where no device sees all arrivals at a vertex.
  void add_up_arrivals() {
    advance(ctx_, graph_.out(), now_, &touched_,
            [&](const Device& d) { return NoteArrival{arrived_->on(d)}; });
    arrived_->merge(&touched_);
    compute(ctx_, touched_, [&](const Device& d) {
      return TakeArrivals{waits_->on(d), arrived_->on(d)};
    });
    filter(ctx_, touched_, next_, [&](const Device& d) { return WaitsForNone{waits_->on(d)}; });
  }

  /// The cycle that is arrived at from `v`, along edges, its smallest vertex first.
  static std::vector<VertexId> walk_back(const Array<VertexId>& source, VertexId v) {
    // After as many steps as there are vertices any walk goes around.
    for (std::size_t step = 0; step < source.size(); ++step) v = source[v];
    std::vector<VertexId> cycle{v};
    for (VertexId u = source[v]; u != v; u = source[u]) cycle.push_back(u);
    std::reverse(cycle.begin(), cycle.end());
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    return cycle;
  }

  const Context& ctx_;
  const Graph& graph_;
  bool one_device_;
  VertexArray<std::uint32_t> level_;
  std::optional<VertexArray<std::uint32_t, MergeSum>> waits_;
  std::optional<VertexArray<std::uint32_t, MergeSum>> arrived_;  // zero between supersteps
  Frontier now_, next_, touched_;
};

}  // namespace

LevelsResult topological_levels(const Context& ctx, const Graph& graph) {
  if (!graph.directed())
    throw Error(
        ErrorCode::Usage,
        "levels: the graph is undirected, and each of its edges a cycle: levels are those of "
        "directed graphs");
  const VertexId n = graph.vertices();
  const RunLists lists(ctx, levels_state(ctx.replicas() == 1), {{graph.out()}});
  Recorder record(ctx, graph.traffic());
  LevelsResult result;
  Layers layers(ctx, graph);
  const EdgeId counted = layers.begin();
  record.step(n, counted, "count", graph.traffic());

  ctx.task().begin("levels", n, "vertices");
  VertexId placed = 0;
  while (!layers.done()) {
    const VertexId ready = layers.ready();
    const EdgeId edges = layers.edges();
    layers.give(result.levels++);
    record.step(ready, edges, "push", graph.traffic());
    ctx.task().at(placed += ready);
  }
  ctx.task().end();
  result.without = n - placed;
  if (result.without > 0) {
    Layers::Cycle found = layers.find_cycle();
    result.cycle = std::move(found.vertices);
    record.step(result.without, found.edges, "cycle", graph.traffic());
  }
  result.report = record.finish();
  result.level = layers.take();
  return result;
}

}  // namespace fathom
