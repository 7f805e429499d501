// What similarity does with lists in slots, for any executor.
//
// A sequence is the lists of some vertices, one after the other, ascending by vertex. A part of it
// at a time is in slots, beginning with the entry before it: an entry that is the same as the one
// before it in its list is a duplicate. Lists may begin in one part and end in another.
#pragma once

#include "fathom/algorithms/slot_windows.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/core/random.hpp"

namespace fathom {

/// Part of a sequence of lists.
struct ListPart {
  const VertexId* who;   // [members] ascending
  const EdgeId* start;   // [members + 1] where their lists begin
  const EdgeId* place;   // [vertices] the same, by vertex
  const EdgeId* offset;  // [vertices + 1] of the graph
  const VertexId* slot;  // entries from `base` on
  VertexId members;
  EdgeId base, begin, end;  // base: begin, or one less

  FATHOM_HD VertexId at(EdgeId entry) const { return slot[entry - base]; }
  FATHOM_HD EdgeId length(VertexId v) const { return offset[v + 1] - offset[v]; }

  /// Whether an entry of the list of v, which begins at `first`, is a neighbour met the first time.
  FATHOM_HD bool counts(EdgeId entry, EdgeId first, VertexId v) const {
    const VertexId its = at(entry);
    return its != v && (entry == first || at(entry - 1) != its);
  }

  /// The member that has an entry.
  FATHOM_HD VertexId owner_of(EdgeId entry) const {
    return owner_of_slot(0, members - 1, entry, [&](VertexId member) { return start[member]; });
  }
};

struct PlaceLists {
  static constexpr bool kDeviceCode = true;
  const VertexId* who;
  const EdgeId* start;
  EdgeId* place;
  FATHOM_HD void operator()(VertexId member) const { place[who[member]] = start[member]; }
};

/// Puts an entry of a list where its part has a slot for it.
struct PutEntry {
  static constexpr bool kDeviceCode = true;
  const EdgeId* place;
  VertexId* slot;
  EdgeId base, end;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight, EdgeId i) const {
    const EdgeId at = place[u] + i;
    if (at >= base && at < end) slot[at - base] = v;
    return false;
  }
};

/// Adds the neighbours in a segment of slots to the degrees of whose they are.
struct CountNeighborsOnce {
  static constexpr bool kDeviceCode = true;
  ListPart part;
  VertexId* degree;

  FATHOM_HD void operator()(VertexId segment) const {
    EdgeId at = part.begin + segment * kSlotSegment;
    const EdgeId stop = at + kSlotSegment < part.end ? at + kSlotSegment : part.end;
    for (VertexId member = part.owner_of(at); at < stop; ++member) {
      const VertexId v = part.who[member];
      const EdgeId first = part.start[member], next = part.start[member + 1];
      VertexId met = 0;
      for (; at < stop && at < next; ++at) met += part.counts(at, first, v) ? 1 : 0;
      if (met > 0) AtomicRef(degree[v]).fetch_add(met);
    }
  }
};

/// How many paths of two edges leave a vertex, at most.
struct BoundPaths {
  static constexpr bool kDeviceCode = true;
  const VertexId* degree;
  std::uint64_t* paths;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (u != v && degree[v] > 1) AtomicRef(paths[u]).fetch_add(std::uint64_t{degree[v]} - 1);
    return false;
  }
};

/// What a common neighbour adds.
struct NeighborTerms {
  const std::uint64_t* term;  // [vertices]; null: each counts 1
  FATHOM_HD std::uint64_t of(VertexId w) const { return term ? term[w] : 1; }
};

/// Candidates of vertices, and sums over the neighbours in common. Each vertex has a range of
/// cells: a hash table with open addressing, or a cell per vertex of the graph where that is no
/// more. A sum of 0 is an empty cell.
struct CandidateTable {
  VertexId* key;
  std::uint64_t* sum;
  VertexId vertices;

  FATHOM_HD void add(EdgeId first, EdgeId cells, VertexId v, std::uint64_t term) const {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
    if (cells == vertices) {
      AtomicRef(sum[first + v]).fetch_add(term);
      return;
    }
    EdgeId at = bounded(v * kGolden, cells);
    // There is room for all, but in lists of damaged files.
    for (EdgeId tries = 0; tries < cells; ++tries) {
      const AtomicRef its(key[first + at]);
      VertexId now = its.load();
      if (now == kNoVertex && its.compare_exchange(now, v, Order::Relaxed)) now = v;
      if (now == v) {
        AtomicRef(sum[first + at]).fetch_add(term);
        return;
      }
      if (++at == cells) at = 0;
    }
  }
};

/// Which members of one sequence have the vertices of another as neighbours.
struct Towards {
  const EdgeId* first;     // [members of the other + 1]
  const VertexId* member;  // from first[w] on: of the one, each once
};

/// Walks from members to the neighbours of theirs, and on to the neighbours in a segment of slots.
struct AddPaths {
  static constexpr bool kDeviceCode = true;
  ListPart through;
  Towards from;
  const VertexId* who;  // members
  const EdgeId* range;  // [members + 1]: their cells
  CandidateTable table;
  NeighborTerms terms;

  FATHOM_HD void operator()(VertexId segment) const {
    EdgeId at = through.begin + segment * kSlotSegment;
    const EdgeId stop = at + kSlotSegment < through.end ? at + kSlotSegment : through.end;
    for (VertexId place = through.owner_of(at); at < stop; ++place) {
      const VertexId w = through.who[place];
      const EdgeId first = through.start[place], next = through.start[place + 1];
      for (; at < stop && at < next; ++at)
        if (through.counts(at, first, w)) add(place, through.at(at), terms.of(w));
    }
  }

  FATHOM_HD void add(VertexId place, VertexId v, std::uint64_t term) const {
    for (EdgeId i = from.first[place]; i < from.first[place + 1]; ++i) {
      const VertexId member = from.member[i];
      if (who[member] != v) table.add(range[member], range[member + 1] - range[member], v, term);
    }
  }
};

/// Adds up what two lists have in common, as far as both are in slots.
struct SumCommon {
  static constexpr bool kDeviceCode = true;
  ListPart of_u, of_v;
  const VertexId* u;
  const VertexId* v;
  std::uint64_t* sum;
  NeighborTerms terms;

  struct Range {
    EdgeId first, begin, end;  // of a list; of what is in slots of it
    FATHOM_HD EdgeId size() const { return end - begin; }
  };
  FATHOM_HD static Range range_of(const ListPart& part, VertexId v) {
    const EdgeId first = part.place[v], end = first + part.length(v);
    const EdgeId from = first < part.begin ? part.begin : first;
    const EdgeId to = end < part.end ? end : part.end;
    return {first, from, from < to ? to : from};
  }

  FATHOM_HD void operator()(VertexId pair) const {
    const Range a = range_of(of_u, u[pair]), b = range_of(of_v, v[pair]);
    sum[pair] += a.size() <= b.size() ? common(of_u, a, u[pair], of_v, b, v[pair])
                                      : common(of_v, b, v[pair], of_u, a, u[pair]);
  }

  /// Each entry of the shorter range is searched in the longer one, by doubling steps.
  FATHOM_HD std::uint64_t common(const ListPart& shorter, const Range& a, VertexId x,
                                 const ListPart& longer, const Range& b, VertexId y) const {
    std::uint64_t total = 0;
    EdgeId from = b.begin;
    for (EdgeId i = a.begin; i < a.end && from < b.end; ++i) {
      if (!shorter.counts(i, a.first, x)) continue;
      const VertexId w = shorter.at(i);
      from = first_at_least(longer, from, b.end, w);
      if (from < b.end && longer.at(from) == w && longer.counts(from, b.first, y))
        total += terms.of(w);
    }
    return total;
  }

  FATHOM_HD static EdgeId first_at_least(const ListPart& part, EdgeId from, EdgeId end,
                                         VertexId w) {
    EdgeId low = from, high = from, step = 1;
    while (high < end && part.at(high) < w) {
      low = high + 1;
      high += step;
      step *= 2;
    }
    if (high > end) high = end;
    while (low < high) {
      const EdgeId middle = low + (high - low) / 2;
      if (part.at(middle) < w)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

}  // namespace fathom
