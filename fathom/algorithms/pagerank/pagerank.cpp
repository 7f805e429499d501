#include "fathom/algorithms/pagerank/pagerank.hpp"

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <vector>

#include "fathom/algorithms/pagerank/functors.hpp"
#include "fathom/algorithms/pagerank/walk.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/exec/checkpoint/run.hpp"
#include "fathom/ops/split_operators.hpp"
#include "fathom/residency/paged/split_run.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

template <class Share, bool kWeighted>
class PowerIteration {
 public:
  PowerIteration(Split& split, const Graph& graph, const RankWalk& walk,
                 const PagerankOptions& options, CheckpointRun& saved)
      : split_(split),
        graph_(graph),
        walk_(walk),
        saved_(saved),
        all_(split.context(), graph.vertices()),
        pulls_(graph.has_in() && !split.on()),
        own_(pulls_ && !split.context().separate() ? seen_whole(graph.in(), kWeighted)
                                                   : std::nullopt),
        in_place_(options.in_place && keeps_mass(walk) && own_),
        rank_(split, graph.vertices(), walk.uniform_jump),
        share_(split, graph.vertices(), Use::AtSourceToo),
        sum_(split, in_place_ ? 0 : graph.vertices()) {
    all_.fill();
    // A walk that jumps to few vertices stays near them: elsewhere ranks are right from the start.
    if (!options.start.empty())
      rank_.assign(with_sum_one(options.start));
    else if (walk_.jump.size() > 0)
      rank_.assign(walk_.jump);
    last_ = give_first();
    saved_.add("rank", split_, rank_);
    saved_.add("tally", last_);
    saved_.before_writing([this] {
      if (in_place_) rank_.whole().share(*own_);
    });
  }

  /// Ranks and the tally are those of a checkpoint: shares follow.
  void resumed() { give_first(); }

  /// One iteration; returns the L1 change.
  double step() {
    last_ = in_place_ ? pull_in_place() : pull_or_push();
    return last_.change / mass();
  }
  const char* direction() const { return pulls_ ? "pull" : "push"; }

  Array<double> take() && {
    if (in_place_) rank_.whole().share(*own_);
    return std::move(rank_).take();
  }

 private:
  RankTally give_first() {
    return compute_reduce(
        split_, graph_.vertices(), RankTally{},
        [&](const Device& d) { return GiveFirst<Share>{update_on(d)}; }, MergeSum{});
  }

  /// Without jumps nothing brings back what updates in place lose, and where ranks end depends on
  /// where they began.
  static bool keeps_mass(const RankWalk& walk) { return walk.alpha < 1; }
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
    saved_.changes();
    const RankTally tally =
        gather(split_.context(), graph_.in(), all_, nullptr, [&](const Device& d) {
          return RankPullInPlace<Share, kWeighted>{{share_.on(d), nullptr}, update_on(d)};
        });
    share_.whole().share(*own_);
    return tally;
  }

  RankTally pull_or_push() {
    sum_.fill(0);
    if (pulls_)
      gather(split_.context(), graph_.in(), all_, nullptr, [&](const Device& d) {
        return RankPull<Share, kWeighted>{share_.on(d), sum_.on(d)};
      });
    else
      advance(split_, graph_.out(), all_, nullptr, [&](const Device& d) {
        return RankPush<Share, kWeighted>{share_.at_source(d), sum_.on(d)};
      });
    if (pulls_ && own_ && split_.context().ranks() > 1)
      sum_.whole().share(*own_);
    else
      merge(sum_);
    saved_.changes();
    return compute_reduce(
        split_, graph_.vertices(), RankTally{},
        [&](const Device& d) {
          return ApplyReceived<Share>{update_on(d), sum_.on(d)};
        },
        MergeSum{});
  }

  Split& split_;
  const Graph& graph_;
  const RankWalk& walk_;
  CheckpointRun& saved_;
  Frontier all_;
  bool pulls_;  // state that is split is pushed to: what sources give then streams with the pages
  std::optional<VertexRange> own_;  // of ranks, which update theirs and tell the others then
  bool in_place_;
  SplitArray<double> rank_;
  SplitArray<Share> share_;
  SplitArray<double, MergeSum> sum_;
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
PagerankResult iterate(const Context& ctx, const Graph& graph, const PagerankOptions& options,
                       CheckpointRun& saved) {
  const StateSize state =
      pagerank_state({sizeof(Share), kWeighted, !options.personalization.empty()});
  SplitRun split_run(ctx, graph, state);
  Split& split = split_run.split();
  std::vector<RunLists::Lists> read;
  if (!split.on())
    read.push_back({graph.has_in() ? graph.in() : graph.out(), {kWholeList, kWeighted}});
  const RunLists lists(ctx, state, read);
  Recorder record(ctx, graph.traffic());
  const RankWalk walk(split, graph, options);
  PowerIteration<Share, kWeighted> ranks(split, graph, walk, options, saved);
  PagerankResult result;
  saved.add("residual", result.residual);
  result.iterations = saved.resume(options.max_iterations);
  if (result.iterations > 0) ranks.resumed();
  result.converged = false;
  ctx.task().begin("iterating", options.max_iterations, "iterations");
  saved.run([&] {
    while (!result.converged && result.iterations < options.max_iterations) {
      result.residual = ranks.step();
      ++result.iterations;
      result.converged = result.residual < walk.tolerance;
      if (!result.converged) saved.reached(result.iterations);
      record.step(graph.vertices(), graph.edges(), ranks.direction(), graph.traffic());
      ctx.task().at(result.iterations);
    }
    if (!result.converged) saved.end();
  });
  ctx.task().end();
  result.report = record.finish();
  result.rank = std::move(ranks).take();
  if (walk.spread_dangling) scale_to_one(ctx, result.rank);
  result.report.converged = result.converged;
  result.report.chunks = split.chunks();
  return result;
}

}  // namespace

PagerankResult walk_from(const Context& ctx, const Graph& graph, const PagerankOptions& options,
                         const char* algorithm, const CheckpointSettings& settings) {
  check_arguments(graph, options);
  if (graph.vertices() == 0) return {};
  CheckpointRun saved(ctx, options.checkpoint,
                      {algorithm, graph.vertices(), graph.edges(), settings});
  const bool weighted = options.weighted && graph.weighted();
  if (effective_tolerance(graph, options) >= kFloatShareTolerance)
    return weighted ? iterate<float, true>(ctx, graph, options, saved)
                    : iterate<float, false>(ctx, graph, options, saved);
  return weighted ? iterate<double, true>(ctx, graph, options, saved)
                  : iterate<double, false>(ctx, graph, options, saved);
}

PagerankResult pagerank(const Context& ctx, const Graph& graph, const PagerankOptions& options) {
  if (!options.checkpoint) return walk_from(ctx, graph, options, "pagerank", {});
  const char* const compat = options.compat == PagerankCompat::Gap        ? "gap"
                             : options.compat == PagerankCompat::Networkx ? "networkx"
                                                                          : "none";
  return walk_from(
      ctx, graph, options, "pagerank",
      {{"alpha", fmt::format("{}", options.alpha)},
       {"tolerance", fmt::format("{}", options.tolerance)},
       {"weighted", fmt::format("{}", options.weighted)},
       {"compat", compat},
       {"in-place", fmt::format("{}", options.in_place)},
       {"personalization", options.personalization.empty()
                               ? "none"
                               : checkpoint_digest(std::as_bytes(options.personalization))}});
}

}  // namespace fathom
