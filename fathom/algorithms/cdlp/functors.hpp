// What label propagation does on an edge and a vertex, for any executor.
//
// A window is a range of vertices whose lists have room for their labels: a slot for each entry, in
// the order of vertices. Labels of a short list are sorted where they are. Those of a long one are
// counted in a table of words, one and a half for each of its slots, which a vertex finds by the
// place of its slots as well: the first word has the best label so far, the others are a hash table
// with open addressing. A word has the number of times that a label was met above the label itself,
// turned round: the greatest word is the most frequent label, of several the smallest.
#pragma once

#include "fathom/core/atomic.hpp"
#include "fathom/core/random.hpp"

namespace fathom {

// Lists of more entries are counted in a table. Sorting by insertion takes d^2 / 4 steps.
inline constexpr EdgeId kShortLabelList = 32;
// Slots that one thread counts into tables.
inline constexpr EdgeId kLabelSegment = 64;

/// A label and how often it was met, in a word. 0: nothing was met.
struct LabelWords {
  std::uint32_t bits;  // of a label

  FATHOM_HD std::uint64_t mask() const { return (std::uint64_t{1} << bits) - 1; }
  FATHOM_HD std::uint64_t times(std::uint64_t n) const { return n << bits; }
  FATHOM_HD std::uint64_t code_of(VertexId label) const { return mask() - label; }
  FATHOM_HD VertexId label_of(std::uint64_t word) const {
    return static_cast<VertexId>(mask() - (word & mask()));
  }
  /// How often one may be met.
  FATHOM_HD std::uint64_t most() const { return ~std::uint64_t{0} >> bits; }
};

/// Where the slots of a vertex are: of its out-edges, then of its in-edges.
struct LabelPlaces {
  const EdgeId* out;
  const EdgeId* in;  // null: undirected
  EdgeId first;      // of the window

  FATHOM_HD EdgeId begin(VertexId v) const { return out[v] + (in ? in[v] : 0) - first; }
  FATHOM_HD EdgeId begin_in(VertexId v) const { return begin(v) + out[v + 1] - out[v]; }
  FATHOM_HD EdgeId degree(VertexId v) const { return begin(v + 1) - begin(v); }
};

/// The table of a vertex: where it begins, for slots that begin at `slot`.
FATHOM_HD EdgeId label_table(EdgeId slot) {
  return slot + slot / 2;
}

struct StartLabels {
  static constexpr bool kDeviceCode = true;
  VertexId* label;
  FATHOM_HD void operator()(VertexId v) const { label[v] = v; }
};

/// The first vertex with more entries than that.
struct HasMoreEntries {
  static constexpr bool kDeviceCode = true;
  LabelPlaces places;
  EdgeId limit;
  FATHOM_HD VertexId operator()(VertexId v) const {
    return places.degree(v) > limit ? v : kNoVertex;
  }
};

/// Puts the label of a neighbour into the slot of the edge. What is beyond a vertex's degree has
/// none: a damaged file.
struct PutLabel {
  static constexpr bool kDeviceCode = true;
  const VertexId* label;
  VertexId* slot;
  LabelPlaces places;
  bool in_list;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight, EdgeId i) const {
    const EdgeId begin = in_list ? places.begin_in(u) : places.begin(u);
    const EdgeId end = in_list ? places.begin(u + 1) : places.begin_in(u);
    if (i < end - begin) slot[begin + i] = label[v];
    return false;
  }
};

/// Counts the labels of a segment of slots, where they are of long lists.
struct CountLabels {
  static constexpr bool kDeviceCode = true;
  const VertexId* slot;
  std::uint64_t* table;
  LabelPlaces places;
  VertexId first, last;  // of the window
  EdgeId slots;          // in use
  LabelWords words;

  FATHOM_HD void operator()(VertexId segment) const {
    EdgeId at = segment * kLabelSegment;
    const EdgeId end = at + kLabelSegment < slots ? at + kLabelSegment : slots;
    for (VertexId v = owner_of(at); at < end; ++v) {
      const EdgeId its = places.begin(v), next = places.begin(v + 1);
      const EdgeId stop = next < end ? next : end;
      if (next - its > kShortLabelList) count(label_table(its), label_table(next), at, stop);
      at = stop;
    }
  }

  /// The last vertex whose slots do not begin after `at`: the one that has it.
  FATHOM_HD VertexId owner_of(EdgeId at) const {
    VertexId low = first, high = last - 1;
    while (low < high) {
      const VertexId middle = high - (high - low) / 2;
      if (places.begin(middle) <= at)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }

  FATHOM_HD void count(EdgeId begin, EdgeId end, EdgeId at, EdgeId stop) const {
    std::uint64_t best = 0;
    while (at < stop) {
      const VertexId label = slot[at];
      const EdgeId from = at;
      while (++at < stop && slot[at] == label) {
      }
      const std::uint64_t met = meet(table + begin + 1, end - begin - 1, label, at - from);
      if (met > best) best = met;
    }
    const AtomicRef its(table[begin]);
    for (std::uint64_t now = its.load(); now < best;)
      if (its.compare_exchange(now, best, Order::Relaxed)) return;
  }

  /// @returns the word of a label that was met n times more.
  FATHOM_HD std::uint64_t meet(std::uint64_t* words_of, EdgeId size, VertexId label,
                               std::uint64_t n) const {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
    const std::uint64_t code = words.code_of(label);
    for (EdgeId place = bounded(label * kGolden, size);;) {
      const AtomicRef its(words_of[place]);
      std::uint64_t now = its.load();
      if (now == 0) {
        const std::uint64_t first_met = words.times(n) | code;
        if (its.compare_exchange(now, first_met, Order::Relaxed)) return first_met;
      }
      if ((now & words.mask()) == code) return its.fetch_add(words.times(n)) + words.times(n);
      if (++place == size) place = 0;
    }
  }
};

/// The next label of a vertex of the window.
struct PickLabel {
  static constexpr bool kDeviceCode = true;
  const VertexId* label;
  VertexId* next;
  VertexId* slot;
  const std::uint64_t* table;
  LabelPlaces places;
  LabelWords words;

  FATHOM_HD void operator()(VertexId v) const {
    const EdgeId begin = places.begin(v), size = places.begin(v + 1) - begin;
    next[v] = size == 0                ? label[v]
              : size > kShortLabelList ? words.label_of(table[label_table(begin)])
                                       : most_frequent(slot + begin, size);
  }

  FATHOM_HD static VertexId most_frequent(VertexId* list, EdgeId size) {
    for (EdgeId i = 1; i < size; ++i) {
      const VertexId its = list[i];
      EdgeId at = i;
      for (; at > 0 && list[at - 1] > its; --at) list[at] = list[at - 1];
      list[at] = its;
    }
    VertexId best = list[0];
    EdgeId most = 0;
    for (EdgeId from = 0, i = 1; i <= size; ++i) {
      if (i < size && list[i] == list[from]) continue;
      if (i - from > most) {
        most = i - from;
        best = list[from];
      }
      from = i;
    }
    return best;
  }
};

/// Counts those labels that are within a range, a word each: of a list that has more entries than
/// there are slots.
struct CountInRange {
  static constexpr bool kDeviceCode = true;
  const VertexId* label;
  std::uint64_t* count;
  VertexId base, size;

  FATHOM_HD bool visit(VertexId, VertexId v, Weight) const {
    const VertexId place = label[v] - base;
    if (label[v] >= base && place < size) AtomicRef(count[place]).fetch_add(std::uint64_t{1});
    return false;
  }
};

/// The word of a label of the range.
struct WordInRange {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* count;
  VertexId base;
  LabelWords words;
  FATHOM_HD std::uint64_t operator()(VertexId i) const {
    return count[i] == 0 ? 0 : words.times(count[i]) | words.code_of(base + i);
  }
};
struct GreaterWord {
  FATHOM_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    return a < b ? b : a;
  }
};

struct IsOtherLabel {
  static constexpr bool kDeviceCode = true;
  const VertexId* label;
  const VertexId* next;
  FATHOM_HD std::uint64_t operator()(VertexId v) const { return label[v] != next[v] ? 1 : 0; }
};

}  // namespace fathom
