// What components that follow a graph do near an edge that is gone, for any executor: a search from
// both of its ends ends where they meet, or where one of them has seen all of its component.
#pragma once

#include "fathom/dynamic/follow/incremental_functors.hpp"

namespace fathom::dynamic {

/// One such search.
struct LocalSearch {
  enum class State : std::uint32_t {
    ToDo,
    Tied,     // there is a way from one end to the other
    Piece,    // all that an end is tied to has been seen, and the other end is not in it
    Unknown,  // too much to look at
  };
  VertexId end[2] = {0, 0};
  State state = State::ToDo;
  // Of a piece: whose end it is, its vertices, and the smallest one.
  std::uint32_t side = 0, size = 0;
  VertexId least = 0;

  FATHOM_HD VertexId outside() const { return end[1 - side]; }
};

/// Room for what a search sees from each end.
struct SeenRoom {
  static constexpr std::uint32_t kMost = 512, kPlaces = 2 * kMost;
  VertexId vertex[2][kMost];
  VertexId table[2][kPlaces];
};

/// What has been seen from one end, in the order in which it is walked on from, and in a table that
/// grows with it.
class SeenVertices {
 public:
  FATHOM_HD SeenVertices(SeenRoom& room, std::uint32_t side, VertexId end)
      : vertex_(room.vertex[side]), table_(room.table[side]) {
    clear();
    add(end);
  }
  FATHOM_HD bool has(VertexId v) const { return *place(v) == v; }
  /// Nothing where it is there, or there is no room for it.
  FATHOM_HD void add(VertexId v) {
    VertexId* const its = place(v);
    if (*its == v) return;
    if (size_ == SeenRoom::kMost) {
      full_ = true;
      return;
    }
    *its = vertex_[size_++] = v;
    if (2 * size_ > places_ && places_ < SeenRoom::kPlaces) grow();
  }
  FATHOM_HD bool full() const { return full_; }
  FATHOM_HD bool walked() const { return walked_ == size_; }
  FATHOM_HD VertexId walk() { return vertex_[walked_++]; }
  FATHOM_HD std::uint32_t size() const { return size_; }

 private:
  FATHOM_HD void clear() {
    for (std::uint32_t i = 0; i < places_; ++i) table_[i] = kNoVertex;
  }
  FATHOM_HD void grow() {
    places_ *= 4;
    clear();
    for (std::uint32_t i = 0; i < size_; ++i) *place(vertex_[i]) = vertex_[i];
  }
  /// Or the empty one that v would get.
  FATHOM_HD VertexId* place(VertexId v) const {
    constexpr std::uint64_t kMixer = 0x9e3779b97f4a7c15u;
    std::uint32_t at = static_cast<std::uint32_t>(v * kMixer >> 32) % places_;
    while (table_[at] != kNoVertex && table_[at] != v) at = (at + 1) % places_;
    return table_ + at;
  }

  VertexId *vertex_, *table_;
  std::uint32_t size_ = 0, walked_ = 0, places_ = SeenRoom::kPlaces / 16;
  bool full_ = false;
};

/// The lists along which vertices are tied; `both`: in both directions.
struct TiedLists {
  DynamicEdges out, in;
  bool both;

  /// Calls visit with each neighbour, until it returns false.
  template <class Visit>
  FATHOM_HD bool each(VertexId v, const Visit& visit) const {
    return each_target(out, v, visit) && (!both || each_target(in, v, visit));
  }
};

struct IsGone {
  static constexpr bool kDeviceCode = true;
  const ChangedEdge* edge;
  bool directed;
  FATHOM_HD VertexId operator()(VertexId i) const {
    const ChangedEdge& e = edge[i];
    return e.after == 0 && e.source != e.target && (directed || e.source < e.target) ? 1 : 0;
  }
};
/// A search for each edge that is gone, in any order.
struct BeginSearch {
  static constexpr bool kDeviceCode = true;
  IsGone gone;
  LocalSearch* search;
  VertexId* searches;
  FATHOM_HD void operator()(VertexId i) const {
    if (gone(i) == 0) return;
    LocalSearch its;
    its.end[0] = gone.edge[i].source;
    its.end[1] = gone.edge[i].target;
    search[AtomicRef(*searches).fetch_add(1)] = its;
  }
};

struct SearchNear {
  static constexpr bool kDeviceCode = true;
  static constexpr std::uint32_t kMostEntries = 8 * SeenRoom::kMost;  // of lists
  TiedLists lists;
  LocalSearch* search;
  SeenRoom* room;

  FATHOM_HD void operator()(VertexId i) const {
    LocalSearch& its = search[i];
    if (its.state != LocalSearch::State::ToDo) return;
    SeenVertices seen[2] = {{room[i], 0, its.end[0]}, {room[i], 1, its.end[1]}};
    its.state = searched(its, seen);
  }

 private:
  /// The ends take turns, so that a small component is seen before a large one has taken long.
  FATHOM_HD LocalSearch::State searched(LocalSearch& its, SeenVertices* seen) const {
    std::uint32_t looked = 0;
    for (std::uint32_t side = 0; looked < kMostEntries; side = 1 - side) {
      SeenVertices &mine = seen[side], &other = seen[1 - side];
      if (mine.full() && other.full()) break;
      if (mine.full()) continue;
      if (mine.walked()) {
        its.side = side;
        its.size = mine.size();
        return LocalSearch::State::Piece;
      }
      bool met = false;
      lists.each(mine.walk(), [&](VertexId v) {
        met = other.has(v);
        if (!met) mine.add(v);
        return ++looked < kMostEntries && !met && !mine.full();
      });
      if (met) return LocalSearch::State::Tied;
    }
    return LocalSearch::State::Unknown;
  }
};
struct IsUnknown {
  static constexpr bool kDeviceCode = true;
  const LocalSearch* search;
  FATHOM_HD VertexId operator()(VertexId i) const {
    return search[i].state == LocalSearch::State::Unknown ? 1 : 0;
  }
};

/// Calls visit with each vertex of the piece that a search has found, if it has.
template <class Visit>
FATHOM_HD void each_of_piece(const LocalSearch& search, const SeenRoom& room, const Visit& visit) {
  if (search.state != LocalSearch::State::Piece) return;
  for (std::uint32_t k = 0; k < search.size; ++k) visit(room.vertex[search.side][k]);
}

/// Of pieces by their smallest vertices: a vertex outside that was tied to each; and of labels in
/// pieces the smallest vertex that is left of their components. Of no other vertices.
struct PieceData {
  VertexId *outside, *least;
};
struct BeginPieces {
  static constexpr bool kDeviceCode = true;
  LocalSearch* search;
  const SeenRoom* room;
  PieceData of;
  FATHOM_HD void operator()(VertexId i) const {
    VertexId least = kNoVertex;
    each_of_piece(search[i], room[i], [&](VertexId v) {
      least = v < least ? v : least;
      AtomicRef(of.least[v]).store(kNoVertex);
    });
    search[i].least = least;
    if (least != kNoVertex) AtomicRef(of.outside[least]).store(kNoVertex);
  }
};
/// What was tied to each other through a piece has to be tied without it: a search that finds a
/// piece from another vertex outside than the first one begins anew between these two.
struct TieAround {
  static constexpr bool kDeviceCode = true;
  LocalSearch* search;
  PieceData of;
  FATHOM_HD void operator()(VertexId i) const {
    LocalSearch& its = search[i];
    if (its.state != LocalSearch::State::Piece) return;
    VertexId first = kNoVertex;
    if (AtomicRef(of.outside[its.least]).compare_exchange(first, its.outside())) return;
    if (first == its.outside()) return;
    LocalSearch around;
    around.end[0] = first;
    around.end[1] = its.outside();
    its = around;
  }
};
/// Those that have begun anew, and of them those that have not found a way: nothing else will do.
struct IsToDo {
  static constexpr bool kDeviceCode = true;
  const LocalSearch* search;
  FATHOM_HD bool operator()(VertexId i) const {
    return search[i].state == LocalSearch::State::ToDo;
  }
};
struct IsApart {
  static constexpr bool kDeviceCode = true;
  const LocalSearch* search;
  FATHOM_HD bool operator()(VertexId i) const {
    return search[i].state != LocalSearch::State::Tied;
  }
};

/// Puts pieces aside, `named`: those of their vertices that are labels. What is left of a component
/// whose label is among them gets another one.
struct PutAside {
  static constexpr bool kDeviceCode = true;
  const LocalSearch* search;
  const SeenRoom* room;
  const VertexId* label;
  std::uint64_t *aside, *named;
  FATHOM_HD void operator()(VertexId i) const {
    each_of_piece(search[i], room[i], [&](VertexId v) {
      set_bit(aside, v);
      if (label[v] == v) set_bit(named, v);
    });
  }
};
struct LeftOfLabel {
  const VertexId* label;
  const std::uint64_t *aside, *named;
  FATHOM_HD bool is(VertexId v) const { return has_bit(named, label[v]) && !has_bit(aside, v); }
};
struct FindLeast {
  static constexpr bool kDeviceCode = true;
  LeftOfLabel left;
  VertexId* least;
  FATHOM_HD void operator()(VertexId v) const {
    if (left.is(v)) AtomicRef(least[left.label[v]]).fetch_min(v);
  }
};
struct TakeLeast {
  static constexpr bool kDeviceCode = true;
  LeftOfLabel left;
  const VertexId* least;
  VertexId* label;
  FATHOM_HD void operator()(VertexId v) const {
    if (left.is(v)) label[v] = least[left.label[v]];
  }
};
struct LabelPiece {
  static constexpr bool kDeviceCode = true;
  const LocalSearch* search;
  const SeenRoom* room;
  VertexId* label;
  FATHOM_HD void operator()(VertexId i) const {
    each_of_piece(search[i], room[i],
                  [&](VertexId v) { AtomicRef(label[v]).store(search[i].least); });
  }
};

/// Whether an added edge ties two components.
struct Ties {
  static constexpr bool kDeviceCode = true;
  const ChangedEdge* edge;
  const VertexId* label;
  FATHOM_HD VertexId operator()(VertexId i) const {
    return edge[i].before == 0 && label[edge[i].source] != label[edge[i].target] ? 1 : 0;
  }
};
struct TieEnds {
  static constexpr bool kDeviceCode = true;
  const ChangedEdge* edge;
  VertexId* label;
  FATHOM_HD void operator()(VertexId i) const {
    if (edge[i].before == 0) link(label, edge[i].source, edge[i].target);
  }
};
struct LabelAlone {
  static constexpr bool kDeviceCode = true;
  VertexId* label;
  VertexId first;
  FATHOM_HD void operator()(VertexId i) const { label[first + i] = first + i; }
};

}  // namespace fathom::dynamic
