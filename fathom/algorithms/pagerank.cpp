#include "fathom/algorithms/pagerank.hpp"

#include <functional>

#include "fathom/algorithms/pagerank_functors.hpp"
#include "fathom/algorithms/pagerank_walk.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"

namespace fathom {
namespace {

template <class Share, bool kWeighted>
class PowerIteration {
 public:
  PowerIteration(const Context& ctx, const Graph& graph, const RankWalk& walk, bool in_place)
      : ctx_(ctx),
        graph_(graph),
        walk_(walk),
        all_(ctx, graph.vertices()),
        in_place_(in_place && graph.has_in() && graph.in().whole({kWholeList, kWeighted})),
        rank_(ctx, graph.vertices(), 1.0 / graph.vertices()),
        share_(ctx, graph.vertices()),
        sum_(ctx, in_place_ ? 0 : graph.vertices()) {
    all_.fill();
    // A walk that jumps to few vertices stays near them: elsewhere ranks are right from the start.
    if (walk_.jump.size() > 0)
      for (const Device& d : ctx.devices())
        ctx.copy(rank_.on(d), walk_.jump.on(d), walk_.jump.size() * sizeof(double));
    last_ = compute_reduce(
        ctx_, graph_.vertices(), RankTally{},
        [&](const Device& d) { return GiveFirst<Share>{update_on(d)}; }, MergeSum{});
  }

  /// One iteration; returns the L1 change.
  double step() {
    last_ = in_place_ ? pull_in_place() : pull_or_push();
    return last_.change / mass();
  }
  const char* direction() const { return graph_.has_in() ? "pull" : "push"; }

  Array<double> take() && { return std::move(rank_).take(); }

 private:
  RankUpdate<Share> update_on(const Device& d) {
    return {rank_.on(d),
            share_.on(d),
            walk_.total_on(d),
            walk_.jump_on(d),
            walk_.uniform_jump,
            walk_.alpha,
            walk_.spread_dangling ? last_.dangling : 0,
            mass()};
  }

  /// Ranks updated in place do not keep their sum. Jumps are a share of it, so that the sum cancels
  /// out and only the ranks' proportions have to converge; it is made 1 at the end.
  double mass() const {
    return in_place_ && walk_.spread_dangling && last_.mass > 0 ? last_.mass : 1;
  }

  RankTally pull_in_place() {
    return gather(ctx_, graph_.in(), all_, nullptr, [&](const Device& d) {
      return RankPullInPlace<Share, kWeighted>{{share_.on(d), nullptr}, update_on(d)};
    });
  }

  RankTally pull_or_push() {
    sum_.fill(0);
    if (graph_.has_in())
      gather(ctx_, graph_.in(), all_, nullptr, [&](const Device& d) {
        return RankPull<Share, kWeighted>{share_.on(d), sum_.on(d)};
      });
    else
      advance(ctx_, graph_.out(), all_, nullptr, [&](const Device& d) {
        return RankPush<Share, kWeighted>{share_.on(d), sum_.on(d)};
      });
    merge(sum_);
    return compute_reduce(
        ctx_, graph_.vertices(), RankTally{},
        [&](const Device& d) {
          return ApplyReceived<Share>{update_on(d), sum_.on(d)};
        },
        MergeSum{});
  }

  const Context& ctx_;
  const Graph& graph_;
  const RankWalk& walk_;
  Frontier all_;
  bool in_place_;
  VertexArray<double> rank_;
  VertexArray<Share> share_;
  VertexArray<double, MergeSum> sum_;
  RankTally last_;
};

/// In-place updates keep proportions, not the sum.
void scale_to_one(const Context& ctx, Array<double>& rank) {
  constexpr std::size_t kGrain = std::size_t{1} << 14;
  const double sum = parallel_reduce(
      ctx.threads(), rank.size(), kGrain, 0.0,
      [&](std::size_t first, std::size_t last) {
        double part = 0;
        for (std::size_t v = first; v < last; ++v) part += rank[v];
        return part;
      },
      std::plus<>());
  parallel_for(ctx.threads(), rank.size(), kGrain, [&](std::size_t first, std::size_t last, int) {
    for (std::size_t v = first; v < last; ++v) rank[v] /= sum;
  });
}

template <class Share, bool kWeighted>
PagerankResult iterate(const Context& ctx, const Graph& graph, const PagerankOptions& options) {
  (graph.has_in() ? graph.in() : graph.out()).prepare(ctx, {kWholeList, kWeighted});
  Recorder record(ctx, graph.traffic());
  const RankWalk walk(ctx, graph, options);
  PowerIteration<Share, kWeighted> ranks(ctx, graph, walk, options.in_place);
  PagerankResult result;
  result.converged = false;
  ctx.task().begin("iterating", options.max_iterations, "iterations");
  while (!result.converged && result.iterations < options.max_iterations) {
    result.residual = ranks.step();
    ++result.iterations;
    result.converged = result.residual < walk.tolerance;
    record.step(graph.vertices(), graph.edges(), ranks.direction(), graph.traffic());
    ctx.task().at(result.iterations);
  }
  ctx.task().end();
  result.report = record.finish();
  result.rank = std::move(ranks).take();
  if (walk.spread_dangling) scale_to_one(ctx, result.rank);
  result.report.converged = result.converged;
  return result;
}

}  // namespace

PagerankResult pagerank(const Context& ctx, const Graph& graph, const PagerankOptions& options) {
  check_arguments(graph, options);
  if (graph.vertices() == 0) return {};
  const bool weighted = options.weighted && graph.weighted();
  if (effective_tolerance(graph, options) >= kFloatShareTolerance)
    return weighted ? iterate<float, true>(ctx, graph, options)
                    : iterate<float, false>(ctx, graph, options);
  return weighted ? iterate<double, true>(ctx, graph, options)
                  : iterate<double, false>(ctx, graph, options);
}

}  // namespace fathom
