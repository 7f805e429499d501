#include "fathom/algorithms/radius/radius.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "fathom/algorithms/radius/functors.hpp"
#include "fathom/algorithms/radius/parts.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/exec/checkpoint/run.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

constexpr std::uint32_t kMostSketches = 256;
constexpr double kFraction = 0x1p16;         // of fixed-point estimates
constexpr double kFlajoletMartin = 0.77351;  // 2^(mean score) is this times the number, on average

void check_arguments(const RadiusOptions& options) {
  if (options.sketches < 2 || options.sketches > kMostSketches || options.sketches % 2 != 0)
    throw Error(ErrorCode::Usage, "radius: expected an even number of sketches from 2 to " +
                                      std::to_string(kMostSketches) + ", found " +
                                      std::to_string(options.sketches));
  if (!(options.quantile > 0 && options.quantile <= 1))
    throw Error(ErrorCode::Usage,
                "radius: expected a quantile in (0, 1], found " + std::to_string(options.quantile));
}

/// [score]: the number of vertices it stands for.
std::vector<std::uint64_t> estimates(std::uint32_t sketches) {
  std::vector<std::uint64_t> table(sketches * std::size_t{32} + 1);
  for (std::size_t score = 0; score < table.size(); ++score) {
    const double mean = static_cast<double>(score) / sketches;
    table[score] =
        static_cast<std::uint64_t>(std::llround(std::exp2(mean) / kFlajoletMartin * kFraction));
  }
  return table;
}

class Sketches {
 public:
  Sketches(const Context& ctx, const Graph& graph, const RadiusOptions& options)
      : ctx_(ctx),
        graph_(graph),
        words_(options.sketches / 2),
        window_(score_slack(options) + 1),
        now_(ctx, std::size_t{graph.vertices()} * words_),
        next_(ctx, std::size_t{graph.vertices()} * words_),
        score_(ctx, graph.vertices()),
        hop_at_(ctx, std::size_t{graph.vertices()} * window_),
        farthest_(ctx, graph.vertices()),
        estimate_(ctx, options.sketches * std::size_t{32} + 1),
        grown_(ctx, graph.vertices()),
        growing_(ctx, graph.vertices()),
        all_(ctx, graph.vertices()) {
    estimate_.assign(estimates(options.sketches));
    const RandomStream random(options.seed, 0);
    compute(ctx, graph.vertices(), [&](const Device& d) {
      return StartSketches{rows_on(d), state_on(d), random};
    });
    grown_.fill();
    all_.fill();
  }

  void save_to(CheckpointRun& saved) {
    saved.add("sketches", now_);
    saved.add("score", score_);
    saved.add("hop_at", hop_at_);
    saved.add("farthest", farthest_);
  }
  /// What follows from what was saved after round `hop`.
  void go_on_from(std::uint32_t hop) {
    compute(ctx_, graph_.vertices(), [&](const Device& d) { return RestoreSketches{rows_on(d)}; });
    filter(ctx_, all_, grown_, [&](const Device& d) { return GrewAt{farthest_.on(d), hop}; });
  }

  /// Vertices whose sketches grew in the last round; at first all.
  const Frontier& grown() const { return grown_; }
  const char* direction() const { return tells() ? "push" : "pull"; }
  EdgeId edges_of_round() {
    return tells() ? graph_.in().degree_sum(ctx_, grown_) : graph_.edges();
  }

  void round(std::uint32_t hop, CheckpointRun& saved) {
    if (tells()) {
      advance(
          ctx_, graph_.in(), grown_, &growing_,
          [&](const Device& d) { return TellSketch{rows_on(d)}; }, Emit::Often);
    } else {
      grown_.make_bitmap();
      gather(ctx_, graph_.out(), all_, &growing_, [&](const Device& d) {
        return AskSketches{rows_on(d), grown_.on(d).bits};
      });
    }
    merge(next_);
    saved.changes();
    compute(ctx_, growing_, [&](const Device& d) {
      return SettleSketches{rows_on(d), state_on(d), hop};
    });
    std::swap(grown_, growing_);
  }

  /// Estimated pairs within the rounds so far.
  double pairs() {
    const PairSum sum = reduce(
        ctx_, graph_.vertices(), PairSum{},
        [&](const Device& d) {
          return EstimateReached{score_.on(d), estimate_.on(d)};
        },
        MergeSum{});
    return (static_cast<double>(sum.high) * 0x1p32 + static_cast<double>(sum.low)) / kFraction;
  }

  Array<std::uint32_t> take_farthest() { return std::move(farthest_).take(); }

  /// The oldest round that is remembered is the one whose score stands for the quantile.
  Array<std::uint32_t> take_effective_radius() {
    const Array<std::uint32_t> hop_at = std::move(hop_at_).take();
    Array<std::uint32_t> radius(graph_.vertices(), ctx_.host_memory());
    for (std::size_t v = 0; v < radius.size(); ++v) radius[v] = hop_at[v * window_ + window_ - 1];
    return radius;
  }

 private:
  /// Whether it is known who has an edge to a vertex.
  bool tells() const { return graph_.has_in(); }
  SketchRows rows_on(const Device& d) { return {now_.on(d), next_.on(d), words_}; }
  RadiusState state_on(const Device& d) {
    return {score_.on(d), hop_at_.on(d), window_, farthest_.on(d)};
  }

  const Context& ctx_;
  const Graph& graph_;
  std::uint32_t words_, window_;
  VertexArray<std::uint64_t> now_;
  VertexArray<std::uint64_t, MergeOr> next_;
  VertexArray<std::uint32_t> score_, hop_at_, farthest_;
  VertexArray<std::uint64_t> estimate_;
  Frontier grown_, growing_, all_;
};

}  // namespace

std::uint32_t score_slack(const RadiusOptions& options) {
  // The small number keeps a quantile like 0.5, whose logarithm is whole, from rounding down.
  return static_cast<std::uint32_t>(
      std::floor(-std::log2(options.quantile) * options.sketches + 1e-9));
}

double effective_diameter(std::span<const double> pairs, double quantile) {
  if (pairs.empty()) return 0;
  const double wanted = quantile * pairs.back();
  if (pairs.front() >= wanted) return 0;
  std::size_t h = 1;
  while (pairs[h] < wanted) ++h;
  return static_cast<double>(h - 1) + (wanted - pairs[h - 1]) / (pairs[h] - pairs[h - 1]);
}

RadiusResult estimate_radius(const Context& ctx, const Graph& graph, const RadiusOptions& options) {
  check_arguments(options);
  const VertexId n = graph.vertices();
  if (n == 0) return {};
  const RunLists lists(ctx, radius_state(options.sketches, score_slack(options) + 1),
                       {{graph.has_in() ? graph.in() : graph.out()}});
  Recorder record(ctx, graph.traffic());
  Sketches sketches(ctx, graph, options);
  RadiusResult result;
  result.pairs.push_back(static_cast<double>(n));  // each reaches itself
  CheckpointRun saved(ctx, options.checkpoint,
                      {"radius",
                       n,
                       graph.edges(),
                       {{"sketches", fmt::format("{}", options.sketches)},
                        {"seed", fmt::format("{}", options.seed)},
                        {"quantile", fmt::format("{}", options.quantile)}}});
  sketches.save_to(saved);
  saved.add("pairs", result.pairs);
  const std::uint32_t begin = saved.resume(options.max_hops);
  if (begin > 0) sketches.go_on_from(begin);
  result.diameter = begin;
  ctx.task().begin("reaching", 0, "hops");
  saved.run([&] {
    for (std::uint32_t hop = begin + 1; !sketches.grown().empty(); ++hop) {
      if (hop > options.max_hops) {
        result.converged = false;
        saved.end();
        break;
      }
      const VertexId active = sketches.grown().size();
      const EdgeId edges = sketches.edges_of_round();
      sketches.round(hop, saved);
      if (!sketches.grown().empty()) {
        result.diameter = hop;
        result.pairs.push_back(std::max(result.pairs.back(), sketches.pairs()));
        saved.reached(hop);
      }
      record.step(active, edges, sketches.direction(), graph.traffic());
      ctx.task().at(hop);
    }
  });
  ctx.task().end();
  result.report = record.finish();
  result.report.iterations += begin;
  result.report.converged = result.converged;
  result.effective_diameter = effective_diameter(result.pairs, options.quantile);
  result.farthest = sketches.take_farthest();
  result.effective_radius = sketches.take_effective_radius();
  return result;
}

}  // namespace fathom
