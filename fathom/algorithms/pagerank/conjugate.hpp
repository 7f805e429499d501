// PageRank of an undirected graph by conjugate gradients (Hestenes and Stiefel, 1952).
//
// Vertices without edges have their rank at once, and with it the jumps of a step are known: those
// of (1 - alpha), and those from such vertices. What is left to solve is
//
//   rank = jumps + alpha A D^-1 rank
//
// where A holds the weights of edges and D their sums. A is symmetric, and so is the system in the
// product <x, y> = sum of x[v] y[v] / D[v], in which it is positive definite for alpha < 1. Its
// condition is at most (1 + alpha) / (1 - alpha): 12 for the usual alpha. Where iterations of the
// walk shrink what is left by alpha each, as on roads and in the order of a crawl, these shrink it
// by .56.
//
// The residual is what an iteration of the walk would change: it stops both methods alike. At the
// end that iteration is made, for its sums are there. Steps may pass below zero where ranks are
// next to nothing; of 32,000 small graphs, with weights of one to ten thousand and walks that jump
// once in a hundred steps, none had a larger residual once that was zero.
#pragma once

#include <cmath>

#include "fathom/algorithms/pagerank/conjugate_functors.hpp"
#include "fathom/algorithms/pagerank/received.hpp"
#include "fathom/algorithms/pagerank/walk.hpp"
#include "fathom/exec/checkpoint/run.hpp"

namespace fathom {

template <class Share, bool kWeighted>
class ConjugateGradients {
 public:
  ConjugateGradients(Split& split, const Graph& graph, const RankWalk& walk,
                     const PagerankOptions& options, CheckpointRun& saved)
      : split_(split),
        vertices_(graph.vertices()),
        walk_(walk),
        saved_(saved),
        received_(split, graph, std::nullopt, true),
        rank_(split, vertices_),
        residual_(split, vertices_) {
    const WalkMass mass = compute_reduce(
        split_, vertices_, WalkMass{},
        [&](const Device& d) {
          return MassOfVertex{walk_.total_on(d), walk_.jump_on(d), walk_.uniform_jump};
        },
        MergeSum{});
    const double lost = walk_.spread_dangling ? 1 - mass.jumps : 0;
    jumps_ = (1 - walk_.alpha) / (1 - walk_.alpha * lost);
    at_edges_ = jumps_ * mass.jumps / (1 - walk_.alpha);
    if (!options.start.empty()) rank_.assign(with_sum_one(options.start));
    if (options.start.empty() || !begin_at_ranks()) {
      // Walks from everywhere end where the edges are; those from a few vertices stay near them.
      if (walk_.jump.size() == 0 && mass.out > 0)
        begin(0, 1, walk_.alpha * at_edges_ / mass.out);
      else
        begin(0, 1 / (1 - walk_.alpha), 0);
    }
    saved_.add("rank", split_, rank_);
    saved_.add("residual", split_, residual_);
    saved_.add("direction", split_, received_.share());
    saved_.add("state", state_);
  }

  void resumed() {}

  /// One read of the edges; returns what another iteration of the walk would change (L1).
  double step() {
    received_.collect();
    saved_.changes();
    double keep = 0;
    switch (state_.next) {
      case Next::First:
        state_.left = over_vertices<FirstResidual<Share>>();
        state_.next = state_.walks == 1 ? Next::Walk : Next::Along;
        break;
      case Next::Along: {
        const double energy = state_.left.energy;
        const double curvature = compute_reduce(
            split_, vertices_, 0.0,
            [&](const Device& d) {
              return Curvature<Share>{at(d), received_.sum_on(d)};
            },
            MergeSum{});
        // Rounded away, out of the range of shares, or of lists that say they are of an undirected
        // graph and are not: iterations of the walk go on from the ranks.
        if (!(curvature > 0) || !std::isfinite(curvature) || !std::isfinite(energy)) {
          state_.walks = 1;
          begin_anew();
          return state_.left.change;
        }
        state_.left = over_vertices<StepAlong<Share>>(energy / curvature);
        state_.moved += state_.left.moved;
        keep = state_.left.energy / energy;
        break;
      }
      case Next::Walk:
        state_.left = over_vertices<StepAlong<Share>>(1.0);
        break;
    }
    compute(split_, vertices_, [&](const Device& d) { return NextDirection<Share>{at(d), keep}; });
    return state_.left.change;
  }

  /// Once the residual is small enough: whether it is known well enough. Every step rounds it by as
  /// much as a float, or a double, rounds what the step moves; where that may be a quarter of the
  /// tolerance (weights that differ by many orders, walks that hardly ever jump), the next step
  /// finds it anew from the ranks.
  bool settled() {
    constexpr double kRounding = std::is_same_v<Share, float> ? 0x1p-23 : 0x1p-50;
    if (4 * kRounding * state_.moved < walk_.tolerance) return true;
    begin_anew();
    return false;
  }

  const char* direction() const { return received_.direction(); }

  /// What is below zero, which no rank is in the end, is zero.
  void end() {
    compute(split_, vertices_, [&](const Device& d) { return EndConjugate<Share>{at(d)}; });
  }
  Array<double> take() && { return std::move(rank_).take(); }

 private:
  enum class Next : std::uint64_t {
    First,  // shares are of the ranks: the residual is not known yet
    Along,  // of a direction that is conjugate to those before
    Walk,   // of the residual
  };
  struct State {
    ResidualTally left;
    double moved = 0;  // since the residual was found from the ranks
    Next next = Next::First;
    std::uint64_t walks = 0;  // 1: to the end
  };

  /// The residuals of ranks whose sum is right add up to nothing, and steps leave that so: what is
  /// wrong with the sum would have to be divided by 1 - alpha.
  void begin(double of_ranks, double of_jumps, double of_out) {
    compute(split_, vertices_, [&](const Device& d) {
      return StartConjugate<Share>{at(d), of_ranks, of_jumps, of_out};
    });
  }
  /// False where all of them are zero.
  bool begin_at_ranks() {
    const double mass = reduce(
        split_, vertices_, 0.0,
        [&](const Device& d) {
          return MassAtEdges{walk_.total_on(d), rank_.on(d)};
        },
        MergeSum{});
    if (mass > 0) begin(at_edges_ / mass, 0, 0);
    return mass > 0;
  }
  void begin_anew() {
    begin_at_ranks();
    state_.next = Next::First;
    state_.moved = 0;
  }
  ConjugateState<Share> at(const Device& d) {
    return {rank_.on(d),      residual_.on(d),    received_.share_on(d), walk_.total_on(d),
            walk_.jump_on(d), walk_.uniform_jump, walk_.alpha,           jumps_};
  }
  template <class F, class... More>
  ResidualTally over_vertices(More... more) {
    return compute_reduce(
        split_, vertices_, ResidualTally{},
        [&](const Device& d) {
          return F{at(d), received_.sum_on(d), more...};
        },
        MergeSum{});
  }

  Split& split_;
  VertexId vertices_;
  const RankWalk& walk_;
  CheckpointRun& saved_;
  Received<Share, kWeighted> received_;
  SplitArray<double> rank_, residual_;
  double jumps_ = 0;     // in a step
  double at_edges_ = 0;  // of all rank, in the end
  State state_;
};

}  // namespace fathom
