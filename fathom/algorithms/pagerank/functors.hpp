// What PageRank does on an edge and a vertex, for any executor.
//
// Share is the type of what a vertex gives along each edge (per unit of weight): read once per
// edge at random places, so that half the bytes are nearly half the time. Sums and ranks are
// double.
#pragma once

#include <type_traits>

#include "fathom/core/atomic.hpp"
#include "fathom/ops/only_edges.hpp"

namespace fathom {

/// What one iteration adds up over the vertices.
struct RankTally {
  double change = 0;    // sum of |new rank - old rank|
  double dangling = 0;  // rank of the vertices that give nothing to any other
  double mass = 0;      // sum of the new ranks
  FATHOM_HD RankTally operator+(const RankTally& o) const {
    return {change + o.change, dangling + o.dangling, mass + o.mass};
  }
};

/// The weight of a vertex's out-edges; 0: dangling.
struct OutTotal {
  const double* weight;  // [vertices]; null: unweighted, the degree
  const EdgeId* offset;  // [vertices + 1]
  FATHOM_HD double of(VertexId u) const {
    return weight ? weight[u] : static_cast<double>(offset[u + 1] - offset[u]);
  }
};

/// Turns what a vertex received into its rank and its next share.
template <class Share>
struct RankUpdate {
  double* rank;
  Share* share;
  OutTotal total;
  const double* jump;  // distribution of jumps; null: uniform_jump for every vertex
  double uniform_jump;
  double alpha, dangling;  // `dangling`: rank to be spread like jumps
  double mass = 1;         // of all ranks: what jumps are a share of

  FATHOM_HD void apply(VertexId u, double received, RankTally& tally) const {
    const double now = alpha * received + jumps_to(u);
    add_change(now - rank[u], tally);
    set(u, now, tally);
  }
  /// The same, but the rank goes further than that by a share of its change: not below what jumps
  /// alone give it. The next vertex may wait for it, so all else is put aside.
  FATHOM_HD void apply(VertexId u, double received, double further, RankTally& tally) const {
    if (further == 0) return apply(u, received, tally);
    const double least = jumps_to(u), was = rank[u];
    double now = (1 + further) * alpha * received + ((1 + further) * least - further * was);
    if (now < least) [[unlikely]]
      now = least;
    add_change(alpha * received + least - was, tally);
    set(u, now, tally);
  }
  FATHOM_HD double jumps_to(VertexId u) const {
    return (alpha * dangling + (1 - alpha) * mass) * (jump ? jump[u] : uniform_jump);
  }
  FATHOM_HD static void add_change(double change, RankTally& tally) {
    tally.change += change > -change ? change : -change;  // no branch: signs are random
  }
  FATHOM_HD void set(VertexId u, double now, RankTally& tally) const {
    tally.mass += now;
    rank[u] = now;
    give(u, now, tally);
  }
  FATHOM_HD void give(VertexId u, double now, RankTally& tally) const {
    if (const double out = total.of(u); out > 0) {
      // In place the next vertex may wait for this share: it need not wait for a division too.
      const double each = 1 / out;
      AtomicRef(share[u]).store(static_cast<Share>(now * each));
    } else {
      AtomicRef(share[u]).store(Share{0});
      tally.dangling += now;
    }
  }
};

/// The first shares, before any iteration, of ranks that are scaled so.
template <class Share>
struct GiveFirst {
  static constexpr bool kDeviceCode = true;
  RankUpdate<Share> update;
  double scale;
  FATHOM_HD RankTally operator()(VertexId v) const {
    RankTally tally;
    update.rank[v] *= scale;
    update.give(v, update.rank[v], tally);
    return tally;
  }
};

/// A vertex's next rank and share from what it received.
template <class Share>
struct ApplyReceived {
  static constexpr bool kDeviceCode = true;
  RankUpdate<Share> update;
  const double* sum;
  FATHOM_HD RankTally operator()(VertexId v) const {
    RankTally tally;
    update.apply(v, sum[v], tally);
    return tally;
  }
};

/// The first vertex whose out-weight is neither 0 nor from `least` to `most` is the smallest of
/// these.
struct OutWeightBeyond {
  static constexpr bool kDeviceCode = true;
  const double* weight;
  double least, most;
  FATHOM_HD VertexId operator()(VertexId v) const {
    const double its = weight[v];
    return its == 0 || (its >= least && its <= most) ? kNoVertex : v;
  }
};

/// What a vertex receives along its in-edges.
template <class Share, bool kWeighted>
struct RankPull {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = kWeighted;
  const Share* share;
  double* sum;

  using Value = double;
  using Chunk = Share;
  FATHOM_HD double identity() const { return 0; }
  FATHOM_HD double map(VertexId u, VertexId v, Weight w) const { return chunk(u, v, w); }
  FATHOM_HD Share chunk(VertexId, VertexId v, Weight w) const {
    const Share s = AtomicRef(const_cast<Share&>(share[v])).load();
    if constexpr (kWeighted) return s * static_cast<Share>(w);
    return s;
  }
  FATHOM_HD double combine(double a, double b) const { return a + b; }
  FATHOM_HD bool commit(VertexId u, double received) const {
    AtomicRef(sum[u]).fetch_add(received);
    return false;
  }
};

/// The same where every list is shown whole and committed once: the new rank is used at once by the
/// vertices that follow (Gauss-Seidel), which takes fewer iterations.
template <class Share, bool kWeighted>
struct RankPullInPlace : RankPull<Share, kWeighted> {
  static constexpr bool kDeviceCode = false;  // on a GPU it takes longer (docs/adr/0022)
  RankUpdate<Share> update;
  double further = 0;  // see Relaxation

  using Tally = RankTally;
  FATHOM_HD bool commit(VertexId u, double received, RankTally& tally) const {
    update.apply(u, received, further, tally);
    return false;
  }
};

template <class Share, bool kWeighted>
struct RankPush {
  static constexpr bool kDeviceCode = true, kSplitOnGpu = true;
  static constexpr bool kReadsWeights = kWeighted;
  const Share* share;
  double* sum;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight w) const {
    double s = static_cast<double>(share[u]);
    if constexpr (kWeighted) s *= static_cast<double>(w);
    AtomicRef(sum[v]).fetch_add(s);
    return false;
  }
};

/// Adds up the weights of out-edges; not a number or infinite when one is not in [0, inf).
struct OutWeights {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = true;
  double* total;

  using Value = double;
  FATHOM_HD double identity() const { return 0; }
  FATHOM_HD double map(VertexId, VertexId, Weight w) const {
    return w >= 0 ? static_cast<double>(w) : __builtin_nan("");
  }
  FATHOM_HD double combine(double a, double b) const { return a + b; }
  FATHOM_HD bool commit(VertexId u, double sum) const {
    AtomicRef(total[u]).fetch_add(sum);
    return false;
  }
};

}  // namespace fathom
