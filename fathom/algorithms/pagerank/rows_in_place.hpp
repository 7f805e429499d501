// What several walks receive at once where the host's threads reach all edges: rows are read and
// added up in vectors.
#pragma once

#include "fathom/algorithms/pagerank/block_functors.hpp"
#include "fathom/ops/fold.hpp"

namespace fathom {

template <class T>
struct VectorOf;
template <>
struct VectorOf<float> {
  using type = float __attribute__((vector_size(16), may_alias));
};
template <>
struct VectorOf<double> {
  using type = double __attribute__((vector_size(16), may_alias));
};

/// Of words that others write, each of which is what it was at some time: see AtomicRef::load().
template <class T>
typename VectorOf<T>::type load_words(const T* words) {
  using Vector = typename VectorOf<T>::type;
#if defined(__SANITIZE_THREAD__)
  Vector value;
  for (std::size_t i = 0; i < sizeof(Vector) / sizeof(T); ++i)
    value[i] = AtomicRef(const_cast<T&>(words[i])).load();
  return value;
#else
  return *reinterpret_cast<const volatile Vector*>(words);
#endif
}

// Of shares in one chain: a sum of floats is rounded as often.
inline constexpr std::uint32_t kChainOfRows = detail::kChunkEdges / 2;

/// A sum of rows, of which up to kChainOfRows are added up as shares are.
template <class Share, int K>
struct RowSum {
  using Vector = typename VectorOf<Share>::type;
  static constexpr int kVectors = sizeof(Share) * K / sizeof(Vector);

  WalkRow<K> sum{};
  Vector part[kVectors] = {};
  std::uint32_t parts = 0;

  void add(const ShareRow<Share, K>& row, Share weight) {
    for (int i = 0; i < kVectors; ++i) part[i] += load_words(row.of + i * (K / kVectors)) * weight;
    if (++parts == kChainOfRows) end_part();
  }
  void end_part() {
    for (int k = 0; k < K; ++k)
      sum.of[k] += static_cast<double>(part[k / (K / kVectors)][k % (K / kVectors)]);
    for (Vector& its : part) its = Vector{};
    parts = 0;
  }
};

/// Every list is shown whole and committed once: see RankPullInPlace.
template <class Share, bool kWeighted, int K>
struct RowPullInPlace {
  static constexpr bool kReadsWeights = kWeighted;
  const ShareRow<Share, K>* share;
  WalkUpdate<Share, K> update;

  using Value = RowSum<Share, K>;
  using Tally = WalkTally<K>;
  Value identity() const { return {}; }
  Value map(VertexId u, VertexId v, Weight w) const {
    Value value;
    add(value, u, v, w);
    return value;
  }
  void add(Value& value, VertexId, VertexId v, Weight w) const {
    value.add(share[v], kWeighted ? static_cast<Share>(w) : Share{1});
  }
  Value combine(Value a, Value b) const {
    a.end_part();
    b.end_part();
    a.sum = a.sum + b.sum;
    return a;
  }
  bool commit(VertexId u, Value received, WalkTally<K>& tally) const {
    received.end_part();
    update.apply(u, received.sum, tally);
    return false;
  }
};

}  // namespace fathom
