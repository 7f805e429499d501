// What several walks at once do on an edge and a vertex, for any executor. A vertex has a row of K
// numbers, one per walk, and each list is read once for all of them.
#pragma once

#include <cstdint>

#include "fathom/algorithms/pagerank/functors.hpp"

namespace fathom {

template <int K>
struct alignas(8 * K) WalkRow {
  using Scalar = double;  // for merging
  double of[K];

  FATHOM_HD friend WalkRow operator+(WalkRow a, const WalkRow& b) {
    for (int k = 0; k < K; ++k) a.of[k] += b.of[k];
    return a;
  }
};

/// What a vertex gives along each edge.
template <class Share, int K>
struct alignas(sizeof(Share) * K) ShareRow {
  Share of[K];

  /// Others may read it meanwhile.
  FATHOM_HD void set(const double* values) {
    for (int k = 0; k < K; ++k) AtomicRef(of[k]).store(static_cast<Share>(values[k]));
  }
  FATHOM_HD void add_to(WalkRow<K>& sum, double weight) const {
    for (int k = 0; k < K; ++k) sum.of[k] += static_cast<double>(of[k]) * weight;
  }
};

/// What one iteration adds up over the vertices, of each walk: see RankTally.
template <int K>
struct WalkTally {
  double change[K] = {}, dangling[K] = {}, mass[K] = {};

  FATHOM_HD WalkTally operator+(const WalkTally& o) const {
    WalkTally sum;
    for (int k = 0; k < K; ++k) {
      sum.change[k] = change[k] + o.change[k];
      sum.dangling[k] = dangling[k] + o.dangling[k];
      sum.mass[k] = mass[k] + o.mass[k];
    }
    return sum;
  }
};

/// Turns what a vertex received into its probabilities and its next shares.
template <class Share, int K>
struct WalkUpdate {
  WalkRow<K>* rank;
  ShareRow<Share, K>* share;
  OutTotal total;
  double alpha;
  VertexId source[K];
  double restarts[K];  // what goes to the source

  FATHOM_HD void apply(VertexId u, const WalkRow<K>& received, WalkTally<K>& tally) const {
    WalkRow<K>& its = rank[u];
    WalkRow<K> now;
    for (int k = 0; k < K; ++k) now.of[k] = alpha * received.of[k];
    for (int k = 0; k < K; ++k)
      if (source[k] == u) now.of[k] += restarts[k];
    for (int k = 0; k < K; ++k) {
      const double change = now.of[k] - its.of[k];
      tally.change[k] += change > -change ? change : -change;
      tally.mass[k] += now.of[k];
    }
    its = now;
    give(u, now, tally);
  }
  FATHOM_HD void give(VertexId u, const WalkRow<K>& now, WalkTally<K>& tally) const {
    const double out = total.of(u), each = out > 0 ? 1 / out : 0;
    double shares[K];
    for (int k = 0; k < K; ++k) shares[k] = now.of[k] * each;
    share[u].set(shares);
    if (out > 0) return;
    for (int k = 0; k < K; ++k) tally.dangling[k] += now.of[k];
  }
};

/// The first shares, before any iteration.
template <class Share, int K>
struct GiveFirstRow {
  static constexpr bool kDeviceCode = true;
  WalkUpdate<Share, K> update;

  FATHOM_HD WalkTally<K> operator()(VertexId v) const {
    WalkTally<K> tally;
    WalkRow<K> now;
    for (int k = 0; k < K; ++k) now.of[k] = update.source[k] == v ? 1 : 0;
    update.rank[v] = now;
    update.give(v, now, tally);
    return tally;
  }
};

template <class Share, int K>
struct ApplyReceivedRow {
  static constexpr bool kDeviceCode = true;
  WalkUpdate<Share, K> update;
  const WalkRow<K>* sum;

  FATHOM_HD WalkTally<K> operator()(VertexId v) const {
    WalkTally<K> tally;
    update.apply(v, sum[v], tally);
    return tally;
  }
};

/// What a vertex receives along its in-edges.
template <class Share, bool kWeighted, int K>
struct RowPull {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = kWeighted;
  const ShareRow<Share, K>* share;
  WalkRow<K>* sum;

  using Value = WalkRow<K>;
  FATHOM_HD Value identity() const { return {}; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight w) const {
    Value value{};
    add(value, u, v, w);
    return value;
  }
  FATHOM_HD void add(Value& value, VertexId, VertexId v, Weight w) const {
    share[v].add_to(value, kWeighted ? static_cast<double>(w) : 1);
  }
  FATHOM_HD Value combine(const Value& a, const Value& b) const { return a + b; }
  FATHOM_HD bool commit(VertexId u, const Value& received) const {
    for (int k = 0; k < K; ++k) AtomicRef(sum[u].of[k]).fetch_add(received.of[k]);
    return false;
  }
};

template <class Share, bool kWeighted, int K>
struct RowPush {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = kWeighted;
  const ShareRow<Share, K>* share;
  WalkRow<K>* sum;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight w) const {
    WalkRow<K> row{};
    share[u].add_to(row, kWeighted ? static_cast<double>(w) : 1);
    for (int k = 0; k < K; ++k)
      if (row.of[k] > 0) AtomicRef(sum[v].of[k]).fetch_add(row.of[k]);
    return false;
  }
};

}  // namespace fathom
