// What label propagation does on an edge and a vertex, for any executor.
//
// Labels go into the slots of a window. Those of a short list are sorted where they are, those of a
// long one counted in its part of a table of words: the first word has the best label so far, the
// others are a hash table with open addressing. A word has the number of times that a label was met
// above the label itself, turned round: the greatest word is the most frequent label, of several
// the smallest.
#pragma once

#include "fathom/algorithms/slot_windows.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/core/random.hpp"

namespace fathom {

// Lists of more entries are counted in a table. Sorting by insertion takes d^2 / 4 steps.
inline constexpr EdgeId kShortLabelList = 32;

/// A label and how often it was met, in a word. 0: nothing was met.
struct LabelWords {
  std::uint32_t bits;  // of a label

  FATHOM_HD std::uint64_t mask() const { return (std::uint64_t{1} << bits) - 1; }
  FATHOM_HD std::uint64_t times(std::uint64_t n) const { return n << bits; }
  FATHOM_HD std::uint64_t code_of(VertexId label) const { return mask() - label; }
  FATHOM_HD VertexId label_of(std::uint64_t word) const {
    return static_cast<VertexId>(mask() - (word & mask()));
  }
  FATHOM_HD std::uint64_t times_of(std::uint64_t word) const { return word >> bits; }
  /// Where the search for a label begins, among `size` words.
  FATHOM_HD EdgeId place_of(VertexId label, EdgeId size) const {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
    return bounded(label * kGolden, size);
  }
  /// How often one may be met.
  FATHOM_HD std::uint64_t most() const { return ~std::uint64_t{0} >> bits; }
};

struct StartLabels {
  static constexpr bool kDeviceCode = true;
  VertexId* label;
  FATHOM_HD void operator()(VertexId v) const { label[v] = v; }
};

/// The first vertex with more entries than that.
struct HasMoreEntries {
  static constexpr bool kDeviceCode = true;
  SlotPlaces places;
  EdgeId limit;
  FATHOM_HD VertexId operator()(VertexId v) const {
    return places.degree(v) > limit ? v : kNoVertex;
  }
};

/// Puts the label of a neighbour into the slot of the edge.
struct PutLabel {
  static constexpr bool kDeviceCode = true;
  const VertexId* label;
  VertexId* slot;
  SlotPlaces places;
  bool in_list;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight, EdgeId i) const {
    EdgeId its = 0;
    if (places.find(u, in_list, i, its)) slot[its] = label[v];
    return false;
  }
};

/// Counts the labels of a segment of slots, where they are of long lists.
struct CountLabels {
  static constexpr bool kDeviceCode = true;
  const VertexId* slot;
  std::uint64_t* table;
  SlotSegments segments;
  LabelWords words;

  FATHOM_HD void operator()(VertexId segment) const {
    segments.for_each(segment, [&](VertexId v, EdgeId at, EdgeId stop) {
      const EdgeId its = segments.places.begin(v), next = segments.places.begin(v + 1);
      if (next - its > kShortLabelList) count(slot_table(its), slot_table(next), at, stop);
    });
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
    const std::uint64_t code = words.code_of(label);
    for (EdgeId place = words.place_of(label, size);;) {
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
  SlotPlaces places;
  LabelWords words;
  bool keeps;  // its own, where no other is more frequent

  FATHOM_HD void operator()(VertexId v) const {
    const EdgeId begin = places.begin(v), end = places.begin(v + 1), size = end - begin;
    next[v] = size == 0                ? label[v]
              : size > kShortLabelList ? best_counted(slot_table(begin), slot_table(end), label[v])
                                       : most_frequent(slot + begin, size, label[v]);
  }

  FATHOM_HD VertexId best_counted(EdgeId begin, EdgeId end, VertexId own) const {
    const std::uint64_t best = table[begin];
    const bool stays =
        keeps && words.times_of(best) == times_met(table + begin + 1, end - begin - 1, own);
    return stays ? own : words.label_of(best);
  }
  FATHOM_HD std::uint64_t times_met(const std::uint64_t* counted, EdgeId size, VertexId its) const {
    for (EdgeId place = words.place_of(its, size); counted[place] != 0;) {
      if (words.label_of(counted[place]) == its) return words.times_of(counted[place]);
      if (++place == size) place = 0;
    }
    return 0;
  }

  FATHOM_HD VertexId most_frequent(VertexId* list, EdgeId size, VertexId own) const {
    for (EdgeId i = 1; i < size; ++i) {
      const VertexId its = list[i];
      EdgeId at = i;
      for (; at > 0 && list[at - 1] > its; --at) list[at] = list[at - 1];
      list[at] = its;
    }
    VertexId best = list[0];
    EdgeId most = 0, of_own = 0;
    for (EdgeId from = 0, i = 1; i <= size; ++i) {
      if (i < size && list[i] == list[from]) continue;
      if (i - from > most) {
        most = i - from;
        best = list[from];
      }
      if (list[from] == own) of_own = i - from;
      from = i;
    }
    return keeps && of_own == most ? own : best;
  }
};

/// Of a vertex that wants another label than its own, `next`: exchanges them, unless it sits out.
struct MoveLabel {
  static constexpr bool kDeviceCode = true;
  VertexId *label, *next;
  RandomStream random;
  bool some_sit_out;  // each with a probability of one half

  FATHOM_HD void operator()(VertexId v) const {
    const VertexId its = label[v];
    if (its == next[v] || (some_sit_out && random.at(v) >> 63 != 0)) return;
    label[v] = next[v];
    next[v] = its;
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
