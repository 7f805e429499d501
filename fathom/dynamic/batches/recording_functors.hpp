// How it is found what a batch changes, a step for each update, pair of vertices or list, for any
// executor. A pair is a key: its source in the upper bits, its target in the lower ones.
#pragma once

#include "fathom/core/platform.hpp"
#include "fathom/dynamic/batches/applied_batch.hpp"
#include "fathom/dynamic/lists/list_walk.hpp"

namespace fathom::dynamic {

struct PairKey {
  int bits;  // of an index

  FATHOM_HD std::uint64_t mask() const { return (std::uint64_t{1} << bits) - 1; }
  /// Of a batch that is going to be refused indices may be any.
  FATHOM_HD std::uint64_t operator()(VertexId source, VertexId target) const {
    return (source & mask()) << bits | (target & mask());
  }
  FATHOM_HD VertexId source(std::uint64_t key) const { return static_cast<VertexId>(key >> bits); }
  FATHOM_HD VertexId target(std::uint64_t key) const { return static_cast<VertexId>(key & mask()); }
};

/// Two counts at once, whose sums are those of each.
FATHOM_HD std::uint64_t both(std::uint32_t low, std::uint32_t high) {
  return std::uint64_t{high} << 32 | low;
}
FATHOM_HD std::uint32_t low_of(std::uint64_t counts) {
  return static_cast<std::uint32_t>(counts);
}
FATHOM_HD std::uint32_t high_of(std::uint64_t counts) {
  return static_cast<std::uint32_t>(counts >> 32);
}

/// The pairs of updates.
struct KeyOfUpdate {
  static constexpr bool kDeviceCode = true;
  PairKey pair;
  const EdgeUpdate* update;
  std::uint64_t* key;
  FATHOM_HD void operator()(VertexId i) const { key[i] = pair(update[i].source, update[i].target); }
};
/// The same pairs the other way round, behind them.
struct MirrorKey {
  static constexpr bool kDeviceCode = true;
  PairKey pair;
  std::uint64_t* key;
  VertexId keys;
  FATHOM_HD void operator()(VertexId i) const {
    key[keys + i] = pair(pair.target(key[i]), pair.source(key[i]));
  }
};

/// Of sorted keys, and one place behind them: whether a pair begins, and whether a list does.
struct BeginsPair {
  static constexpr bool kDeviceCode = true;
  PairKey pair;
  const std::uint64_t* key;
  VertexId keys;
  std::uint64_t* begins;
  FATHOM_HD void operator()(VertexId i) const {
    if (i == keys || (i > 0 && key[i - 1] == key[i]))
      begins[i] = 0;
    else
      begins[i] = both(1, i == 0 || pair.source(key[i - 1]) != pair.source(key[i]) ? 1 : 0);
  }
};
/// Puts every pair to its place, once.
struct TakePair {
  static constexpr bool kDeviceCode = true;
  PairKey pair;
  const std::uint64_t *key, *begins, *place;
  ChangedEdge* to;
  FATHOM_HD void operator()(VertexId i) const {
    if (low_of(begins[i]) != 0)
      to[low_of(place[i])] = {pair.source(key[i]), pair.target(key[i]), 0, 0};
  }
};

/// How many edges a pair has now, into one of its members.
struct CountPair {
  static constexpr bool kDeviceCode = true;
  DynamicEdges lists;
  VertexId vertices;
  ChangedEdge* pair;
  bool after;

  FATHOM_HD void operator()(VertexId i) const {
    ChangedEdge& its = pair[i];
    const std::uint32_t count =
        its.source < vertices ? count_edges(lists, its.source, its.target) : 0;
    (after ? its.after : its.before) = count;
  }
};

/// Of pairs, and one place behind them: whether their edges have changed, and by how many, modulo
/// 2^32.
struct TellChange {
  static constexpr bool kDeviceCode = true;
  const ChangedEdge* pair;
  VertexId pairs;
  std::uint64_t* change;
  FATHOM_HD void operator()(VertexId i) const {
    const bool changes = i < pairs && pair[i].before != pair[i].after;
    change[i] = changes ? both(1, pair[i].after - pair[i].before) : 0;
  }
};
/// Puts pairs that have changed to their places, and beside each by how many edges those before it
/// have.
struct KeepChange {
  static constexpr bool kDeviceCode = true;
  const ChangedEdge* pair;
  VertexId pairs;
  const std::uint64_t *change, *place;
  ChangedEdge* to;
  std::uint32_t* gained;
  VertexId* kept;  // how many
  FATHOM_HD void operator()(VertexId i) const {
    if (i == pairs) {
      *kept = low_of(place[i]);
      gained[low_of(place[i])] = high_of(place[i]);
    } else if (change[i] != 0) {
      to[low_of(place[i])] = pair[i];
      gained[low_of(place[i])] = high_of(place[i]);
    }
  }
};

/// Of what has been kept, and all places behind that: whether a list begins.
struct BeginsList {
  static constexpr bool kDeviceCode = true;
  const ChangedEdge* edge;
  const VertexId* edges;
  std::uint64_t* begins;
  FATHOM_HD void operator()(VertexId i) const {
    begins[i] = i < *edges && (i == 0 || edge[i - 1].source != edge[i].source) ? 1 : 0;
  }
};
struct TakeList {
  static constexpr bool kDeviceCode = true;
  const ChangedEdge* edge;
  VertexId last;  // place
  const std::uint64_t *begins, *place;
  ChangedList* to;
  VertexId* taken;  // how many
  FATHOM_HD void operator()(VertexId i) const {
    if (i == last) *taken = static_cast<VertexId>(place[i]);
    if (begins[i] == 0) return;
    ChangedList& its = to[place[i]];
    its.source = edge[i].source;
    its.first = i;
  }
};
struct MeasureList {
  static constexpr bool kDeviceCode = true;
  DynamicEdges lists;
  VertexId vertices;
  const std::uint32_t* gained;
  const VertexId *edges, *taken;
  ChangedList* list;
  FATHOM_HD void operator()(VertexId k) const {
    if (k >= *taken) return;
    ChangedList& its = list[k];
    its.last = k + 1 < *taken ? list[k + 1].first : *edges;
    its.after = its.source < vertices ? lists.degree(its.source) : 0;
    its.before = its.after - (gained[its.last] - gained[its.first]);
  }
};

}  // namespace fathom::dynamic
