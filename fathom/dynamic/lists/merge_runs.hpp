// Rewriting an ascending list by many lanes: changes are taken in runs of one per lane, and the
// entries between those of a run are moved many at a time, each to where the sums of what is added
// and removed before it say. By one lane group per list. No containers, no threads, no CUDA.
#pragma once

#include "fathom/core/bits.hpp"
#include "fathom/dynamic/lists/list_body.hpp"

namespace fathom::dynamic {

/// The values of this lane and of all before it, combined.
template <LaneGroup G, class Op>
FATHOM_HD std::uint32_t combine_before(const G& g, std::uint32_t x, const Op& op) {
  for (std::uint32_t step = 1; step < g.size(); step *= 2) {
    const std::uint32_t other = g.shfl(x, g.rank() >= step ? g.rank() - step : g.rank());
    if (g.rank() >= step) x = op(other, x);
  }
  return x;
}

/// A change, and what it and all before it come to.
struct RunLane {
  std::uint32_t position = 0;  // of the first entry that they move
  std::uint32_t adds = 0, gone = 0;
  std::uint32_t end = 0;      // entries from `position` up to this one are removed
  std::uint32_t set_end = 0;  // or get a weight
  Weight weight = 1;          // Change::weight
  bool add = false;

  /// Where an entry at or behind `position` goes.
  FATHOM_HD std::uint32_t moved(std::uint32_t i) const { return i + adds - gone; }
};

/// The changes of a list, one per lane at a time. Every lane calls everything.
template <LaneGroup G, class Data>
struct ChangeRuns {
  static constexpr std::uint32_t kEach = 4;  // entries that a lane moves at a time

  const G& g;
  const Change* change;
  std::uint32_t changes;
  Data data;

  /// Rather than one change after the other: one lane copies faster, and short work is not worth
  /// the sums.
  FATHOM_HD bool worthwhile(std::uint32_t size) const {
    constexpr std::uint32_t kFewChanges = 4, kFewEntries = 64;
    return g.size() > 1 && (changes > kFewChanges || size > kFewEntries);
  }

  /// The changes [at, at + size), behind `before`. Lanes without a change move nothing.
  FATHOM_HD RunLane load(std::uint32_t at, const RunLane& before, bool adds) const {
    const std::uint32_t i = at + g.rank();
    RunLane mine = g.rank() == 0 ? before : RunLane{};
    mine.add = false;
    mine.set_end = 0;
    std::uint32_t gone = 0;
    if (i < changes) {
      const Change c = change[i];
      mine.add = adds && c.growth() > 0;
      if (c.kind == ChangeKind::Remove) gone = c.found;
      if (c.kind == ChangeKind::Set && c.found != 0) mine.set_end = c.position + c.found;
      if (gone != 0) mine.end = c.position + gone;
      // What a later update made pointless may stand behind it.
      mine.position = larger(mine.position, c.position);
      mine.weight = c.weight;
    }
    mine.position = combine_before(g, mine.position, larger);
    mine.end = combine_before(g, mine.end, larger);
    mine.gone = before.gone + combine_before(g, gone, sum);
    const std::uint32_t up_to = (1u << g.rank()) | ((1u << g.rank()) - 1);
    mine.adds = before.adds + count_bits(g.ballot(mine.add) & up_to);
    if (i >= changes) mine.position = kNoPage;
    return mine;
  }

  FATHOM_HD RunLane of_lane(const RunLane& mine, std::uint32_t lane) const {
    return {g.shfl(mine.position, lane), g.shfl(mine.adds, lane),    g.shfl(mine.gone, lane),
            g.shfl(mine.end, lane),      g.shfl(mine.set_end, lane), shuffle(g, mine.weight, lane)};
  }

  /// The last of the changes at or before entry i, by halving; `before` if there is none.
  FATHOM_HD RunLane governing(const RunLane& mine, const RunLane& before, std::uint32_t i) const {
    std::uint32_t count = 0;  // of changes that are
    for (std::uint32_t step = g.size(); step > 0; step /= 2) {
      const std::uint32_t next = count + step - 1;
      const std::uint32_t position = g.shfl(mine.position, next < g.size() ? next : 0);
      if (next < g.size() && position <= i) count += step;
    }
    const RunLane found = of_lane(mine, count == 0 ? 0 : count - 1);
    return count == 0 ? before : found;
  }

  /// Moves entries [first, last) of `in` to `out`, ascending; on one page only downwards.
  FATHOM_HD void move_between(const RunLane& mine, const RunLane& before, const PageRef& in,
                              const PageRef& out, std::uint32_t first, std::uint32_t last) const {
    for (std::uint32_t base = first; base < last; base += kEach * g.size()) {
      VertexId v[kEach] = {};
      Weight w[kEach] = {};
      std::uint32_t to[kEach] = {}, set = 0;  // set: a bit for each that is given its data
      for (std::uint32_t k = 0; k < kEach; ++k) {
        const std::uint32_t i = base + k * g.size() + g.rank();
        const RunLane by = governing(mine, before, i);
        to[k] = kNoPage;
        if (i >= last || i < by.end) continue;
        to[k] = by.moved(i);
        v[k] = in.target(i);
        w[k] = i < by.set_end ? by.weight : in.weight(i);
        set |= (i < by.set_end ? 1u : 0u) << k;
      }
      g.ballot(true);  // all have read before any writes
      for (std::uint32_t k = 0; k < kEach; ++k)
        if (to[k] != kNoPage) out.set(to[k], v[k], w[k]);
      g.ballot(true);
      if constexpr (Data::kFields) move_fields_between(in, out, base, to, w, set);
    }
  }

  /// As rewrite() does.
  FATHOM_HD std::uint32_t rewrite(const PageRef& in, std::uint32_t size, const PageRef& out,
                                  bool adds) const {
    const bool stays = in.words == out.words;
    RunLane before;
    std::uint32_t done = 0;
    for (std::uint32_t at = 0; at < changes; at += g.size()) {
      const RunLane mine = load(at, before, adds);
      const std::uint32_t rest = changes - at;
      const RunLane last = of_lane(mine, rest < g.size() ? rest - 1 : g.size() - 1);
      const std::uint32_t until = rest <= g.size() ? size : last.position;
      const bool sets = g.ballot(mine.set_end != 0) != 0 || before.set_end != 0;
      if (!stays || last.gone != 0 || sets) move_between(mine, before, in, out, done, until);
      if (mine.add) put(mine, out, mine.position - mine.gone, at);
      before = last;
      done = until;
    }
    g.ballot(true);
    return size + before.adds - before.gone;
  }

  /// As insert() does; `gone` entries have been removed.
  FATHOM_HD void insert(const PageRef& list, std::uint32_t size, std::uint32_t new_size,
                        std::uint32_t gone) const {
    std::uint32_t adds = new_size - size;  // of the runs that are left
    std::uint32_t until = size;            // entries from here on are in their places
    for (std::uint32_t at = (changes - 1) / g.size() * g.size(); adds != 0; at -= g.size()) {
      RunLane mine = load(at, {}, true);
      const RunLane sums = of_lane(mine, g.size() - 1);
      adds -= sums.adds;
      gone -= sums.gone;
      if (sums.adds == 0) continue;
      mine.adds += adds;
      mine.gone += gone;
      // Positions among what is left of the list.
      const std::uint32_t place = mine.position - mine.gone;
      const std::uint32_t latest = combine_before(g, mine.add ? place : 0, larger);
      mine.position = at + g.rank() < changes ? latest : kNoPage;
      const std::uint32_t from = g.shfl(place, lowest_bit(g.ballot(mine.add)));
      move_up_between(mine, list, from, until);
      if (mine.add) put(mine, list, place, at);
      g.ballot(true);
      until = from;
    }
  }

 private:
  FATHOM_HD static std::uint32_t sum(std::uint32_t a, std::uint32_t b) { return a + b; }
  FATHOM_HD static std::uint32_t larger(std::uint32_t a, std::uint32_t b) { return a > b ? a : b; }
  FATHOM_HD static std::uint32_t lowest_bit(std::uint32_t bits) {
    return count_bits((bits & (0u - bits)) - 1);
  }
  /// Writes what this lane adds before entry `place`.
  FATHOM_HD void put(const RunLane& mine, const PageRef& out, std::uint32_t place,
                     std::uint32_t at) const {
    out.put(place + mine.adds - 1, change[at + g.rank()].target, mine.weight, data);
  }
  /// The fields of entries from `base` on, which have been moved to `to`: those of entries whose
  /// bit is in `set` are those of a change, whose weight() stands in their place so far.
  FATHOM_HD void move_fields_between(const PageRef& in, const PageRef& out, std::uint32_t base,
                                     const std::uint32_t* to, const Weight* w,
                                     std::uint32_t set) const {
    for (std::uint32_t k = 0; k < kEach; ++k) {
      const bool given = (set >> k & 1) != 0;
      const std::uint32_t i = base + k * g.size() + g.rank();
      move_fields<Data>(
          g, in.fields, to[k] != kNoPage,
          [&](std::uint32_t word) {
            return given ? data.field_word(w[k], word) : in.field(i, word);
          },
          [&](std::uint32_t word, std::uint32_t its) { out.field(to[k], word) = its; });
      if (given) out.set_weight(to[k], data.weight(w[k]));
    }
  }
  /// Moves entries [first, last) of a list upwards, the last ones first.
  FATHOM_HD void move_up_between(const RunLane& mine, const PageRef& list, std::uint32_t first,
                                 std::uint32_t last) const {
    const std::uint32_t most = kEach * g.size();
    for (std::uint32_t left = last - first; left > 0;) {
      const std::uint32_t round = left < most ? left : most;
      left -= round;
      VertexId v[kEach] = {};
      Weight w[kEach] = {};
      std::uint32_t to[kEach] = {};
      for (std::uint32_t k = 0; k < kEach; ++k) {
        const std::uint32_t r = k * g.size() + g.rank(), i = first + left + r;
        const RunLane by = governing(mine, {}, i);
        to[k] = r < round ? i + by.adds : kNoPage;
        if (r < round) v[k] = list.target(i), w[k] = list.weight(i);
      }
      g.ballot(true);
      for (std::uint32_t k = 0; k < kEach; ++k)
        if (to[k] != kNoPage) list.set(to[k], v[k], w[k]);
      g.ballot(true);
      if constexpr (Data::kFields)
        for (std::uint32_t k = kEach; k-- > 0;)
          move_fields<Data>(
              g, list.fields, to[k] != kNoPage,
              [&](std::uint32_t word) {
                return list.field(first + left + k * g.size() + g.rank(), word);
              },
              [&](std::uint32_t word, std::uint32_t its) { list.field(to[k], word) = its; });
    }
  }
};

}  // namespace fathom::dynamic
