// The certificate of PageRank.
#include <cmath>
#include <functional>
#include <string>

#include "fathom/algorithms/pagerank/functors.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/pagerank/walk.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

/// The L1 distance between the ranks and what one iteration makes of them.
template <bool kWeighted>
double residual_of(const Context& ctx, const Graph& graph, const PagerankOptions& options,
                   const Array<double>& ranks) {
  const VertexId n = graph.vertices();
  Split whole(ctx);
  RankWalk walk(whole, graph, options);
  VertexArray<double> rank(ctx, n), share(ctx, n);
  VertexArray<double, MergeSum> sum(ctx, n, 0);
  rank.assign(ranks);
  double dangling = 0;
  auto update_on = [&](const Device& d) {
    return RankUpdate<double>{rank.on(d),        share.on(d), walk.total_on(d), walk.jump_on(d),
                              walk.uniform_jump, walk.alpha,  dangling};
  };
  auto over_vertices = [&](const auto& make) {
    return compute_reduce(ctx, n, RankTally{}, make, std::plus<>());
  };
  const RankTally before = over_vertices([&](const Device& d) {
    return [update = update_on(d)](VertexId v) {
      RankTally tally;
      update.give(v, update.rank[v], tally);
      return tally;
    };
  });
  dangling = walk.spread_dangling ? before.dangling : 0;
  Frontier all(ctx, n);
  all.fill();
  advance(ctx, graph.out(), all, nullptr, [&](const Device& d) {
    return RankPush<double, kWeighted>{share.on(d), sum.on(d)};
  });
  merge(sum);
  const RankTally after = over_vertices([&](const Device& d) {
    return [update = update_on(d), received = sum.on(d)](VertexId v) {
      RankTally tally;
      update.apply(v, received[v], tally);
      return tally;
    };
  });
  return after.change;
}

}  // namespace

void verify_pagerank(const Context& ctx, const Graph& graph, const PagerankOptions& options,
                     const PagerankResult& result) {
  if (result.rank.size() != graph.vertices()) refute("pagerank", "not one rank per vertex");
  if (result.rank.empty()) return;
  double sum = 0;
  for (std::size_t v = 0; v < result.rank.size(); ++v) {
    if (!(result.rank[v] >= 0 && std::isfinite(result.rank[v])))
      refute("pagerank",
             "vertex " + std::to_string(v) + " has the rank " + std::to_string(result.rank[v]));
    sum += result.rank[v];
  }
  const double tolerance = effective_tolerance(graph, options);
  const double rounding = tolerance >= kFloatShareTolerance ? kFloatShareError : 1e-12;
  // In-place updates that lose rank may keep more than there is, by their error.
  const double error = (result.residual + rounding) * options.alpha / (1 - options.alpha);
  const bool lossy = options.compat == PagerankCompat::Gap;
  if (lossy ? sum > 1 + 1e-9 + error : std::abs(sum - 1) > 1e-9)
    refute("pagerank", "the ranks sum to " + std::to_string(sum));

  if (result.converged != (result.residual < tolerance))
    refute("pagerank", "the reported residual contradicts the reported convergence");
  if (result.iterations == 0) return;
  const bool weighted = options.weighted && graph.weighted();
  const double found = weighted ? residual_of<true>(ctx, graph, options, result.rank)
                                : residual_of<false>(ctx, graph, options, result.rank);
  // An iteration contracts by alpha; scaling to the sum 1 moves ranks as much again.
  const double allowed = 2 * (result.converged ? tolerance : result.residual) + rounding;
  if (found > allowed)
    refute("pagerank", "one more iteration changes the ranks by " + std::to_string(found) +
                           ", more than " + std::to_string(allowed));
}

}  // namespace fathom
