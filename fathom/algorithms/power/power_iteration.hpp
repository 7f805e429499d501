// Power iterations: every vertex receives the values at the other ends of its in-edges, and a rule
// makes its next value of that, until a step leads nowhere.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fathom/algorithms/pagerank/functors.hpp"
#include "fathom/algorithms/power/functors.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/algorithms/vertex_error.hpp"
#include "fathom/exec/checkpoint/run.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/exec/split_array.hpp"
#include "fathom/ops/split_operators.hpp"
#include "fathom/residency/graph.hpp"
#include "fathom/residency/paged/split_run.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {

/// What they have in common.
struct PowerOutcome {
  Array<double> value;
  std::uint32_t iterations = 0;
  bool converged = false;
  double residual = 0;  // L1 distance that one more step would go
  RunReport report;
};

/// @throws Error(BadInput) when there is a vertex whose sum is negative or not finite.
inline void refuse_bad_sum(const char* algorithm, VertexId bad) {
  if (bad != kNoVertex)
    throw VertexError(ErrorCode::BadInput,
                      std::string(algorithm) +
                          ": vertex {} has edges whose weights are negative, or too large together",
                      {bad});
}

template <bool kWeighted>
class PowerIteration {
 public:
  /// `algorithm`: for messages.
  PowerIteration(const Context& ctx, const Graph& graph, const char* algorithm, double first)
      : ctx_(ctx),
        graph_(graph),
        algorithm_(algorithm),
        state_(power_state(algorithm, kWeighted)),
        split_run_(ctx, graph, state_),
        lists_(ctx, state_, read_by(graph, split())),
        record_(ctx, graph.traffic()),
        all_(ctx, graph.vertices()),
        pulls_(graph.has_in() && !split().on()),
        value_(split(), graph.vertices(), first, Use::AtSourceToo),
        sum_(split(), graph.vertices()) {
    all_.fill();
  }

  /// Until a step goes less far than `tolerance`, from where `saved` says. next(*this) is asked for
  /// the rule in each iteration, when all have received; goes(length) is told how far it leads.
  template <class MakeNext, class Goes>
  PowerOutcome run(double tolerance, std::uint32_t most, CheckpointRun& saved, const MakeNext& next,
                   const Goes& goes) && {
    const VertexId n = graph_.vertices();
    PowerOutcome outcome;
    saved.add("value", split(), value_);
    outcome.iterations = saved.resume(most - 1);
    ctx_.task().begin("iterating", most, "iterations");
    saved.run([&] {
      while (true) {
        receive();
        const auto rule = next(*this);
        outcome.residual = sum_of<StepLength>(rule);
        goes(outcome.residual);
        saved.check();
        record_.step(n, graph_.edges(), pulls_ ? "pull" : "push", graph_.traffic());
        ctx_.task().at(++outcome.iterations);
        outcome.converged = outcome.residual < tolerance;
        if (outcome.converged || outcome.iterations == most) break;
        saved.changes();
        compute(split(), n, [&](const Device& d) {
          return TakeStep<std::remove_const_t<decltype(rule)>>{value_.on(d), sum_.on(d), rule};
        });
        saved.reached(outcome.iterations);
      }
      if (!outcome.converged) saved.end();
    });
    ctx_.task().end();
    outcome.report = record_.finish();
    outcome.report.converged = outcome.converged;
    outcome.report.chunks = split().chunks();
    outcome.value = std::move(value_).take();
    return outcome;
  }

  /// The L2 norm of the values that a rule leads to.
  template <class Next>
  double norm_after(const Next& rule) {
    return std::sqrt(sum_of<SquareOfNext>(rule));
  }

 private:
  static std::vector<RunLists::Lists> read_by(const Graph& graph, const Split& split) {
    if (split.on()) return {};
    return {{graph.has_in() ? graph.in() : graph.out(), {kWholeList, kWeighted}}};
  }
  Split& split() { return split_run_.split(); }

  template <template <class> class F, class Next>
  double sum_of(const Next& rule) {
    return compute_reduce(
        split(), graph_.vertices(), 0.0,
        [&](const Device& d) {
          return F<Next>{value_.on(d), sum_.on(d), rule};
        },
        MergeSum{});
  }

  void receive() {
    sum_.fill(0);
    if (pulls_)
      gather(ctx_, graph_.in(), all_, nullptr, [&](const Device& d) {
        return RankPull<double, kWeighted>{value_.on(d), sum_.on(d)};
      });
    else
      advance(split(), graph_.out(), all_, nullptr, [&](const Device& d) {
        return RankPush<double, kWeighted>{value_.at_source(d), sum_.on(d)};
      });
    merge(sum_);
    const VertexId bad = reduce(
        split(), graph_.vertices(), kNoVertex,
        [&](const Device& d) { return BadReceived{sum_.on(d)}; }, MergeMin{});
    refuse_bad_sum(algorithm_, bad);
  }

  const Context& ctx_;
  const Graph& graph_;
  const char* algorithm_;
  StateSize state_;
  SplitRun split_run_;
  RunLists lists_;
  Recorder record_;
  Frontier all_;
  bool pulls_;  // state that is split is pushed to: what sources give then streams with the pages
  SplitArray<double> value_;
  SplitArray<double, MergeSum> sum_;
};

/// For certificates, by the host but for the edges, which are pushed along: what every vertex
/// receives of `value`.
template <bool kWeighted>
Array<double> received_from(const Context& ctx, const Graph& graph, std::span<const double> value) {
  VertexArray<double> held(ctx, graph.vertices());
  VertexArray<double, MergeSum> sum(ctx, graph.vertices(), 0);
  held.assign(value);
  Frontier all(ctx, graph.vertices());
  all.fill();
  advance(ctx, graph.out(), all, nullptr, [&](const Device& d) {
    return RankPush<double, kWeighted>{held.on(d), sum.on(d)};
  });
  merge(sum);
  return std::move(sum).take();
}

/// The same against the edges: what every vertex receives of those that it points to.
template <bool kWeighted>
Array<double> returned_from(const Context& ctx, const Graph& graph, std::span<const double> value) {
  Array<double> sum(graph.vertices(), 0.0, ctx.host_memory());
  const auto lists = graph.out().read_lists();
  for (VertexId u = 0; u < graph.vertices(); ++u) {
    if (u % (1 << 16) == 0) ctx.task().check();
    lists->read(u, [&](const PlainSpan& span) {
      for (std::uint32_t i = 0; i < span.size; ++i)
        sum[u] += value[span.target(i)] * (kWeighted ? static_cast<double>(span.weight(i)) : 1);
    });
  }
  return sum;
}

/// How far the rule leads from `value`, added up over the vertices.
template <class Next>
double step_length(std::span<const double> value, std::span<const double> received,
                   const Next& rule) {
  double length = 0;
  for (std::size_t v = 0; v < value.size(); ++v)
    length += std::abs(rule.of(value[v], received[v]) - value[v]);
  return length;
}

inline double norm_of(std::span<const double> value) {
  double squares = 0;
  for (const double x : value) squares += x * x;
  return std::sqrt(squares);
}

}  // namespace fathom
