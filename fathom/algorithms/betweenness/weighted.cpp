#include "fathom/algorithms/betweenness/weighted_search.hpp"

#include <array>
#include <limits>

#include "fathom/algorithms/sssp/functors.hpp"
#include "fathom/algorithms/sssp/width.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/bucket.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"

namespace fathom {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNoFreeEdges = ~std::uint32_t{0};

}  // namespace

WeightedSearch::WeightedSearch(const Context& ctx, const Graph& graph, const Targets& targets,
                               VertexId source, Recorder& record)
    : ctx_(ctx),
      graph_(graph),
      targets_(targets),
      n_(graph.vertices()),
      source_(source),
      record_(record),
      length_(ctx, n_, kFar),
      free_edges_(ctx, n_, kNoFreeEdges),
      waiting_(ctx, n_, 0),
      arrived_(ctx, n_, 0),
      paths_(ctx, n_, 0.0),
      gain_(ctx, n_, 0.0),
      coefficient_(ctx, n_, 0.0),
      levels_(ctx) {}

void WeightedSearch::run(Scores& score) {
  measure();
  count_free_edges();
  count_paths();
  add_dependencies(score);
}

void WeightedSearch::measure() {
  length_.set(source_, 0);
  VertexArray<std::uint32_t, MergeOr> bad_weight(ctx_, 1, 0);
  Frontier pending(ctx_, n_);
  pending.assign(std::array{source_});
  Split whole(ctx_);
  bucket(
      ctx_, graph_.out(), length_, pending, double{automatic_delta(whole, graph_)},
      [&](const Device& d) {
        return Relax<double>{length_.on(d), bad_weight.on(d)};
      },
      record_);
  check_weights(bad_weight, graph_);
}

void WeightedSearch::count_free_edges() {
  VertexArray<std::uint32_t, MergeOr> found(ctx_, 1, 0);
  Frontier now(ctx_, n_), next(ctx_, n_);
  now.fill();
  advance(ctx_, graph_.out(), now, nullptr, [&](const Device& d) {
    return FindFreeEdges{shortest_edges(d), found.on(d)};
  });
  merge(found);
  if (found.get(0) == 0) return;
  free_edges_.set(source_, 0);
  now.assign(std::array{source_});
  while (!now.empty()) {
    ctx_.task().check();
    advance(
        ctx_, graph_.out(), now, &next,
        [&](const Device& d) {
          return RelaxFreeEdges{shortest_edges(d), free_edges_.on(d)};
        },
        Emit::Often);
    merge(free_edges_);
    std::swap(now, next);
  }
  has_free_edges_ = true;
}

void WeightedSearch::count_paths() {
  Frontier now(ctx_, n_), touched(ctx_, n_), next(ctx_, n_);
  now.fill();
  advance(ctx_, graph_.out(), now, nullptr, [&](const Device& d) {
    return CountEntries{shortest_edges(d), waiting_.on(d)};
  });
  merge(waiting_);
  VertexArray<std::uint32_t> overflow(ctx_, 1, 0);
  paths_.set(source_, 1);
  now.assign(std::array{source_});
  while (!now.empty()) {
    levels_.push(now);
    const EdgeId edges = graph_.out().degree_sum(ctx_, now);
    advance(
        ctx_, graph_.out(), now, &touched,
        [&](const Device& d) {
          return WeightedCountPush{shortest_edges(d), paths_.on(d), gain_.on(d), arrived_.on(d)};
        },
        Emit::Often);
    merge(gain_, arrived_);
    compute(ctx_, touched, [&](const Device& d) {
      return WeightedSettle{paths_.on(d), gain_.on(d), waiting_.on(d), arrived_.on(d),
                            overflow.on(d)};
    });
    filter(ctx_, touched, next, [&](const Device& d) { return AllArrived{waiting_.on(d)}; });
    record_.step(now.size(), edges, "count", graph_.traffic());
    std::swap(now, next);
  }
  if (overflow.get(0) != 0) throw_too_many_paths();
}

void WeightedSearch::add_dependencies(Scores& score) {
  Frontier here(ctx_, n_);
  for (std::size_t level = levels_.size(); level-- > 1;) {
    levels_.load(level, here);
    const EdgeId edges = graph_.out().degree_sum(ctx_, here);
    gather(ctx_, graph_.out(), here, nullptr, [&](const Device& d) {
      return WeightedDependencyPull{shortest_edges(d), coefficient_.on(d), gain_.on(d)};
    });
    merge(gain_);
    compute(ctx_, here, [&](const Device& d) {
      return WeightedCollect{score.on(d), paths_.on(d), gain_.on(d), coefficient_.on(d),
                             targets_.on(d)};
    });
    record_.step(here.size(), edges, "back", graph_.traffic());
  }
}

}  // namespace fathom
