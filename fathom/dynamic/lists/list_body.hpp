// Ascending lists on contiguous pages (ouroGraph, section 6.2.2): finding edges in them and
// rewriting them, by one lane group per list. No containers, no threads, no CUDA.
#pragma once

#include <cstring>

#include "fathom/core/lanes.hpp"
#include "fathom/dynamic/batches/changes.hpp"
#include "fathom/ops/intersect_lists.hpp"
#include "fathom/residency/dynamic_edges.hpp"

namespace fathom::dynamic {

/// Entries of one page, wherever they lie in it.
struct PageRef {
  std::uint32_t* words = nullptr;
  std::uint32_t step = 1;       // words from one entry to the next
  std::uint32_t to_weight = 0;  // words from one word of an entry to the next; 0: targets alone
  std::uint32_t fields = 0;     // words of an entry behind its weight

  /// Whether the words of an entry lie together, and those of the next one behind them.
  FATHOM_HD bool gapless() const { return to_weight == 0 || step != 1; }
  FATHOM_HD VertexId target(std::uint32_t i) const { return words[std::size_t{i} * step]; }
  FATHOM_HD Weight weight(std::uint32_t i) const {
    return to_weight == 0 ? Weight{1}
                          : __builtin_bit_cast(Weight, words[std::size_t{i} * step + to_weight]);
  }
  FATHOM_HD void set_weight(std::uint32_t i, Weight w) const {
    if (to_weight != 0)
      words[std::size_t{i} * step + to_weight] = __builtin_bit_cast(std::uint32_t, w);
  }
  FATHOM_HD void set(std::uint32_t i, VertexId v, Weight w) const {
    words[std::size_t{i} * step] = static_cast<std::uint32_t>(v);
    set_weight(i, w);
  }
  FATHOM_HD std::uint32_t& field(std::uint32_t i, std::uint32_t k) const {
    return words[std::size_t{i} * step + std::size_t{2 + k} * to_weight];
  }
  FATHOM_HD void set_fields(std::uint32_t i, const EdgeFields& f) const {
    for (std::uint32_t k = 0; k < fields; ++k) field(i, k) = field_word(f, k);
  }
  /// What a change says of its edge; `w` is Change::weight.
  template <class Data>
  FATHOM_HD void set_data(std::uint32_t i, Weight w, const Data& data) const {
    set_weight(i, data.weight(w));
    if constexpr (Data::kFields)
      for (std::uint32_t k = 0; k < fields; ++k) field(i, k) = data.field_word(w, k);
  }
  template <class Data>
  FATHOM_HD void put(std::uint32_t i, VertexId v, Weight w, const Data& data) const {
    words[std::size_t{i} * step] = static_cast<std::uint32_t>(v);
    set_data(i, w, data);
  }
};

FATHOM_HD PageRef page_of(std::uint32_t* region, const DynamicLayout& layout, std::uint32_t page,
                          std::uint32_t capacity) {
  return {region + std::size_t{page} * (kDynamicUnit / 4), layout.step(),
          layout.weighted() ? layout.to_weight(capacity) : 0,
          layout.weighted() ? layout.entry_words - 2 : 0};
}

/// The first of [from, size) whose target is at least v: doubling steps, then halving.
FATHOM_HD std::uint32_t first_from(const PageRef& list, std::uint32_t from, std::uint32_t size,
                                   VertexId v) {
  std::uint32_t step = 1, low = from, high = from;
  while (high < size && list.target(high) < v) {
    low = high + 1;
    high = size - high > step ? high + step : size;
    step *= 2;
  }
  return first_at_least(list, v, low, high);
}

/// Notes where in the list the edges of a change are, searching from `from` on. Returns where the
/// search for a larger target may begin.
FATHOM_HD std::uint32_t locate(const PageRef& list, std::uint32_t from, std::uint32_t size,
                               Change& c) {
  const std::uint32_t first = first_from(list, from, size, c.target);
  const std::uint32_t last = first_from(list, first, size, c.target + 1);
  c.found = last - first;
  c.position = c.kind == ChangeKind::Add ? last : first;
  return first;
}

/// As first_from(), by a group that looks at as many entries at a time as it has lanes; on every
/// lane.
template <LaneGroup G>
FATHOM_HD std::uint32_t first_from(const G& group, const PageRef& list, std::uint32_t from,
                                   std::uint32_t size, VertexId v) {
  std::uint32_t n = size - from;
  while (n > 0) {
    const std::uint32_t step =
        n / (group.size() + 1) + 1;  // each lane looks at the last of as many
    const std::uint64_t mine = std::uint64_t{step} * (group.rank() + 1);
    const bool less = mine <= n && list.target(from + static_cast<std::uint32_t>(mine) - 1) < v;
    std::uint32_t skipped = 0;
    for (std::uint32_t rest = group.ballot(less); rest != 0; rest &= rest - 1) skipped += step;
    from += skipped;
    n -= skipped;
    if (n >= step) n = step - 1;  // the last of these is not less
  }
  return from;
}

/// The same by a group, one of whose lanes notes it.
template <LaneGroup G>
FATHOM_HD void locate(const G& group, const PageRef& list, std::uint32_t size, Change& c) {
  const VertexId target = c.target;
  const std::uint32_t first = first_from(group, list, 0, size, target);
  const std::uint32_t last = first_from(group, list, first, size, target + 1);
  if (group.rank() != 0) return;
  c.found = last - first;
  c.position = c.kind == ChangeKind::Add ? last : first;
}

/// By one lane, between pages that are laid out alike; they may overlap.
FATHOM_HD void copy_entries(const PageRef& in, std::uint32_t from, const PageRef& out,
                            std::uint32_t to, std::uint32_t n) {
  std::uint32_t* const target = out.words + std::size_t{to} * out.step;
  const std::uint32_t* const source = in.words + std::size_t{from} * in.step;
  const std::size_t words = std::size_t{n} * in.step;
#if defined(__CUDA_ARCH__)
  // Several reads on their way at a time.
  constexpr std::size_t kAtOnce = 4;
  std::uint32_t word[kAtOnce];
  const auto move = [&](std::size_t at, std::size_t count) {
#pragma unroll
    for (std::size_t k = 0; k < kAtOnce; ++k)
      if (k < count) word[k] = source[at + k];
#pragma unroll
    for (std::size_t k = 0; k < kAtOnce; ++k)
      if (k < count) target[at + k] = word[k];
  };
  const auto least = [](std::size_t a, std::size_t b) { return a < b ? a : b; };
  if (target < source)
    for (std::size_t i = 0; i < words; i += kAtOnce) move(i, least(kAtOnce, words - i));
  else
    for (std::size_t left = words; left > 0;) {
      const std::size_t count = least(kAtOnce, left);
      left -= count;
      move(left, count);
    }
#else
  std::memmove(target, source, words * sizeof(std::uint32_t));
#endif
}

/// Of a round in which lanes move entries, targets and weights of which have been moved: the
/// fields, word after word. read(k) is word k of what this lane moves, write(k, word) puts it where
/// it goes; `mine`: it moves something. Every lane calls it.
template <class Data, LaneGroup G, class Read, class Write>
FATHOM_HD void move_fields(const G& g, std::uint32_t fields, bool mine, const Read& read,
                           const Write& write) {
  if constexpr (Data::kFields)
    for (std::uint32_t k = 0; k < fields; ++k) {
      const std::uint32_t word = mine ? read(k) : 0;
      g.ballot(true);  // all have read before any writes
      if (mine) write(k, word);
      g.ballot(true);
    }
}

/// Copies entries [from, from + n) of `in` to [to, ...) of `out`, ascending: on one page only
/// downwards. Every lane calls it.
template <class Data, LaneGroup G>
FATHOM_HD void move_down(const G& g, const PageRef& in, std::uint32_t from, const PageRef& out,
                         std::uint32_t to, std::uint32_t n) {
  if (g.size() == 1 && in.gapless() && out.gapless()) return copy_entries(in, from, out, to, n);
  for (std::uint32_t base = 0; base < n; base += g.size()) {
    const std::uint32_t i = base + g.rank();
    VertexId v = 0;
    Weight w = 1;
    if (i < n) v = in.target(from + i), w = in.weight(from + i);
    g.ballot(true);  // all have read before any writes
    if (i < n) out.set(to + i, v, w);
    g.ballot(true);
    move_fields<Data>(
        g, in.fields, i < n, [&](std::uint32_t k) { return in.field(from + i, k); },
        [&](std::uint32_t k, std::uint32_t word) { out.field(to + i, k) = word; });
  }
}

/// The same upwards, on one page.
template <class Data, LaneGroup G>
FATHOM_HD void move_up(const G& g, const PageRef& list, std::uint32_t from, std::uint32_t to,
                       std::uint32_t n) {
  if (g.size() == 1 && list.gapless()) return copy_entries(list, from, list, to, n);
  for (std::uint32_t left = n; left > 0;) {
    const std::uint32_t round = left < g.size() ? left : g.size();
    left -= round;
    VertexId v = 0;
    Weight w = 1;
    const std::uint32_t i = left + g.rank();
    const bool mine = g.rank() < round;
    if (mine) v = list.target(from + i), w = list.weight(from + i);
    g.ballot(true);
    if (mine) list.set(to + i, v, w);
    g.ballot(true);
    move_fields<Data>(
        g, list.fields, mine, [&](std::uint32_t k) { return list.field(from + i, k); },
        [&](std::uint32_t k, std::uint32_t word) { list.field(to + i, k) = word; });
  }
}

/// Applies removals, new weights and fields, and with `add` what is added too, writing from `in` to
/// `out`. Both may be the same page unless something is added. Returns the new size.
template <LaneGroup G, class Data>
FATHOM_HD std::uint32_t rewrite(const G& g, const Change* first, const Change* last,
                                const Data& data, const PageRef& in, std::uint32_t size,
                                const PageRef& out, bool add) {
  std::uint32_t read = 0, write = 0;
  const auto keep_until = [&](std::uint32_t end) {
    if (in.words != out.words || read != write)
      move_down<Data>(g, in, read, out, write, end - read);
    write += end - read;
    read = end;
  };
  for (const Change* c = first; c != last; ++c) {
    if (c->kind == ChangeKind::None) continue;
    if (c->kind == ChangeKind::Remove) {
      keep_until(c->position);
      read += c->found;
    } else if (c->kind == ChangeKind::Set && c->found != 0) {
      const std::uint32_t from = c->position;
      keep_until(from + c->found);
      if (g.rank() == 0)
        for (std::uint32_t i = write - c->found; i < write; ++i) out.set_data(i, c->weight, data);
      g.ballot(true);
    } else if (add && c->growth() > 0) {
      keep_until(c->position);
      if (g.rank() == 0) out.put(write, c->target, c->weight, data);
      ++write;
    }
  }
  keep_until(size);
  return write;
}

/// Puts what is added into its places, from the end on; removals have been done, `size` entries
/// are left and there is room.
template <LaneGroup G, class Data>
FATHOM_HD void insert(const G& g, const Change* first, const Change* last, const Data& data,
                      const PageRef& list, std::uint32_t size, std::uint32_t new_size) {
  std::uint32_t removed = 0;
  for (const Change* c = first; c != last; ++c)
    if (c->kind == ChangeKind::Remove) removed += c->found;
  std::uint32_t read = size, write = new_size;
  for (const Change* c = last; c != first && write != read;) {
    --c;
    if (c->kind == ChangeKind::Remove) removed -= c->found;
    if (c->growth() <= 0) continue;
    const std::uint32_t at = c->position - removed;
    const std::uint32_t n = read - at;
    move_up<Data>(g, list, at, write - n, n);
    write -= n + 1;
    if (g.rank() == 0) list.put(write, c->target, c->weight, data);
    g.ballot(true);
    read = at;
  }
}

}  // namespace fathom::dynamic
