// What ranks that follow a graph do on an edge, a vertex and a changed list, for any executor. Of a
// vertex there are q, and what is lacking of it.
#pragma once

#include "fathom/dynamic/incremental_functors.hpp"

namespace fathom::dynamic {

/// A vertex takes what it lacks, and each of its edges will give a share of that.
struct TakeResidual {
  static constexpr bool kDeviceCode = true;
  const DynamicList* list;
  double alpha;
  double *q, *residual, *share;

  FATHOM_HD void operator()(VertexId v) const {
    const double amount = residual[v];
    residual[v] = 0;
    q[v] += amount;
    share[v] = list[v].size == 0 ? 0 : alpha * amount / list[v].size;
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

/// Edges that an old share was given along, or will not be: shares are of the edges of now, as if
/// these had been there before.
struct MovedShare {
  VertexId source, target;
  double part;  // of q * alpha
};
struct MoveShare {
  static constexpr bool kDeviceCode = true;
  const MovedShare* moved;
  const double* q;
  double alpha;
  Residuals to;
  std::uint64_t* frontier;

  FATHOM_HD void operator()(VertexId i) const {
    const MovedShare m = moved[i];
    if (to.add(m.target, alpha * q[m.source] * m.part)) set_bit(frontier, m.target);
  }
};

struct IsLacking {
  static constexpr bool kDeviceCode = true;
  Residuals of;
  FATHOM_HD bool operator()(VertexId v) const {
    return of.residual[v] > of.enough || of.residual[v] < -of.enough;
  }
};

struct HasFewEdges {
  static constexpr bool kDeviceCode = true;
  const DynamicList* list;
  std::uint32_t degree;
  FATHOM_HD bool operator()(VertexId v) const { return list[v].size <= degree; }
};

/// Edges that leave the frontier.
struct FrontierEdges {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* frontier;
  const DynamicList* list;
  FATHOM_HD EdgeId operator()(VertexId v) const { return has_bit(frontier, v) ? list[v].size : 0; }
};

/// Makes ranks those that jumps of 1 from every vertex come to, and what they lack; and what their
/// edges give.
struct StartRanks {
  static constexpr bool kDeviceCode = true;
  const DynamicList* list;
  double alpha, scale;
  double *q, *residual, *share;

  FATHOM_HD void operator()(VertexId v) const {
    q[v] *= scale;
    residual[v] = 1 - q[v];
    share[v] = list[v].size == 0 ? 0 : alpha * q[v] / list[v].size;
  }
};
struct DanglingRank {
  static constexpr bool kDeviceCode = true;
  const DynamicList* list;
  const double* rank;
  FATHOM_HD double operator()(VertexId v) const { return list[v].size == 0 ? rank[v] : 0; }
};
struct ValueOf {
  static constexpr bool kDeviceCode = true;
  const double* value;
  FATHOM_HD double operator()(VertexId v) const { return value[v]; }
};

}  // namespace fathom::dynamic
