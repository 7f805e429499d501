// What conjugate gradients do at a vertex, for any executor. See conjugate.hpp for what they solve.
#pragma once

#include "fathom/algorithms/pagerank/functors.hpp"

namespace fathom {

/// What a walk on an undirected graph is made of.
struct WalkMass {
  double out = 0;    // weights of all edges: degrees added up
  double jumps = 0;  // the share of jumps that ends at vertices with edges
  FATHOM_HD WalkMass operator+(const WalkMass& o) const { return {out + o.out, jumps + o.jumps}; }
};
struct MassOfVertex {
  static constexpr bool kDeviceCode = true;
  OutTotal total;
  const double* jump;  // null: uniform_jump for every vertex
  double uniform_jump;
  FATHOM_HD WalkMass operator()(VertexId v) const {
    const double out = total.of(v);
    if (!(out > 0)) return {};
    return {out, jump ? jump[v] : uniform_jump};
  }
};

/// Sums over the vertices, of their residuals.
struct ResidualTally {
  double change = 0;  // of their absolute values: what an iteration of the walk would change
  double energy = 0;  // of their squares, over the out-weight
  double moved = 0;   // of what the step added to ranks, of its absolute values
  FATHOM_HD ResidualTally operator+(const ResidualTally& o) const {
    return {change + o.change, energy + o.energy, moved + o.moved};
  }
};

/// The system at a vertex. Shares are those of the direction, so that what is read along edges and
/// what is added to ranks are the same number, however it is rounded.
template <class Share>
struct ConjugateState {
  double* rank;
  double* residual;  // what an iteration of the walk would add to the rank
  Share* share;      // of the direction; in the first step of the ranks
  OutTotal total;
  const double* jump;
  double uniform_jump;
  double alpha;
  double jumps;  // that a walk makes in a step: (1 - alpha), and those from dangling vertices

  FATHOM_HD static double absolute(double x) { return x > -x ? x : -x; }
  FATHOM_HD double jumps_to(VertexId v) const { return jumps * (jump ? jump[v] : uniform_jump); }
  FATHOM_HD ResidualTally set_residual(VertexId v, double value, double out) const {
    residual[v] = value;
    return {absolute(value), value * value / out, 0};
  }
};

/// The sum of the ranks at vertices with edges, as far as they are not negative.
struct MassAtEdges {
  static constexpr bool kDeviceCode = true;
  OutTotal total;
  const double* rank;
  FATHOM_HD double operator()(VertexId v) const {
    return total.of(v) > 0 && rank[v] > 0 ? rank[v] : 0;
  }
};

/// The ranks to begin with, in all what they are in the end, and their shares. Vertices that no
/// edge reaches are right at once.
template <class Share>
struct StartConjugate {
  static constexpr bool kDeviceCode = true;
  ConjugateState<Share> at;
  double of_ranks;  // of those that are there, which are not read if it is 0
  double of_jumps, of_out;

  FATHOM_HD void operator()(VertexId v) const {
    const double out = at.total.of(v), jumps = at.jumps_to(v);
    at.residual[v] = 0;
    at.share[v] = 0;
    if (!(out > 0)) {
      at.rank[v] = jumps;
      return;
    }
    double begin = of_jumps * jumps + of_out * out;
    if (of_ranks > 0) begin += of_ranks * (at.rank[v] > 0 ? at.rank[v] : 0);
    at.share[v] = static_cast<Share>(begin / out);
    at.rank[v] = static_cast<double>(at.share[v]) * out;
  }
};

/// The residual of the ranks, from what they give.
template <class Share>
struct FirstResidual {
  static constexpr bool kDeviceCode = true;
  ConjugateState<Share> at;
  const double* sum;
  FATHOM_HD ResidualTally operator()(VertexId v) const {
    const double out = at.total.of(v);
    if (!(out > 0)) return {};
    return at.set_residual(v, at.jumps_to(v) + at.alpha * sum[v] - at.rank[v], out);
  }
};

/// The direction times what the system makes of it, over the out-weight.
template <class Share>
struct Curvature {
  static constexpr bool kDeviceCode = true;
  ConjugateState<Share> at;
  const double* sum;
  FATHOM_HD double operator()(VertexId v) const {
    const auto share = static_cast<double>(at.share[v]);
    return share * (share * at.total.of(v) - at.alpha * sum[v]);
  }
};

/// Goes so far in the direction. All the way in that of the residual is an iteration of the walk.
template <class Share>
struct StepAlong {
  static constexpr bool kDeviceCode = true;
  ConjugateState<Share> at;
  const double* sum;
  double step;
  FATHOM_HD ResidualTally operator()(VertexId v) const {
    const double out = at.total.of(v);
    if (!(out > 0)) return {};
    const double direction = static_cast<double>(at.share[v]) * out;
    at.rank[v] += step * direction;
    ResidualTally its =
        at.set_residual(v, at.residual[v] - step * (direction - at.alpha * sum[v]), out);
    its.moved = at.absolute(step * direction);
    return its;
  }
};

/// The next direction: the residual, and `keep` of the last one.
template <class Share>
struct NextDirection {
  static constexpr bool kDeviceCode = true;
  ConjugateState<Share> at;
  double keep;
  FATHOM_HD void operator()(VertexId v) const {
    const double out = at.total.of(v);
    if (!(out > 0)) return;
    const double last = keep > 0 ? keep * static_cast<double>(at.share[v]) : 0;
    at.share[v] = static_cast<Share>(at.residual[v] / out + last);
  }
};

/// The ranks after one more iteration of the walk, for which no edge is read; none below zero.
template <class Share>
struct EndConjugate {
  static constexpr bool kDeviceCode = true;
  ConjugateState<Share> at;
  FATHOM_HD void operator()(VertexId v) const {
    const double rank = at.rank[v] + at.residual[v];
    at.rank[v] = rank > 0 ? rank : 0;
  }
};

}  // namespace fathom
