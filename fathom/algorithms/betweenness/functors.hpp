// What betweenness centrality does on an edge, for any executor.
//
// Unweighted searches run from K sources at once. A vertex has a row of K numbers, one per source,
// and a mask that says to which searches the row belongs right now; rows are zero elsewhere, so
// that whole rows can be added.
#pragma once

#include "fathom/core/atomic.hpp"

namespace fathom {

template <int K>
struct alignas(8 * K) Row {
  using Scalar = double;  // for merging
  double of[K];

  FATHOM_HD friend Row operator+(Row a, const Row& b) {
    for (int k = 0; k < K; ++k) a.of[k] += b.of[k];
    return a;
  }
};

using Mask = std::uint8_t;  // bit k: search k

/// The vertices that paths are counted to.
struct PathEnds {
  const std::uint64_t* target;  // a bit per vertex; null: all are

  /// What v adds to its coefficient as the end of `paths` paths.
  FATHOM_HD double share(VertexId v, double paths) const {
    return !target || (target[v >> 6] >> (v & 63) & 1) != 0 ? 1 / paths : 0;
  }
};

/// Push: path counts flow from the frontier to vertices that a search has not seen yet.
template <int K>
struct CountPush {
  static constexpr bool kDeviceCode = true;
  const Mask* now;       // searches in whose frontier a vertex is
  const Mask* seen;      // searches that reached it before this superstep
  const Row<K>* paths;   // path counts of the frontier
  Row<K>* gain;          // what arrives
  std::uint32_t* claim;  // a byte per vertex, four to a word: searches that arrived

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    const unsigned arriving = static_cast<unsigned>(now[u] & ~seen[v]);
    if (arriving == 0) return false;
    for (int k = 0; k < K; ++k)
      if ((arriving >> k & 1) != 0) AtomicRef(gain[v].of[k]).fetch_add(paths[u].of[k]);
    const AtomicRef word(claim[v >> 2]);
    const unsigned shift = 8 * (v & 3);
    if ((word.load() >> shift & arriving) == arriving) return false;
    return (word.fetch_or(arriving << shift) >> shift & 0xff) == 0;
  }
};

/// Pull: a vertex that a search has not seen adds up its in-neighbours in the frontier.
template <int K>
struct CountPull {
  static constexpr bool kDeviceCode = true;
  const Mask* now;
  const Mask* seen;
  const Row<K>* paths;
  Row<K>* gain;
  Mask all;  // the searches there are

  using Value = Row<K>;
  FATHOM_HD bool open(VertexId u) const { return (all & ~seen[u]) != 0; }
  FATHOM_HD Value identity() const { return {}; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight) const {
    return (now[v] & ~seen[u]) != 0 ? paths[v] : Value{};
  }
  FATHOM_HD void add(Value& sum, VertexId u, VertexId v, Weight) const {
    if ((now[v] & ~seen[u]) != 0) sum = sum + paths[v];
  }
  FATHOM_HD Value combine(const Value& a, const Value& b) const { return a + b; }
  FATHOM_HD bool commit(VertexId u, const Value& sum) const {
    bool joins = false;
    for (int k = 0; k < K; ++k)
      if ((seen[u] >> k & 1) == 0 && sum.of[k] > 0) {
        AtomicRef(gain[u].of[k]).fetch_add(sum.of[k]);
        joins = true;
      }
    return joins;
  }
};

/// Backward: a vertex adds up the coefficients of its successors: (1 + dependency) / paths,
/// where paths to it count, else dependency / paths.
template <int K>
struct DependencyPull {
  static constexpr bool kDeviceCode = true;
  const Mask* level;          // searches in whose present level a vertex is
  const Mask* below;          // likewise one level further from the sources
  const Row<K>* coefficient;  // of the level below, zero elsewhere
  Row<K>* gain;

  using Value = Row<K>;
  FATHOM_HD Value identity() const { return {}; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight) const {
    return (level[u] & below[v]) != 0 ? coefficient[v] : Value{};
  }
  FATHOM_HD void add(Value& sum, VertexId u, VertexId v, Weight) const {
    if ((level[u] & below[v]) != 0) sum = sum + coefficient[v];
  }
  FATHOM_HD Value combine(const Value& a, const Value& b) const { return a + b; }
  FATHOM_HD bool commit(VertexId u, const Value& sum) const {
    for (int k = 0; k < K; ++k)
      if ((level[u] >> k & 1) != 0 && sum.of[k] > 0) AtomicRef(gain[u].of[k]).fetch_add(sum.of[k]);
    return false;
  }
};

/// Whether a search has yet to see v.
struct NotSeenByAll {
  static constexpr bool kDeviceCode = true;
  const Mask* seen;
  Mask all;
  FATHOM_HD bool operator()(VertexId v) const { return (all & ~seen[v]) != 0; }
};

/// Clears what marks v as part of the level being read.
template <int K>
struct Retire {
  static constexpr bool kDeviceCode = true;
  Mask* now;
  Row<K>* active;
  FATHOM_HD void operator()(VertexId v) const {
    now[v] = 0;
    active[v] = {};
  }
};

template <int K>
struct alignas(4 * K) LevelRow {
  std::uint32_t of[K];
};

/// What arrived at v becomes its path counts.
template <int K>
struct Settle {
  static constexpr bool kDeviceCode = true;
  const Row<K>* gain;
  Mask* now;
  Mask* seen;
  Row<K>* paths;
  LevelRow<K>* level_of;
  std::uint32_t* claim;
  std::uint32_t* overflow;  // [1]
  std::uint32_t level;

  FATHOM_HD void operator()(VertexId v) const {
    const Row<K> count = gain[v];
    unsigned reached = 0;
    for (int k = 0; k < K; ++k) {
      if (!(count.of[k] > 0)) continue;
      if (!(count.of[k] < kInfinitePaths)) AtomicRef(*overflow).store(1);
      reached |= 1u << k;
      paths[v].of[k] = count.of[k];
      level_of[v].of[k] = level;
    }
    now[v] = static_cast<Mask>(reached);
    seen[v] = static_cast<Mask>(seen[v] | reached);
    AtomicRef(claim[v >> 2]).fetch_and(~(0xffu << 8 * (v & 3)));
  }
  static constexpr double kInfinitePaths = __builtin_inf();
};

/// Notes which searches have v in this level; whether any has.
template <int K>
struct AtLevel {
  static constexpr bool kDeviceCode = true;
  Mask* above;
  const LevelRow<K>* level_of;
  std::uint32_t level;

  FATHOM_HD bool operator()(VertexId v) const {
    const LevelRow<K> of = level_of[v];
    unsigned mask = 0;
    for (int k = 0; k < K; ++k)
      if (of.of[k] == level) mask |= 1u << k;
    above[v] = static_cast<Mask>(mask);
    return mask != 0;
  }
};

/// Adds what v gained to its score, and makes its coefficients for the level above of it.
template <int K>
struct Collect {
  static constexpr bool kDeviceCode = true;
  Mask* now;
  const Mask* above;
  const Row<K>* paths;
  Row<K>* gain;
  double* score;
  Row<K>* kept;  // coefficients, for when the searches are over; may be null
  PathEnds ends;

  FATHOM_HD void operator()(VertexId v) const {
    const unsigned mask = above[v];
    const Row<K> count = paths[v];
    Row<K> row = gain[v];  // zero where v is not in this level
    double sum = score[v];
    for (int k = 0; k < K; ++k) {
      if ((mask >> k & 1) == 0) continue;
      sum += count.of[k] * row.of[k];
      row.of[k] += ends.share(v, count.of[k]);
      if (kept) kept[v].of[k] = row.of[k];
    }
    score[v] = sum;
    gain[v] = row;
    now[v] = static_cast<Mask>(mask);
  }
};

/// Multiplies a score.
struct Scale {
  static constexpr bool kDeviceCode = true;
  double* score;
  double factor;
  FATHOM_HD void operator()(VertexId v) const { score[v] *= factor; }
};

/// The edges of shortest paths. Lengths compare by weight, then by the number of edges that add
/// nothing, so that no cycle is a shortest path.
struct ShortestEdges {
  const double* length;
  const std::uint32_t* free_edges;  // edges on the way that add nothing; null: there are none

  FATHOM_HD bool as_long(VertexId u, VertexId v, Weight w) const {
    return length[u] < kUnreachedLength && length[u] + static_cast<double>(w) == length[v];
  }
  FATHOM_HD std::uint32_t free_steps(VertexId u, Weight w) const {
    return length[u] + static_cast<double>(w) == length[u] ? 1 : 0;
  }
  FATHOM_HD bool contain(VertexId u, VertexId v, Weight w) const {
    if (!as_long(u, v, w)) return false;
    return !free_edges || free_edges[v] == free_edges[u] + free_steps(u, w);
  }

  static constexpr double kUnreachedLength = 1.7976931348623157e308;  // infinity is above it
};

/// Notices edges of equally long paths that add nothing.
struct FindFreeEdges {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = true;
  ShortestEdges edges;
  std::uint32_t* found;  // [1]

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight w) const {
    if (edges.as_long(u, v, w) && edges.free_steps(u, w) != 0) AtomicRef(*found).store(1);
    return false;
  }
};

/// Relaxes the number of edges that add nothing.
struct RelaxFreeEdges {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = true;
  ShortestEdges edges;
  std::uint32_t* free_edges;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight w) const {
    if (!edges.as_long(u, v, w)) return false;
    const std::uint32_t candidate = AtomicRef(free_edges[u]).load() + edges.free_steps(u, w);
    return candidate < AtomicRef(free_edges[v]).fetch_min(candidate);
  }
};

/// Counts the shortest-path edges that enter each vertex.
struct CountEntries {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = true;
  ShortestEdges edges;
  std::uint32_t* entries;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight w) const {
    if (edges.contain(u, v, w)) AtomicRef(entries[v]).fetch_add(1);
    return false;
  }
};

/// Path counts flow along shortest-path edges.
struct WeightedCountPush {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = true;
  ShortestEdges edges;
  const double* paths;
  double* gain;
  std::uint32_t* arrived;  // edges that delivered

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight w) const {
    if (!edges.contain(u, v, w)) return false;
    AtomicRef(gain[v]).fetch_add(paths[u]);
    AtomicRef(arrived[v]).fetch_add(1);
    return true;
  }
};

/// The same as DependencyPull, along shortest-path edges.
struct WeightedDependencyPull {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = true;
  ShortestEdges edges;
  const double* coefficient;
  double* gain;

  using Value = double;
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight w) const {
    return edges.contain(u, v, w) ? coefficient[v] : 0;
  }
  FATHOM_HD Value combine(Value a, Value b) const { return a + b; }
  FATHOM_HD bool commit(VertexId u, Value sum) const {
    if (sum > 0) AtomicRef(gain[u]).fetch_add(sum);
    return false;
  }
};

/// What arrived along shortest-path edges is added to v's path count.
struct WeightedSettle {
  static constexpr bool kDeviceCode = true;
  double* paths;
  double* gain;
  std::uint32_t* waiting;
  std::uint32_t* arrived;
  std::uint32_t* overflow;  // [1]

  FATHOM_HD void operator()(VertexId v) const {
    paths[v] += gain[v];
    if (!(paths[v] < __builtin_inf())) AtomicRef(*overflow).store(1);
    gain[v] = 0;
    waiting[v] -= arrived[v];
    arrived[v] = 0;
  }
};

/// Whether all of v's shortest-path edges have delivered.
struct AllArrived {
  static constexpr bool kDeviceCode = true;
  const std::uint32_t* waiting;
  FATHOM_HD bool operator()(VertexId v) const { return waiting[v] == 0; }
};

struct WeightedCollect {
  static constexpr bool kDeviceCode = true;
  double* score;
  const double* paths;
  double* gain;
  double* coefficient;
  PathEnds ends;

  FATHOM_HD void operator()(VertexId v) const {
    score[v] += paths[v] * gain[v];
    coefficient[v] = gain[v] + ends.share(v, paths[v]);
    gain[v] = 0;
  }
};

}  // namespace fathom
