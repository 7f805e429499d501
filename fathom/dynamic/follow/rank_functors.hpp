// What ranks that follow a graph do on an edge, a vertex and a changed list, for any executor. Of a
// vertex there are q, and what is lacking of it.
#pragma once

#include "fathom/algorithms/pagerank/functors.hpp"
#include "fathom/dynamic/follow/incremental_functors.hpp"

namespace fathom::dynamic {

/// A vertex takes what it lacks, and each of its edges will give a share of that.
struct TakeResidual {
  static constexpr bool kDeviceCode = true;
  DynamicEdges lists;
  double alpha;
  double *q, *residual, *share;

  FATHOM_HD void operator()(VertexId v) const {
    const double amount = residual[v];
    residual[v] = 0;
    q[v] += amount;
    const std::uint32_t degree = lists.degree(v);
    share[v] = degree == 0 ? 0 : alpha * amount / degree;
  }
};

/// Adds to what v lacks; whether that is too much to be left.
struct Residuals {
  double* residual;
  double enough;

  FATHOM_HD bool add(VertexId v, double amount) const {
    const double now = AtomicRef(residual[v]).fetch_add(amount) + amount;
    return now > enough || now < -enough;
  }
};

struct GiveShare {
  static constexpr bool kDeviceCode = true;
  static constexpr OnlyEdges kOnlyEdges = OnlyEdges::Dynamic;
  Residuals to;
  const double* share;
  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const { return to.add(v, share[u]); }
};

/// What each edge of a list with other degree than before gives more, or less, than it did.
struct ShareOfList {
  static constexpr bool kDeviceCode = true;
  const ChangedList* list;
  const double* q;
  double alpha;
  double* share;
  std::uint64_t* changed;

  FATHOM_HD void operator()(VertexId i) const {
    const ChangedList& its = list[i];
    if (its.before == its.after) return;
    const double mine = alpha * q[its.source];
    share[its.source] =
        (its.after == 0 ? 0 : mine / its.after) - (its.before == 0 ? 0 : mine / its.before);
    set_bit(changed, its.source);
  }
};

/// Along edges that came, or went, an old share was given, or will not be: shares are of the edges
/// of now, as if these had been there before.
struct MoveShare {
  static constexpr bool kDeviceCode = true;
  ChangesRef changes;
  const double* q;
  double alpha;
  Residuals to;
  std::uint64_t* frontier;

  FATHOM_HD void operator()(VertexId i) const {
    const ChangedEdge e = changes.edge[i];
    const std::uint32_t had = list_of(e.source).before;
    if (had == 0) return;
    const double part = (static_cast<double>(e.after) - e.before) / had;
    if (to.add(e.target, alpha * q[e.source] * part)) set_bit(frontier, e.target);
  }
  FATHOM_HD const ChangedList& list_of(VertexId source) const {
    VertexId first = 0, last = changes.lists - 1;
    while (first < last) {
      const VertexId middle = first + (last - first) / 2;
      if (changes.list[middle].source < source)
        first = middle + 1;
      else
        last = middle;
    }
    return changes.list[first];
  }
};

struct IsLacking {
  static constexpr bool kDeviceCode = true;
  Residuals of;
  FATHOM_HD bool operator()(VertexId v) const {
    return of.residual[v] > of.enough || of.residual[v] < -of.enough;
  }
};

/// Edges that leave the frontier.
struct FrontierEdges {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* frontier;
  DynamicEdges lists;
  FATHOM_HD EdgeId operator()(VertexId v) const {
    return has_bit(frontier, v) ? lists.degree(v) : 0;
  }
};

/// What each vertex lacks before anything is given, and what its edges give.
struct BeginResiduals {
  static constexpr bool kDeviceCode = true;
  DynamicEdges lists;
  double alpha;
  const double* q;
  double *residual, *share;

  FATHOM_HD void operator()(VertexId v) const {
    residual[v] = 1 - q[v];
    const std::uint32_t degree = lists.degree(v);
    share[v] = degree == 0 ? 0 : alpha * q[v] / degree;
  }
};

/// What each edge gives before a sweep, after which nobody lacks anything that is known.
struct BeginSweep {
  static constexpr bool kDeviceCode = true;
  DynamicEdges lists;
  double alpha;
  double *q, *residual, *share;

  FATHOM_HD RankTally operator()(VertexId v) const {
    residual[v] = 0;
    return give(v, q[v]);
  }
  FATHOM_HD RankTally give(VertexId v, double now) const {
    const std::uint32_t degree = lists.degree(v);
    const bool dangling = degree == 0;
    AtomicRef(share[v]).store(dangling ? 0 : alpha * now / degree);
    return {0, dangling ? now : 0, now};
  }
};
/// Pull: what is given and a jump are the new q, which the vertices that follow use at once.
struct SweepRank {
  static constexpr bool kDeviceCode = true;
  static constexpr OnlyEdges kOnlyEdges = OnlyEdges::Dynamic;
  BeginSweep its;
  double jump;

  using Value = double;
  using Tally = RankTally;
  FATHOM_HD double identity() const { return 0; }
  FATHOM_HD double map(VertexId, VertexId u, Weight) const {
    return AtomicRef(its.share[u]).load();
  }
  FATHOM_HD double combine(double a, double b) const { return a + b; }
  FATHOM_HD bool commit(VertexId v, double given, RankTally& tally) const {
    const double now = jump + given, change = now - its.q[v];
    its.q[v] = now;
    tally = tally + its.give(v, now);
    tally.change += change > -change ? change : -change;  // no branch: signs are random
    return false;
  }
};
struct ScaleRank {
  static constexpr bool kDeviceCode = true;
  double* q;
  double scale;
  FATHOM_HD void operator()(VertexId v) const { q[v] *= scale; }
};
struct DanglingRank {
  static constexpr bool kDeviceCode = true;
  DynamicEdges lists;
  const double* rank;
  FATHOM_HD double operator()(VertexId v) const { return lists.degree(v) == 0 ? rank[v] : 0; }
};
struct ValueOf {
  static constexpr bool kDeviceCode = true;
  const double* value;
  FATHOM_HD double operator()(VertexId v) const { return value[v]; }
};

}  // namespace fathom::dynamic
