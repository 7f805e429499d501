// Lists with random access, as much of them at a time as there is room for: an entry of a list has
// a slot, in the order of vertices. What algorithms that count in lists share, on any residency.
#pragma once

#include <vector>

#include "fathom/exec/frontier.hpp"
#include "fathom/residency/edge_source.hpp"

namespace fathom {

// Slots that one thread goes through.
inline constexpr EdgeId kSlotSegment = 64;
FATHOM_HD VertexId slot_segments(EdgeId slots) {
  return static_cast<VertexId>((slots + kSlotSegment - 1) / kSlotSegment);
}

/// The last of `first` to `last` for which begin(it), which ascends, is not behind `slot`: the list
/// that has it.
template <class Begin>
FATHOM_HD VertexId owner_of_slot(VertexId first, VertexId last, EdgeId slot, const Begin& begin) {
  while (first < last) {
    const VertexId middle = last - (last - first) / 2;
    if (begin(middle) <= slot)
      first = middle;
    else
      last = middle - 1;
  }
  return first;
}

/// Where the slots of a vertex are: of its out-edges, then of its in-edges.
struct SlotPlaces {
  const EdgeId* out;
  const EdgeId* in;  // null: undirected
  EdgeId first;      // of the window

  FATHOM_HD EdgeId begin(VertexId v) const { return out[v] + (in ? in[v] : 0) - first; }
  FATHOM_HD EdgeId begin_in(VertexId v) const { return begin(v) + out[v + 1] - out[v]; }
  FATHOM_HD EdgeId degree(VertexId v) const { return begin(v + 1) - begin(v); }

  /// Where entry i of one of the lists of v goes. What is beyond a vertex's degree has no slot: a
  /// damaged file.
  FATHOM_HD bool find(VertexId v, bool in_list, EdgeId i, EdgeId& slot) const {
    const EdgeId from = in_list ? begin_in(v) : begin(v);
    const EdgeId end = in_list ? begin(v + 1) : begin_in(v);
    slot = from + i;
    return i < end - from;
  }
};

/// How many entries have room at a time where slots are some bytes per vertex.
inline EdgeId slots_for(VertexId vertices) {
  return EdgeId{vertices} / 2 + 1;
}

/// A table of one and a half cells for each slot: where that of a vertex begins, whose slots begin
/// at `slot`.
FATHOM_HD EdgeId slot_table(EdgeId slot) {
  return slot + slot / 2;
}

/// A range of vertices whose lists have room.
struct SlotWindow {
  VertexId first = 0, last = 0;
  EdgeId begin = 0, end = 0;  // entries of the vertices before `first`, and before `last`
  bool no_room = false;       // a single vertex, which has more entries

  EdgeId slots() const { return end - begin; }
  VertexId segments() const { return slot_segments(slots()); }
};

/// Calls visit(v, first slot, last slot) for the parts of lists that have the slots of a segment.
struct SlotSegments {
  SlotPlaces places;
  VertexId first, last;  // of the window
  EdgeId slots;          // in use

  template <class Visit>
  FATHOM_HD void for_each(VertexId segment, const Visit& visit) const {
    EdgeId at = segment * kSlotSegment;
    const EdgeId end = at + kSlotSegment < slots ? at + kSlotSegment : slots;
    const auto begin = [&](VertexId v) { return places.begin(v); };
    for (VertexId v = owner_of_slot(first, last - 1, at, begin); at < end; ++v) {
      const EdgeId next = places.begin(v + 1), stop = next < end ? next : end;
      visit(v, at, stop);
      at = stop;
    }
  }
};

/// All vertices, in windows of at most `room` entries; they depend on the lists' lengths alone.
/// `in`: null, or further lists of the same vertices.
/// Cost: a few offsets are copied to the host for each window.
std::vector<SlotWindow> plan_slot_windows(const Context& ctx, EdgeSource& out, EdgeSource* in,
                                          EdgeId room);

/// vertices: those of the window, a bitmap.
void select_window(const Context& ctx, const SlotWindow& window, Frontier& vertices);

}  // namespace fathom
