// Betweenness by weight, one source at a time: lengths by delta-stepping; then path counts along
// the shortest-path edges, a vertex taking its turn when all of its entries have delivered.
#include <array>
#include <limits>

#include "fathom/algorithms/betweenness/functors.hpp"
#include "fathom/algorithms/betweenness/parts.hpp"
#include "fathom/algorithms/sssp/functors.hpp"
#include "fathom/algorithms/sssp/width.hpp"
#include "fathom/ops/bucket.hpp"
#include "fathom/ops/gather.hpp"

namespace fathom {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNone = ~std::uint32_t{0};

class WeightedSearch {
 public:
  WeightedSearch(const Context& ctx, const Graph& graph, VertexId source, Recorder& record)
      : ctx_(ctx),
        graph_(graph),
        n_(graph.vertices()),
        source_(source),
        record_(record),
        length_(ctx, n_, kFar),
        free_edges_(ctx, n_, kNone),
        waiting_(ctx, n_, 0),
        arrived_(ctx, n_, 0),
        paths_(ctx, n_, 0.0),
        gain_(ctx, n_, 0.0),
        coefficient_(ctx, n_, 0.0),
        levels_(ctx) {}

  void run(Scores& score) {
    measure();
    count_free_edges();
    count_paths();
    add_dependencies(score);
  }

 private:
  ShortestEdges shortest(const Device& d) {
    return {length_.on(d), has_free_edges_ ? free_edges_.on(d) : nullptr};
  }

  void measure() {
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

  /// Only when there are edges that add nothing: how many of them each vertex's best path has.
  void count_free_edges() {
    VertexArray<std::uint32_t, MergeOr> found(ctx_, 1, 0);
    Frontier now(ctx_, n_), next(ctx_, n_);
    now.fill();
    advance(ctx_, graph_.out(), now, nullptr, [&](const Device& d) {
      return FindFreeEdges{shortest(d), found.on(d)};
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
            return RelaxFreeEdges{shortest(d), free_edges_.on(d)};
          },
          Emit::Often);
      merge(free_edges_);
      std::swap(now, next);
    }
    has_free_edges_ = true;
  }

  void count_paths() {
    Frontier now(ctx_, n_), touched(ctx_, n_), next(ctx_, n_);
    now.fill();
    advance(ctx_, graph_.out(), now, nullptr, [&](const Device& d) {
      return CountEntries{shortest(d), waiting_.on(d)};
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
            return WeightedCountPush{shortest(d), paths_.on(d), gain_.on(d), arrived_.on(d)};
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

  void add_dependencies(Scores& score) {
    Frontier here(ctx_, n_);
    for (std::size_t level = levels_.size(); level-- > 1;) {
      levels_.load(level, here);
      const EdgeId edges = graph_.out().degree_sum(ctx_, here);
      gather(ctx_, graph_.out(), here, nullptr, [&](const Device& d) {
        return WeightedDependencyPull{shortest(d), coefficient_.on(d), gain_.on(d)};
      });
      merge(gain_);
      compute(ctx_, here, [&](const Device& d) {
        return WeightedCollect{score.on(d), paths_.on(d), gain_.on(d), coefficient_.on(d)};
      });
      record_.step(here.size(), edges, "back", graph_.traffic());
    }
  }

  const Context& ctx_;
  const Graph& graph_;
  VertexId n_;
  VertexId source_;
  Recorder& record_;
  VertexArray<double, MergeMin> length_;
  VertexArray<std::uint32_t, MergeMin> free_edges_;
  VertexArray<std::uint32_t, MergeSum> waiting_;  // shortest-path edges yet to deliver
  VertexArray<std::uint32_t, MergeSum> arrived_;
  VertexArray<double> paths_;
  VertexArray<double, MergeSum> gain_;  // zero between supersteps
  VertexArray<double> coefficient_;     // (1 + dependency) / paths
  Levels levels_;
  bool has_free_edges_ = false;
};

}  // namespace

void add_weighted_dependencies(const Context& ctx, const Graph& graph, VertexId source,
                               Scores& score, Recorder& record) {
  WeightedSearch(ctx, graph, source, record).run(score);
}

}  // namespace fathom
