#include "fathom/algorithms/pagerank/pagerank.hpp"

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "fathom/algorithms/pagerank/conjugate.hpp"
#include "fathom/algorithms/pagerank/functors.hpp"
#include "fathom/algorithms/pagerank/rank_pieces.hpp"
#include "fathom/algorithms/pagerank/received.hpp"
#include "fathom/algorithms/pagerank/relaxation.hpp"
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
        own_(graph.has_in() && !split.on() && !split.context().separate()
                 ? seen_whole(graph.in(), kWeighted)
                 : std::nullopt),
        in_place_(options.in_place && keeps_mass(walk) && own_),
        begun_in_place_(in_place_ ? 1 : 0),
        relaxation_(relaxation(graph, options)),
        received_(split, graph, own_, !in_place_),
        rank_(split, graph.vertices(), walk.uniform_jump) {
    // A walk that jumps to few vertices stays near them: elsewhere ranks are right from the start.
    if (!options.start.empty())
      rank_.assign(with_sum_one(options.start));
    else if (walk_.jump.size() > 0)
      rank_.assign(walk_.jump);
    last_ = give_first();
    saved_.add("rank", split_, rank_);
    saved_.add("tally", last_);
    saved_.add("in place", begun_in_place_);
    saved_.add("relaxation", relaxation_);
    saved_.before_writing([this] {
      if (in_place_) rank_.whole().share(*own_);
    });
  }

  /// Ranks and the tally are those of a checkpoint: shares follow. Ranks that were updated in place
  /// have a sum of their own, which iterations of the walk would take long to make 1.
  void resumed() {
    const bool to_one = begun_in_place_ == 1 && !in_place_ && walk_.spread_dangling;
    const double scale = to_one && last_.mass > 0 ? 1 / last_.mass : 1;
    begun_in_place_ = in_place_ ? 1 : 0;
    give_first(scale);
    last_.dangling *= scale;
  }

  /// One iteration; returns the L1 change, or what it counts for.
  double step() {
    if (!in_place_) {
      last_ = pull_or_push();
      return last_.change / mass();
    }
    last_ = pull_in_place();
    const double change = last_.change / mass(), counted = change * relaxation_.counted();
    relaxation_.swept(change);
    return counted;
  }
  bool settled() const { return true; }
  void end() const {}
  const char* direction() const { return received_.direction(); }

  Array<double> take() && {
    if (in_place_) rank_.whole().share(*own_);
    return std::move(rank_).take();
  }

 private:
  RankTally give_first(double scale = 1) {
    return compute_reduce(
        split_, graph_.vertices(), RankTally{},
        [&](const Device& d) {
          return GiveFirst<Share>{update_on(d), scale};
        },
        MergeSum{});
  }

  /// Without jumps nothing brings back what updates in place lose, and where ranks end depends on
  /// where they began.
  static bool keeps_mass(const RankWalk& walk) { return walk.alpha < 1; }
  /// Ranks go further in place where that is known to end. Ranks that others update are a piece
  /// old, and may swing.
  Relaxation relaxation(const Graph& graph, const PagerankOptions& options) const {
    const bool does = in_place_ && split_.context().ranks() == 1 &&
                      is_symmetric_system(graph.directed(), options.alpha, options.tolerance);
    return does ? Relaxation(options.alpha) : Relaxation();
  }
  RankUpdate<Share> update_on(const Device& d) {
    return {rank_.on(d),
            received_.share_on(d),
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
    const auto make = [&](const Device& d) {
      return RankPullInPlace<Share, kWeighted>{
          {received_.share_on(d), nullptr}, update_on(d), relaxation_.further()};
    };
    const Context& ctx = split_.context();
    if (ctx.ranks() == 1) return gather(ctx, graph_.in(), received_.all(), nullptr, make);
    if (!pieces_) pieces_.emplace(ctx, graph_.in(), *own_);
    const Device& host = ctx.devices()[0];
    return pieces_->gather(make(host), received_.share_on(host));
  }

  RankTally pull_or_push() {
    received_.collect();
    saved_.changes();
    return compute_reduce(
        split_, graph_.vertices(), RankTally{},
        [&](const Device& d) {
          return ApplyReceived<Share>{update_on(d), received_.sum_on(d)};
        },
        MergeSum{});
  }

  Split& split_;
  const Graph& graph_;
  const RankWalk& walk_;
  CheckpointRun& saved_;
  std::optional<VertexRange> own_;  // of ranks, which update theirs and tell the others then
  bool in_place_;
  std::uint32_t begun_in_place_;  // 1: the ranks of the last checkpoint were updated in place
  Relaxation relaxation_;
  Received<Share, kWeighted> received_;
  SplitArray<double> rank_;
  std::optional<RankPieces<Share>> pieces_;  // where ranks update in place
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

constexpr const char* kConjugate = "conjugate gradients";
constexpr const char* kWalk = "power iteration";

/// Whether a walk is to be solved as a symmetric system: where it can be and ranks are not updated
/// in place; and as it was begun, wherever its edges are now.
bool may_be_conjugate(const Context& ctx, const Graph& graph, const PagerankOptions& options) {
  if (!options.in_place || !is_symmetric_system(graph.directed(), options.alpha, options.tolerance))
    return false;
  if (const std::string begun = setting_to_resume(ctx, options.checkpoint, "method");
      !begun.empty())
    return begun == kConjugate;
  return ctx.separate() || !seen_whole(graph.in(), options.weighted && graph.weighted());
}

/// What a run is of, beside its state.
struct WalkRun {
  const Context& ctx;
  const Graph& graph;
  const PagerankOptions& options;
  FewJumps jumps;
  const CheckpointRun::Subject& subject;
};

/// Nothing: shares have to be doubles.
template <class Share, class Method>
std::optional<PagerankResult> iterate(const WalkRun& walk_run, const char* method,
                                      const StateSize& state, Split& split) {
  const Context& ctx = walk_run.ctx;
  const Graph& graph = walk_run.graph;
  const PagerankOptions& options = walk_run.options;
  CheckpointRun::Subject its = walk_run.subject;
  its.settings.push_back({"method", method});
  CheckpointRun saved(ctx, options.checkpoint, std::move(its));
  std::vector<RunLists::Lists> read;
  if (!split.on())
    read.push_back({graph.has_in() ? graph.in() : graph.out(), {kWholeList, state.weights}});
  const RunLists lists(ctx, state, read);
  Recorder record(ctx, graph.traffic());
  const RankWalk walk(split, graph, options, walk_run.jumps);
  if (std::is_same_v<Share, float> && !walk.floats_do) return std::nullopt;
  Method ranks(split, graph, walk, options, saved);
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
      result.converged = result.residual < walk.tolerance && ranks.settled();
      if (!result.converged) saved.reached(result.iterations);
      record.step(graph.vertices(), graph.edges(), ranks.direction(), graph.traffic());
      ctx.task().at(result.iterations);
    }
    if (!result.converged) saved.end();
  });
  ctx.task().end();
  ranks.end();
  result.report = record.finish();
  result.rank = std::move(ranks).take();
  if (walk.spread_dangling) scale_to_one(ctx, result.rank);
  result.report.converged = result.converged;
  result.report.chunks = split.chunks();
  return result;
}

/// By conjugate gradients where that can be and their state fits in one piece, else by iterations
/// of the walk. Nothing: shares have to be doubles.
template <class Share, bool kWeighted>
std::optional<PagerankResult> run(const WalkRun& walk_run) {
  const auto& [ctx, graph, options, jumps, subject] = walk_run;
  PagerankState state{.share_bytes = sizeof(Share),
                      .weights = kWeighted,
                      .personalized = !options.personalization.empty() || !jumps.empty(),
                      .conjugate = may_be_conjugate(ctx, graph, options)};
  if (state.conjugate) {
    const StateSize size = pagerank_state(state);
    try {
      SplitRun split_run(ctx, graph, size);
      if (!split_run.split().on())
        return iterate<Share, ConjugateGradients<Share, kWeighted>>(walk_run, kConjugate, size,
                                                                    split_run.split());
    } catch (const Error& e) {
      // Ranks would have to agree on it.
      if (e.code() != ErrorCode::DoesNotFit || ctx.ranks() > 1) throw;
    }
    if (options.checkpoint && !options.checkpoint->resume.empty())
      throw Error(ErrorCode::DoesNotFit,
                  fmt::format("the checkpoint was begun by conjugate gradients, whose {} bytes for "
                              "each vertex do not fit here in one piece: more memory is needed, or "
                              "a run from the beginning",
                              size.whole));
    state.conjugate = false;
  }
  const StateSize size = pagerank_state(state);
  SplitRun split_run(ctx, graph, size);
  return iterate<Share, PowerIteration<Share, kWeighted>>(walk_run, kWalk, size, split_run.split());
}

}  // namespace

PagerankResult walk_from(const Context& ctx, const Graph& graph, const PagerankOptions& options,
                         FewJumps jumps, const char* algorithm,
                         const CheckpointSettings& settings) {
  check_arguments(graph, options);
  if (graph.vertices() == 0) return {};
  const CheckpointRun::Subject subject{algorithm, graph.vertices(), graph.edges(), settings};
  const WalkRun walk_run{ctx, graph, options, jumps, subject};
  const bool weighted = options.weighted && graph.weighted();
  std::optional<PagerankResult> result;
  if (effective_tolerance(graph, options) >= kFloatShareTolerance)
    result = weighted ? run<float, true>(walk_run) : run<float, false>(walk_run);
  if (!result) result = weighted ? run<double, true>(walk_run) : run<double, false>(walk_run);
  return *std::move(result);
}

PagerankResult pagerank(const Context& ctx, const Graph& graph, const PagerankOptions& options) {
  if (!options.checkpoint) return walk_from(ctx, graph, options, {}, "pagerank", {});
  const char* const compat = options.compat == PagerankCompat::Gap        ? "gap"
                             : options.compat == PagerankCompat::Networkx ? "networkx"
                                                                          : "none";
  return walk_from(
      ctx, graph, options, {}, "pagerank",
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
