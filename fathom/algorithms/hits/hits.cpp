#include "fathom/algorithms/hits/hits.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "fathom/algorithms/hits/functors.hpp"
#include "fathom/algorithms/power/power_iteration.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

using Sums = VertexArray<double, MergeSum>;

template <bool kWeighted>
class Hits {
 public:
  Hits(const Context& ctx, const Graph& graph)
      : ctx_(ctx),
        graph_(graph),
        n_(graph.vertices()),
        all_(ctx, n_),
        hub_(ctx, n_, 1 / static_cast<double>(n_)),
        authority_(ctx, n_),
        next_(ctx, n_) {
    all_.fill();
  }

  void save_to(CheckpointRun& saved) { saved.add("hub", hub_); }

  /// How far the next hubs are.
  double look_ahead() {
    authority_.fill(0);
    if (graph_.has_in())
      pull(graph_.in(), hub_, authority_);
    else
      advance(ctx_, graph_.out(), all_, nullptr, [&](const Device& d) {
        return RankPush<double, kWeighted>{hub_.on(d), authority_.on(d)};
      });
    merge(authority_);
    next_.fill(0);
    pull(graph_.out(), authority_, next_);
    merge(next_);
    refuse_bad_sum(
        "hits", reduce(
                    ctx_, n_, kNoVertex, [&](const Device& d) { return BadReceived{next_.on(d)}; },
                    MergeMin{}));
    const double total = sum_of<ValueOfNext>(HubStep{});
    step_ = {total > 0 ? 1 / total : 0};
    return total > 0 ? sum_of<StepLength>(step_) : 0;
  }
  void go_on() {
    compute(ctx_, n_, [&](const Device& d) {
      return TakeStep<HubStep>{hub_.on(d), next_.on(d), step_};
    });
  }

  void take(HitsResult& result) && {
    result.hub = std::move(hub_).take();
    result.authority = std::move(authority_).take();
    double sum = 0;
    for (VertexId v = 0; v < n_; ++v) {
      if (!(result.authority[v] >= 0)) refuse_bad_sum("hits", v);
      sum += result.authority[v];
    }
    for (double& value : result.authority) value = sum > 0 ? value / sum : 0;
    if (sum > 0) return;
    if constexpr (kWeighted) refuse_canceled();
    std::fill(result.hub.begin(), result.hub.end(), 0.0);  // nobody points anywhere
  }

 private:
  /// Authorities of 0 may come of weights below 0.
  void refuse_canceled() {
    const VertexArray<double> one(ctx_, n_, 1.0);
    next_.fill(0);
    pull(graph_.out(), one, next_);
    merge(next_);
    const Array<double> total = std::move(next_).take();
    for (VertexId v = 0; v < n_; ++v)
      if (total[v] != 0) refuse_bad_sum("hits", v);
  }
  template <class Values>
  void pull(EdgeSource& edges, const Values& value, Sums& sum) {
    gather(ctx_, edges, all_, nullptr, [&](const Device& d) {
      return RankPull<double, kWeighted>{value.on(d), sum.on(d)};
    });
  }
  template <template <class> class F>
  double sum_of(const HubStep& rule) {
    return compute_reduce(
        ctx_, n_, 0.0,
        [&](const Device& d) {
          return F<HubStep>{hub_.on(d), next_.on(d), rule};
        },
        MergeSum{});
  }

  const Context& ctx_;
  const Graph& graph_;
  VertexId n_;
  Frontier all_;
  VertexArray<double> hub_;
  Sums authority_, next_;
  HubStep step_;
};

template <bool kWeighted>
HitsResult iterate(const Context& ctx, const Graph& graph, const HitsOptions& options) {
  const StateSize state = hits_state(kWeighted);
  std::vector<RunLists::Lists> read{{graph.out(), {kWholeList, kWeighted}}};
  if (graph.directed() && graph.has_in()) read.push_back({graph.in(), {kWholeList, kWeighted}});
  const RunLists lists(ctx, state, read);
  Recorder record(ctx, graph.traffic());
  Hits<kWeighted> hits(ctx, graph);
  HitsResult result;
  CheckpointRun saved(ctx, options.checkpoint,
                      {"hits",
                       graph.vertices(),
                       graph.edges(),
                       {{"tolerance", fmt::format("{}", options.tolerance)},
                        {"weighted", fmt::format("{}", options.weighted)}}});
  hits.save_to(saved);
  result.iterations = saved.resume(options.max_iterations - 1);
  ctx.task().begin("iterating", options.max_iterations, "iterations");
  saved.run([&] {
    while (true) {
      result.residual = hits.look_ahead();
      saved.check();
      record.step(graph.vertices(), 2 * graph.edges(), graph.has_in() ? "pull" : "push",
                  graph.traffic());
      ctx.task().at(++result.iterations);
      result.converged = result.residual < options.tolerance || result.residual == 0;
      if (result.converged || result.iterations == options.max_iterations) break;
      saved.changes();
      hits.go_on();
      saved.reached(result.iterations);
    }
    if (!result.converged) saved.end();
  });
  ctx.task().end();
  result.report = record.finish();
  std::move(hits).take(result);
  result.report.converged = result.converged;
  return result;
}

}  // namespace

HitsResult hits(const Context& ctx, const Graph& graph, const HitsOptions& options) {
  if (!(options.tolerance >= 0))
    throw Error(ErrorCode::Usage,
                "hits: the tolerance cannot be " + std::to_string(options.tolerance));
  if (options.max_iterations == 0)
    throw Error(ErrorCode::Usage, "hits: at least one iteration is needed");
  if (graph.vertices() == 0) return {};
  return options.weighted && graph.weighted() ? iterate<true>(ctx, graph, options)
                                              : iterate<false>(ctx, graph, options);
}

}  // namespace fathom
