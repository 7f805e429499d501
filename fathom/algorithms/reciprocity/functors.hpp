// What counting edges with one back does on an edge and a vertex, for any executor.
//
// The neighbours of the vertices of a window have slots, those by out-edges before those by
// in-edges. The latter are put into a hash table with open addressing, a part for each vertex, in
// which the former are looked up.
#pragma once

#include "fathom/algorithms/slot_windows.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/core/random.hpp"

namespace fathom {

/// Puts a neighbour into the slot of the edge.
struct PutNeighbor {
  static constexpr bool kDeviceCode = true;
  VertexId* slot;
  SlotPlaces places;
  bool in_list;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight, EdgeId i) const {
    EdgeId its = 0;
    if (places.find(u, in_list, i, its)) slot[its] = v;
    return false;
  }
};

/// Where in-neighbours are looked up: a part of a table, kNoVertex where nothing is.
struct NeighborCells {
  VertexId* cell;
  EdgeId size;  // more than there are neighbours

  FATHOM_HD EdgeId first_of(VertexId v) const {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
    return bounded(v * kGolden, size);
  }
  FATHOM_HD void insert(VertexId v) const {
    for (EdgeId at = first_of(v);;) {
      const AtomicRef its(cell[at]);
      VertexId now = its.load();
      if (now == kNoVertex && its.compare_exchange(now, v, Order::Relaxed)) return;
      if (now == v) return;
      if (++at == size) at = 0;
    }
  }
  FATHOM_HD bool has(VertexId v) const {
    for (EdgeId at = first_of(v); cell[at] != kNoVertex;) {
      if (cell[at] == v) return true;
      if (++at == size) at = 0;
    }
    return false;
  }
};

/// The cells of a vertex, and its slots.
struct NeighborTable {
  VertexId* cell;
  SlotPlaces places;

  FATHOM_HD NeighborCells of(VertexId v) const {
    const EdgeId begin = slot_table(places.begin(v));
    return {cell + begin, slot_table(places.begin(v + 1)) - begin};
  }
};

/// Enters the in-neighbours of a segment of slots.
struct EnterNeighbors {
  static constexpr bool kDeviceCode = true;
  const VertexId* slot;
  NeighborTable table;
  SlotSegments segments;

  FATHOM_HD void operator()(VertexId segment) const {
    segments.for_each(segment, [&](VertexId v, EdgeId at, EdgeId stop) {
      const EdgeId from = segments.places.begin_in(v);
      if (segments.places.begin(v) == from) return;  // there is nothing to look up
      const NeighborCells cells = table.of(v);
      for (EdgeId i = at < from ? from : at; i < stop; ++i) cells.insert(slot[i]);
    });
  }
};

/// Looks up the out-neighbours of a segment of slots.
struct CountAnswered {
  static constexpr bool kDeviceCode = true;
  const VertexId* slot;
  NeighborTable table;
  SlotSegments segments;
  EdgeId* answered;

  FATHOM_HD void operator()(VertexId segment) const {
    segments.for_each(segment, [&](VertexId v, EdgeId at, EdgeId stop) {
      const EdgeId to = segments.places.begin_in(v), end = to < stop ? to : stop;
      if (to == segments.places.begin(v + 1)) return;
      const NeighborCells cells = table.of(v);
      EdgeId count = 0;
      for (EdgeId i = at; i < end; ++i) count += slot[i] != v && cells.has(slot[i]) ? 1 : 0;
      if (count > 0) AtomicRef(answered[v]).fetch_add(count);
    });
  }
};

/// Of a list with more entries than there are slots: marks in-neighbours within a range.
struct MarkInRange {
  static constexpr bool kDeviceCode = true;
  VertexId* marked;
  VertexId base, size;

  FATHOM_HD bool visit(VertexId, VertexId v, Weight) const {
    if (v >= base && v - base < size) AtomicRef(marked[v - base]).store(VertexId{1});
    return false;
  }
};
/// Counts its out-neighbours that are marked.
struct CountMarked {
  static constexpr bool kDeviceCode = true;
  const VertexId* marked;
  EdgeId* count;  // [1]
  VertexId base, size;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (u != v && v >= base && v - base < size && marked[v - base] != 0)
      AtomicRef(*count).fetch_add(EdgeId{1});
    return false;
  }
};

/// Of all vertices together.
struct AnsweredOf {
  static constexpr bool kDeviceCode = true;
  const EdgeId* answered;
  FATHOM_HD EdgeId operator()(VertexId v) const { return answered[v]; }
};

}  // namespace fathom
