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

/// What a vertex gives along each edge. Others may read it while it is written: one word at a time.
template <class Share, int K>
struct ShareRow;

template <int K>
struct alignas(8 * K) ShareRow<double, K> {
  double of[K];

  FATHOM_HD void set(const double* values) {
    for (int k = 0; k < K; ++k) AtomicRef(of[k]).store(values[k]);
  }
  FATHOM_HD void add_to(WalkRow<K>& sum, double weight) const {
    for (int k = 0; k < K; ++k) sum.of[k] += AtomicRef(const_cast<double&>(of[k])).load() * weight;
  }
};

/// Two floats to a word.
template <int K>
struct alignas(4 * K) ShareRow<float, K> {
  struct Pair {
    float first, second;
  };
  std::uint64_t of[K / 2];

  FATHOM_HD void set(const double* values) {
    for (int k = 0; k < K / 2; ++k) {
      const Pair pair{static_cast<float>(values[2 * k]), static_cast<float>(values[2 * k + 1])};
      AtomicRef(of[k]).store(__builtin_bit_cast(std::uint64_t, pair));
    }
  }
  FATHOM_HD void add_to(WalkRow<K>& sum, double weight) const {
    for (int k = 0; k < K / 2; ++k) {
      const Pair pair =
          __builtin_bit_cast(Pair, AtomicRef(const_cast<std::uint64_t&>(of[k])).load());
      sum.of[2 * k] += static_cast<double>(pair.first) * weight;
      sum.of[2 * k + 1] += static_cast<double>(pair.second) * weight;
    }
  }
};

/// What one iteration adds up over the vertices, of each walk.
template <int K>
struct WalkTally {
  RankTally of[K];

  FATHOM_HD WalkTally operator+(const WalkTally& o) const {
    WalkTally sum;
    for (int k = 0; k < K; ++k) sum.of[k] = of[k] + o.of[k];
    return sum;
  }
};

/// Turns what a vertex received into its probabilities and its next shares.
template <class Share, int K>
struct WalkUpdate {
  struct One {
    VertexId source;
    double restarts;  // what goes to it
  };
  WalkRow<K>* rank;
  ShareRow<Share, K>* share;
  OutTotal total;
  double alpha;
  One walk[K];

  FATHOM_HD void apply(VertexId u, const WalkRow<K>& received, WalkTally<K>& tally) const {
    WalkRow<K>& its = rank[u];
    for (int k = 0; k < K; ++k) {
      const double now = alpha * received.of[k] + (walk[k].source == u ? walk[k].restarts : 0);
      const double change = now - its.of[k];
      tally.of[k].change += change > -change ? change : -change;
      tally.of[k].mass += now;
      its.of[k] = now;
    }
    give(u, tally);
  }
  FATHOM_HD void give(VertexId u, WalkTally<K>& tally) const {
    const double out = total.of(u), each = out > 0 ? 1 / out : 0;
    double shares[K];
    for (int k = 0; k < K; ++k) {
      shares[k] = rank[u].of[k] * each;
      if (!(out > 0)) tally.of[k].dangling += rank[u].of[k];
    }
    share[u].set(shares);
  }
};

/// The first shares, before any iteration.
template <class Share, int K>
struct GiveFirstRow {
  static constexpr bool kDeviceCode = true;
  WalkUpdate<Share, K> update;

  FATHOM_HD WalkTally<K> operator()(VertexId v) const {
    WalkTally<K> tally;
    for (int k = 0; k < K; ++k) update.rank[v].of[k] = update.walk[k].source == v ? 1 : 0;
    update.give(v, tally);
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

/// The same where every list is shown whole and committed once: see RankPullInPlace.
template <class Share, bool kWeighted, int K>
struct RowPullInPlace : RowPull<Share, kWeighted, K> {
  static constexpr bool kDeviceCode = false;
  WalkUpdate<Share, K> update;

  using Tally = WalkTally<K>;
  FATHOM_HD bool commit(VertexId u, const WalkRow<K>& received, WalkTally<K>& tally) const {
    update.apply(u, received, tally);
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
