// What moving vertices between communities does on an edge and a vertex, for any executor.
//
// The vertices of a window choose in turns, those of a class at the same time. A vertex sums up the
// weights of its edges by the communities at their other ends in its part of a table: a short list
// puts communities there one after the other, a long one hashes them, with open addressing, into
// the cells after the first, which has the best score so far.
#pragma once

#include "fathom/algorithms/louvain/weight_units.hpp"
#include "fathom/algorithms/slot_windows.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/core/random.hpp"

namespace fathom {

// Lists of more entries are hashed, by several threads.
inline constexpr EdgeId kShortMoveList = 32;

/// A community each.
struct StartCommunities {
  static constexpr bool kDeviceCode = true;
  VertexId* community;
  std::uint64_t* total;
  const std::uint64_t* strength;
  FATHOM_HD void operator()(VertexId v) const {
    community[v] = v;
    total[v] = strength[v];
  }
};

/// Communities that are given: what the edges of their vertices weigh.
struct AddToTotal {
  static constexpr bool kDeviceCode = true;
  const VertexId* community;
  std::uint64_t* total;
  const std::uint64_t* strength;
  FATHOM_HD void operator()(VertexId v) const {
    AtomicRef(total[community[v]]).fetch_add(strength[v]);
  }
};

FATHOM_HD bool is_active(const std::uint64_t* active, VertexId v) {
  return (active[v >> 6] >> (v & 63) & 1) != 0;
}
FATHOM_HD void activate(std::uint64_t* active, VertexId v) {
  const std::uint64_t bit = std::uint64_t{1} << (v & 63);
  const AtomicRef word(active[v >> 6]);
  if ((word.load() & bit) == 0) word.fetch_or(bit);
}

struct ChoosesAgain {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* active;
  FATHOM_HD bool operator()(VertexId v) const { return is_active(active, v); }
};
struct EndChoosing {
  static constexpr bool kDeviceCode = true;
  std::uint64_t* active;
  FATHOM_HD void operator()(VertexId v) const {
    AtomicRef(active[v >> 6]).fetch_and(~(std::uint64_t{1} << (v & 63)));
  }
};

/// Puts an edge into its slot.
struct PutEdge {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = true;
  VertexId* target;
  Weight* weight;
  SlotPlaces places;
  EdgeId slots;  // that there are, of a list that has more entries

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight w, EdgeId i) const {
    EdgeId slot = 0;
    if (!places.find(u, false, i, slot) || slot >= slots) return false;
    target[slot] = v;
    weight[slot] = w;
    return false;
  }
};

/// What a vertex is worth to a community: up to a factor and a constant, the modularity that is
/// gained when it joins.
struct Worth {
  static constexpr std::uint64_t kZero = std::uint64_t{1} << 62;
  double resolution;
  double all;  // units of all vertices' edges
  const std::uint64_t* strength;

  /// @returns kZero + shared - expected. `shared`: units of the edges between the two; `total`: of
  /// the edges of the community's other vertices. The product is cut to an integer before anything
  /// is added to it: no compiler makes one operation of the two.
  FATHOM_HD std::uint64_t of(VertexId v, std::uint64_t shared, std::uint64_t total) const {
    const double part = resolution * static_cast<double>(strength[v]) / all;
    const double expected = part * static_cast<double>(total);
    const std::uint64_t cut =
        expected < static_cast<double>(kZero) ? static_cast<std::uint64_t>(expected) : kZero;
    return kZero + shared - cut;
  }
};

/// The vertices that choose now, and what they choose by.
struct Choosers {
  SlotPlaces places;
  const VertexId* target;
  const Weight* weight;
  VertexId* key;       // table of communities
  std::uint64_t* sum;  // and of units
  const VertexId* community;
  VertexId* next;              // what a vertex has chosen
  const std::uint64_t* total;  // units of the edges of a community's vertices
  Worth worth;
  WeightUnits units;
  const std::uint64_t* chooses;  // a bit per vertex
  std::uint64_t seed;            // of this round
  std::uint32_t classes, now;    // those of class `now` choose
  bool leaves;             // a vertex may begin the community of its name, where that has nobody
  const VertexId* within;  // null, or refining: communities; those that are alone choose among the
                           // parts of their own

  FATHOM_HD bool in_class(VertexId v) const {
    return bounded(RandomStream(seed, 0).at(v), classes) == now;
  }
  FATHOM_HD bool is_long(VertexId v) const { return places.degree(v) > kShortMoveList; }
  FATHOM_HD bool may_choose(VertexId v) const {
    return !within || (community[v] == v && total[v] == worth.strength[v]);
  }
  FATHOM_HD bool chooses_long(VertexId v) const {
    return is_long(v) && is_active(chooses, v) && in_class(v) && may_choose(v);
  }
  /// Whether an edge of v counts.
  FATHOM_HD bool counts(VertexId v, VertexId other) const {
    return other != v && (!within || within[other] == within[v]);
  }
  FATHOM_HD EdgeId table(VertexId v) const { return slot_table(places.begin(v)); }

  /// Of equal ones its own community is worth more.
  FATHOM_HD std::uint64_t worth_of(VertexId v, VertexId c, std::uint64_t shared) const {
    const std::uint64_t stays = community[v] == c ? 1 : 0;
    return 2 * worth.of(v, shared, total[c] - stays * worth.strength[v]) + stays;
  }
  /// Where v goes if it has neighbours nowhere: it stays, or leaves.
  FATHOM_HD VertexId without_neighbors(VertexId v) const {
    const VertexId own = community[v];
    return leaves && total[v] == 0 && worth_of(v, v, 0) > worth_of(v, own, 0) ? v : own;
  }

  /// The cell of a community among those of v, by hashing; that which is free if it has none.
  FATHOM_HD EdgeId cell_of(VertexId v, VertexId c) const {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
    const EdgeId first = table(v) + 1, end = table(v + 1);
    for (EdgeId cell = first + bounded(c * kGolden, end - first);;) {
      const VertexId its = AtomicRef(key[cell]).load();
      if (its == c || its == kNoVertex) return cell;
      if (++cell == end) cell = first;
    }
  }
};

/// Vertices with short lists choose; others begin to.
struct ChooseInShort {
  static constexpr bool kDeviceCode = true;
  Choosers its;

  FATHOM_HD void operator()(VertexId v) const {
    if (!its.in_class(v)) return;
    if (its.is_long(v)) its.sum[its.table(v)] = its.worth_of(v, its.without_neighbors(v), 0);
    its.next[v] = its.is_long(v) || !its.may_choose(v) ? kNoVertex : choose(v);
  }
  FATHOM_HD VertexId choose(VertexId v) const {
    const EdgeId first = its.table(v), end = sum_up(v, first);
    VertexId best = its.without_neighbors(v);
    std::uint64_t most = its.worth_of(v, best, 0);
    for (EdgeId cell = first; cell < end; ++cell) {
      const VertexId c = its.key[cell];
      const std::uint64_t worth = its.sum[cell] == 0 ? 0 : its.worth_of(v, c, its.sum[cell]);
      if (worth < most || (worth == most && c > best)) continue;
      most = worth;
      best = c;
    }
    return best;
  }
  /// @returns the end of the cells that were taken, a community each.
  FATHOM_HD EdgeId sum_up(VertexId v, EdgeId first) const {
    EdgeId end = first;
    for (EdgeId i = its.places.begin(v); i < its.places.begin(v + 1); ++i) {
      if (!its.counts(v, its.target[i])) continue;
      const VertexId c = its.community[its.target[i]];
      EdgeId cell = first;
      while (cell < end && its.key[cell] != c) ++cell;
      if (cell == end) {
        its.key[end] = c;
        its.sum[end++] = 0;
      }
      its.sum[cell] += its.units.of(its.weight[i]);
    }
    return end;
  }
};

/// Long lists, a segment of slots at a time: sums.
struct SumInLong {
  static constexpr bool kDeviceCode = true;
  Choosers its;
  SlotSegments segments;

  FATHOM_HD void operator()(VertexId segment) const {
    segments.for_each(segment, [&](VertexId v, EdgeId at, EdgeId stop) {
      if (!its.chooses_long(v)) return;
      for (; at < stop; ++at)
        if (its.counts(v, its.target[at]))
          meet(v, its.community[its.target[at]], its.units.of(its.weight[at]));
    });
  }
  FATHOM_HD void meet(VertexId v, VertexId c, std::uint64_t units) const {
    for (;;) {
      const EdgeId cell = its.cell_of(v, c);
      VertexId found = kNoVertex;
      if (AtomicRef(its.key[cell]).load() == c ||
          AtomicRef(its.key[cell]).compare_exchange(found, c, Order::Relaxed) || found == c) {
        AtomicRef(its.sum[cell]).fetch_add(units);
        return;
      }
    }
  }
};

/// Calls visit(v, c, units) for the cells in use of the long lists that choose.
template <class Visit>
FATHOM_HD void for_each_sum(const Choosers& its, const SlotSegments& segments, VertexId segment,
                            const Visit& visit) {
  segments.for_each(segment, [&](VertexId v, EdgeId at, EdgeId stop) {
    if (!its.chooses_long(v)) return;
    EdgeId cell = slot_table(at);
    if (cell == its.table(v)) ++cell;
    for (const EdgeId end = slot_table(stop); cell < end; ++cell)
      if (its.sum[cell] != 0) visit(v, its.key[cell], its.sum[cell]);
  });
}

/// Then the best score.
struct ScoreInLong {
  static constexpr bool kDeviceCode = true;
  Choosers its;
  SlotSegments segments;

  FATHOM_HD void operator()(VertexId segment) const {
    for_each_sum(its, segments, segment, [&](VertexId v, VertexId c, std::uint64_t shared) {
      const std::uint64_t worth = its.worth_of(v, c, shared);
      const AtomicRef best(its.sum[its.table(v)]);
      for (std::uint64_t now = best.load(); now < worth;)
        if (best.compare_exchange(now, worth, Order::Relaxed)) return;
    });
  }
};

/// Then the first community that has it, which may be one that v begins.
struct ChooseInLong {
  static constexpr bool kDeviceCode = true;
  Choosers its;
  SlotSegments segments;

  FATHOM_HD void operator()(VertexId segment) const {
    for_each_sum(its, segments, segment, [&](VertexId v, VertexId c, std::uint64_t shared) {
      if (its.worth_of(v, c, shared) == its.sum[its.table(v)]) AtomicRef(its.next[v]).fetch_min(c);
    });
    if (!its.leaves) return;
    segments.for_each(segment, [&](VertexId v, EdgeId at, EdgeId) {
      if (at != its.places.begin(v) || !its.chooses_long(v)) return;
      const VertexId c = its.without_neighbors(v);
      if (c != its.community[v] && its.worth_of(v, c, 0) == its.sum[its.table(v)])
        AtomicRef(its.next[v]).fetch_min(c);
    });
  }
};

/// Vertices go where they chose to. next: kNoVertex of those that stay.
struct MoveToChosen {
  static constexpr bool kDeviceCode = true;
  Choosers its;
  VertexId* community;
  std::uint64_t* total;
  std::uint64_t* moved;  // [1]

  FATHOM_HD void operator()(VertexId v) const {
    if (!its.in_class(v)) return;
    const VertexId from = community[v], to = its.next[v];
    if (to == from) its.next[v] = kNoVertex;
    if (to == from || to == kNoVertex) return;
    community[v] = to;
    AtomicRef(total[from]).fetch_add(0 - its.worth.strength[v]);
    AtomicRef(total[to]).fetch_add(its.worth.strength[v]);
    AtomicRef(*moved).fetch_add(std::uint64_t{1});
  }
};

/// Neighbours of those that moved choose again, but for their new companions.
struct ActivateAround {
  static constexpr bool kDeviceCode = true;
  Choosers its;
  SlotSegments segments;
  std::uint64_t* active;

  FATHOM_HD void operator()(VertexId segment) const {
    segments.for_each(segment, [&](VertexId v, EdgeId at, EdgeId stop) {
      if (!is_active(its.chooses, v) || its.next[v] == kNoVertex) return;
      for (; at < stop; ++at)
        if (its.community[its.target[at]] != its.community[v]) activate(active, its.target[at]);
    });
  }
};

// A vertex that has more entries than there are slots chooses alone: the table has a cell for every
// community.

struct AddShared {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = true;
  const VertexId* community;
  std::uint64_t* sum;
  WeightUnits units;
  const VertexId* within;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight w) const {
    if (u != v && (!within || within[u] == within[v]))
      AtomicRef(sum[community[v]]).fetch_add(units.of(w));
    return false;
  }
};

struct WorthOfCommunity {
  static constexpr bool kDeviceCode = true;
  Choosers its;
  VertexId v;
  FATHOM_HD std::uint64_t operator()(VertexId c) const {
    const bool open = its.sum[c] != 0 || c == its.without_neighbors(v) || c == its.community[v];
    return open ? its.worth_of(v, c, its.sum[c]) : 0;
  }
};
struct MergeMostWorth {
  FATHOM_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    return a < b ? b : a;
  }
};
struct FirstWorth {
  static constexpr bool kDeviceCode = true;
  WorthOfCommunity of;
  std::uint64_t most;
  FATHOM_HD VertexId operator()(VertexId c) const { return of(c) == most ? c : kNoVertex; }
};

/// Then those choose again that are in a community with neighbours, but for the new one.
struct ActivateNear {
  static constexpr bool kDeviceCode = true;
  const VertexId* community;
  const std::uint64_t* sum;
  VertexId to;
  std::uint64_t* active;

  FATHOM_HD void operator()(VertexId v) const {
    if (sum[community[v]] != 0 && community[v] != to) activate(active, v);
  }
};

}  // namespace fathom
