#include "fathom/algorithms/bellman_ford/bellman_ford.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "fathom/algorithms/bad_weight.hpp"
#include "fathom/algorithms/bellman_ford/cycles.hpp"
#include "fathom/algorithms/bellman_ford/functors.hpp"
#include "fathom/algorithms/check_sources.hpp"
#include "fathom/algorithms/sssp/functors.hpp"
#include "fathom/algorithms/sssp/parts.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

[[noreturn]] void refuse_input(const std::string& what) {
  throw Error(ErrorCode::BadInput, "bellman-ford: " + what);
}

/// When to look for a cycle: for as much as half of what was spent since, or where rounds of few
/// edges do not end.
class Patience {
 public:
  explicit Patience(EdgeId edges) : enough_(2 * edges) {}
  void add(EdgeId edges) {
    edges_ += edges;
    ++rounds_;
  }
  bool is_over() const { return edges_ >= enough_ || rounds_ >= next_; }
  void restart() {
    edges_ = 0;
    next_ = std::max(next_, 2 * rounds_);
  }

 private:
  EdgeId enough_, edges_ = 0;
  std::uint64_t rounds_ = 0, next_ = 32;
};

template <class Length>
class Rounds {
 public:
  Rounds(const Context& ctx, const Graph& graph, VertexId source, Recorder& record,
         BellmanFordResult& result)
      : ctx_(ctx),
        graph_(graph),
        record_(record),
        result_(result),
        length_(ctx, graph.vertices(), kInfinity),
        before_(ctx, graph.vertices(), kInfinity),
        fell_(ctx, graph.vertices(), 0),
        seen_(ctx, 1, 0),
        now_(ctx, graph.vertices()),
        next_(ctx, graph.vertices()),
        patience_(graph.edges()) {
    now_.keep_list();  // long paths have many rounds of few vertices
    next_.keep_list();
    length_.set(source, 0);
    before_.set(source, 0);
    now_.assign(std::array{source});
  }

  void run() {
    for (;;) {
      while (!now_.empty()) {
        relax();
        if (!now_.empty() && (patience_.is_over() || since_cut_ >= graph_.vertices()))
          look_for_cycles();
        ctx_.task().check();
      }
      if ((noticed() & kTooShort) == 0) return;
      if (!cut_cycles())
        refuse_input("the graph has a path whose length is below the range of floating point");
    }
  }

  void finish() {
    const VertexId n = graph_.vertices();
    result_.reached = reduce(
        ctx_, n, VertexId{0}, [&](const Device& d) { return CountReached<Length>{length_.on(d)}; },
        MergeSum{});
    result_.without = reduce(
        ctx_, n, VertexId{0},
        [&](const Device& d) { return CountBottomless<Length>{length_.on(d)}; }, MergeSum{});
  }
  Array<Length> take() && { return std::move(length_).take(); }

 private:
  void relax() {
    list_few(now_);
    const VertexId vertices = now_.size();
    const EdgeId edges = graph_.out().degree_sum(ctx_, now_);
    advance(
        ctx_, graph_.out(), now_, &next_,
        [&](const Device& d) {
          return RelaxInRound<Length>{before_.on(d), length_.on(d), seen_.on(d)};
        },
        Emit::Often);
    length_.merge(&next_);
    ++round_;
    ++since_cut_;
    compute(ctx_, next_, [&](const Device& d) {
      return KeepLength<Length>{length_.on(d), before_.on(d), fell_.on(d), round_};
    });
    std::swap(now_, next_);
    patience_.add(edges);
    record_.step(vertices, edges, "relax", graph_.traffic());
  }

  /// What edges have shown so far, none of it a weight that is not finite.
  std::uint32_t noticed() {
    seen_.merge();
    const std::uint32_t seen = seen_.get(0);
    if ((seen & kBadWeight) != 0)
      refuse_weights(graph_, "bellman-ford: weights must be finite",
                     [](Weight w) { return !std::isfinite(w); });
    return seen;
  }

  void look_for_cycles() {
    const bool must_be = since_cut_ >= graph_.vertices();
    patience_.restart();
    if ((noticed() & kNegativeWeight) == 0) return;
    if (!cut_cycles() && must_be)
      refuse_input(
          "rounded sums fall for ever along a cycle that is not negative: distances of its "
          "weights need more precision");
  }

  /// @returns whether there was a negative cycle; then its vertices are those to go on from.
  bool cut_cycles() {
    std::vector<VertexId> lost;
    for (std::vector<VertexId>& cycle : detail::cycles_among(name_parents())) {
      const double weight = detail::cycle_weight(graph_, cycle).value_or(0);
      if (!(weight < 0)) continue;
      if (result_.cycles.empty()) result_.cycle_weight = weight;
      lost.insert(lost.end(), cycle.begin(), cycle.end());
      result_.cycles.push_back(std::move(cycle));
    }
    if (lost.empty()) return false;
    next_.assign(lost);
    compute(ctx_, next_, [&](const Device& d) {
      return LoseLength<Length>{length_.on(d), before_.on(d)};
    });
    now_.unite(next_);
    since_cut_ = 0;
    if ((noticed() & kTooShort) != 0) {  // on a cycle, or also elsewhere: that is seen again
      seen_.set(0, kNegativeWeight);
      find_lengths();
      now_.unite(next_);
    }
    return true;
  }

  Array<VertexId> name_parents() {
    VertexArray<VertexId, MergeMin> parent(ctx_, graph_.vertices(), kNoVertex);
    find_lengths();
    advance(ctx_, graph_.out(), next_, nullptr, [&](const Device& d) {
      return NameParent<Length>{length_.on(d), fell_.on(d), parent.on(d)};
    });
    parent.merge();
    record_.step(next_.size(), graph_.out().degree_sum(ctx_, next_), "cycles", graph_.traffic());
    return std::move(parent).take();
  }

  /// next_: vertices with a distance.
  void find_lengths() {
    Frontier all(ctx_, graph_.vertices());
    all.fill();
    filter(ctx_, all, next_, [&](const Device& d) { return HasLength<Length>{length_.on(d)}; });
  }

  const Context& ctx_;
  const Graph& graph_;
  Recorder& record_;
  BellmanFordResult& result_;
  VertexArray<Length, MergeMin> length_;
  VertexArray<Length> before_;       // equal between rounds
  VertexArray<std::uint32_t> fell_;  // in which round
  VertexArray<std::uint32_t, MergeOr> seen_;
  Frontier now_, next_;
  Patience patience_;
  std::uint32_t round_ = 0;
  VertexId since_cut_ = 0;  // rounds
};

template <class Length>
BellmanFordResult relax_in_rounds(const Context& ctx, const Graph& graph, VertexId source) {
  const RunLists lists(ctx, bellman_ford_state(sizeof(Length)),
                       {{graph.out(), {kWholeList, true}}});
  Recorder record(ctx, graph.traffic());
  BellmanFordResult result;
  Rounds<Length> rounds(ctx, graph, source, record, result);
  rounds.run();
  rounds.finish();
  result.report = record.finish();
  distances_of<Length>(result) = std::move(rounds).take();
  return result;
}

}  // namespace

BellmanFordResult bellman_ford(const Context& ctx, const Graph& graph, VertexId source,
                               const BellmanFordOptions& options) {
  check_sources(graph, {&source, 1});
  return options.precision == SsspPrecision::Double ? relax_in_rounds<double>(ctx, graph, source)
                                                    : relax_in_rounds<Weight>(ctx, graph, source);
}

}  // namespace fathom
