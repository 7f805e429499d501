// The view of a graph that changes: a record per vertex says where its entries are in one region.
//
// Contiguous lists (ouroGraph, chapter 6 of Winter's thesis) lie on one power-of-two page each, or,
// where they are very short, in their record; linked ones (aimGraph, faimGraph, chapters 3 and 4)
// on pages of one size, whose last word names the next. Everything is addressed relative to the
// region, which may lie anywhere.
//
// A record of a contiguous list has two words, one of a linked list four: pages of aimGraph's stay
// with lists that get shorter.
//
//   on a page    page; from the highest bit on 1, and 2^(k + 1) + size: a page has 2^k words
//   without one  the targets, as they would lie on a page, and kNoTarget behind them
//   linked       first page, size, capacity, 0
#pragma once

#include "fathom/core/bits.hpp"
#include "fathom/residency/edge_cursor.hpp"

namespace fathom {

/// Where the list of a vertex is, as its record says.
///
/// Invariants: size <= capacity; layout.on_page(capacity) exactly when there is a page.
struct DynamicList {
  std::uint32_t page = 0;      // the first one, in units of kDynamicUnit bytes from the region
  std::uint32_t size = 0;      // edges
  std::uint32_t capacity = 0;  // entries that there is room for, on all pages
};

inline constexpr std::uint32_t kDynamicUnit = 16;  // bytes; the smallest page
inline constexpr std::uint32_t kNoPage = ~std::uint32_t{0};
inline constexpr std::uint32_t kDeletedEdge = ~std::uint32_t{0};  // in place of a target
inline constexpr std::uint32_t kInRecord = 2;                     // edges that a record holds
inline constexpr int kNoTargetByte = 0x7f;  // memory that is filled with it has empty lists
inline constexpr std::uint32_t kNoTarget = 0x7f7f7f7f;

/// The record of a contiguous list, half of that of a linked one.
struct alignas(8) DynamicRecord {
  static constexpr std::uint32_t kOnPage = 1u << 31;
  std::uint32_t word[2];

  // Of a contiguous list.
  FATHOM_HD bool on_page() const { return (word[1] & kOnPage) != 0; }
  /// Edges of a list without a page.
  FATHOM_HD std::uint32_t targets() const {
    return (word[0] != kNoTarget ? 1u : 0u) + (word[1] != kNoTarget ? 1u : 0u);
  }
  /// Edges, without a branch, since it is hard to foretell which records have lists.
  FATHOM_HD std::uint32_t size() const {
    const std::uint32_t code = word[1] & ~kOnPage;
    // | 1: without a page it may be 0
    const std::uint32_t of_page = code ^ (1u << (bit_width(code | 1) - 1));
    const std::uint32_t mask = 0u - (word[1] >> 31);
    return (of_page & mask) | (targets() & ~mask);
  }
};

/// How entries lie on a page: words of 4 bytes, the target first, then the weight if any.
struct DynamicLayout {
  std::uint32_t entry_words = 1;  // of one edge: 1, 2 with a weight
  std::uint32_t link_words = 0;   // words of a linked page; 0: lists are contiguous
  bool structure = false;         // weights behind all targets of a page, not beside their own
  bool markers = false;           // entries of linked pages may be kDeletedEdge
  bool sorted = false;            // linked lists ascend over all of their pages
  /// Edges that a list has at most without a page: kInRecord, of contiguous lists without weights
  /// whose targets are below kNoTarget, or 0.
  std::uint32_t inlined = 0;

  FATHOM_HD bool linked() const { return link_words != 0; }
  /// Whether lists ascend, wherever they lie.
  FATHOM_HD bool ascending() const { return link_words == 0 || sorted; }
  FATHOM_HD bool weighted() const { return entry_words > 1; }
  /// Entries on a linked page; its last word is the link.
  FATHOM_HD std::uint32_t link_entries() const { return (link_words - 1) / entry_words; }
  /// Distance from one target to the next, in words.
  FATHOM_HD std::uint32_t step() const { return structure ? 1 : entry_words; }
  /// Distance from a target to its weight on a page for `capacity` entries, in words.
  FATHOM_HD std::uint32_t to_weight(std::uint32_t capacity) const {
    return structure ? capacity : 1;
  }

  /// Whether a list with room for so many entries has a page.
  FATHOM_HD bool on_page(std::uint32_t capacity) const { return capacity > inlined; }
  /// Edges that a list may have.
  FATHOM_HD std::uint32_t most_edges() const {
    return linked() ? kNoPage / 2 : kMostPageWords / entry_words;
  }

  /// Entries that a page of so many words has room for. Kernels divide slowly, and do this for
  /// every list.
  FATHOM_HD std::uint32_t entries_on(std::uint32_t words) const {
    if (entry_words == 1) return words;
    return entry_words == 2 ? words / 2 : words / entry_words;
  }

  /// Records per list.
  FATHOM_HD std::uint32_t records() const { return linked() ? 2 : 1; }
  FATHOM_HD std::size_t record_bytes() const { return records() * sizeof(DynamicRecord); }
  /// What all bytes of the records of empty lists are.
  FATHOM_HD int empty_byte() const { return linked() ? 0 : kNoTargetByte; }

  FATHOM_HD DynamicList list(const DynamicRecord* record, std::size_t v) const {
    if (!linked()) return list(record[v]);
    const DynamicRecord first = record[2 * v], second = record[2 * v + 1];
    return {first.word[0], first.word[1], second.word[0]};
  }
  /// Of a contiguous list.
  FATHOM_HD DynamicList list(const DynamicRecord& its) const {
    if (!its.on_page()) return {0, its.targets(), inlined};
    const std::uint32_t code = its.word[1] & ~DynamicRecord::kOnPage;
    const std::uint32_t words = 1u << (bit_width(code) - 2);
    return {its.word[0], code - 2 * words, entries_on(words)};
  }
  /// The record of a contiguous list on a page.
  FATHOM_HD DynamicRecord record_on_page(const DynamicList& its) const {
    const std::uint32_t last = its.capacity * entry_words - 1;
    const std::uint32_t words = last < kLeastWords ? kLeastWords : 1u << bit_width(last);
    return {{its.page, DynamicRecord::kOnPage | (2 * words + its.size)}};
  }
  /// Writes what the record says; without a page its targets are there.
  FATHOM_HD void write(DynamicRecord* record, std::size_t v, const DynamicList& its) const {
    if (linked()) {
      record[2 * v] = {{its.page, its.size}};
      record[2 * v + 1] = {{its.capacity, 0}};
    } else if (on_page(its.capacity)) {
      record[v] = record_on_page(its);
    } else {
      for (std::uint32_t i = its.size; i < kInRecord; ++i) record[v].word[i] = kNoTarget;
    }
  }

 private:
  static constexpr std::uint32_t kLeastWords = kDynamicUnit / 4;
  static constexpr std::uint32_t kMostPageWords = 1u << 29;  // 2 GiB: codes have 31 bits
};

struct DynamicSpan {
  const std::uint32_t* target_at = nullptr;
  const Weight* weight_at = nullptr;  // null: every weight is 1
  std::uint32_t size = 0;
  std::uint32_t step = 1;  // words from one entry to the next

  FATHOM_HD VertexId target(std::size_t i) const { return target_at[i * step]; }
  FATHOM_HD Weight weight(std::size_t i) const {
    return weight_at ? weight_at[i * step] : Weight{1};
  }
  FATHOM_HD std::uint32_t lead() const {
    return detail::entries_past_line(target_at, sizeof(std::uint32_t) * std::size_t{step});
  }
  FATHOM_HD std::uintptr_t address(std::size_t i) const {
    return reinterpret_cast<std::uintptr_t>(target_at + i * step);
  }
};

/// Lists of a graph that changes, as they are while no batch is applied.
struct DynamicEdges {
  const std::uint32_t* region = nullptr;
  const DynamicRecord* record = nullptr;  // [vertices * layout.records()]
  DynamicLayout layout;
  EdgeId limit = kWholeList;  // show at most so many edges of each list

  struct Cursor {
    std::uint32_t page, left;  // page: kNoPage where the record has the list; left: to be shown
    std::uint32_t at;          // entries of this page that were shown
    std::uint32_t capacity;    // of this page; of a list in its record the vertex
  };
  using Span = DynamicSpan;

  FATHOM_HD DynamicList list(std::size_t v) const { return layout.list(record, v); }
  FATHOM_HD std::uint32_t degree(std::size_t v) const { return list(v).size; }

  // g++ would call it, which takes BFS on a road in linked lists 1.9 times as long.
  FATHOM_HD_INLINE Cursor begin(VertexId v) const {
    const DynamicList mine = list(v);
    const std::uint32_t size = mine.size > limit ? static_cast<std::uint32_t>(limit) : mine.size;
    if (layout.linked()) return {mine.page, size, 0, layout.link_entries()};
    if (layout.on_page(mine.capacity)) return {mine.page, size, 0, mine.capacity};
    return {kNoPage, size, 0, static_cast<std::uint32_t>(v)};
  }

  FATHOM_HD bool next(Cursor& c, Span& s) const {
    if (c.left == 0) return false;
    const std::uint32_t* page = c.page == kNoPage ? record[c.capacity].word : words(c.page);
    if (layout.linked()) {
      page = next_entry(c, page);
      s.size = run_of(c, page);
    } else {
      s.size = c.left;
    }
    s.step = layout.step();
    s.target_at = page + std::size_t{c.at} * s.step;
    s.weight_at = layout.weighted()
                      ? reinterpret_cast<const Weight*>(s.target_at) + layout.to_weight(c.capacity)
                      : nullptr;
    c.at += s.size;
    c.left -= s.size;
    return true;
  }

 private:
  FATHOM_HD const std::uint32_t* words(std::uint32_t page) const {
    return region + std::size_t{page} * (kDynamicUnit / sizeof(std::uint32_t));
  }
  /// Moves to the page and entry of the next edge; there is one.
  FATHOM_HD const std::uint32_t* next_entry(Cursor& c, const std::uint32_t* page) const {
    while (true) {
      if (c.at == c.capacity) {
        c.page = page[layout.link_words - 1];
        c.at = 0;
        page = words(c.page);
      }
      if (!layout.markers || page[std::size_t{c.at} * layout.step()] != kDeletedEdge) return page;
      ++c.at;
    }
  }
  /// Edges of this page from c.at on, up to a deleted one.
  FATHOM_HD std::uint32_t run_of(const Cursor& c, const std::uint32_t* page) const {
    const std::uint32_t rest = c.capacity - c.at < c.left ? c.capacity - c.at : c.left;
    if (!layout.markers) return rest;
    std::uint32_t run = 1;
    while (run < rest && page[std::size_t{c.at + run} * layout.step()] != kDeletedEdge) ++run;
    return run;
  }
};

/// DynamicEdges without weights and links, as loops of the host see them: each list is in one
/// piece, in its record or on a page. Which of them it is, is hard to foretell where both are
/// common, so that both places are worked out and a mask takes one. Loops that are compiled for
/// nothing else keep what they need in registers (docs/adr/0040 has the measurements). Kernels are
/// not compiled for it.
struct ContiguousEdges {
  const std::uint32_t* region = nullptr;
  const DynamicRecord* record = nullptr;  // [vertices]
  std::uint32_t limit = kNoPage;          // show at most so many edges of each list

  explicit ContiguousEdges(const DynamicEdges& edges)
      : region(edges.region),
        record(edges.record),
        limit(edges.limit < kNoPage ? static_cast<std::uint32_t>(edges.limit) : kNoPage) {}
  /// Whether lists of such a layout can be seen so.
  static bool show(const DynamicLayout& layout) { return !layout.linked() && !layout.weighted(); }

  struct Cursor {
    const std::uint32_t* pos;
    std::uint32_t left;  // entries still to be shown
  };
  struct Span {
    const std::uint32_t* target_at = nullptr;
    std::uint32_t size = 0;

    FATHOM_HD VertexId target(std::size_t i) const { return target_at[i]; }
    FATHOM_HD Weight weight(std::size_t) const { return 1; }
    FATHOM_HD std::uint32_t lead() const {
      return detail::entries_past_line(target_at, sizeof(std::uint32_t));
    }
    FATHOM_HD std::uintptr_t address(std::size_t i) const {
      return reinterpret_cast<std::uintptr_t>(target_at + i);
    }
  };

  FATHOM_HD_INLINE Cursor begin(VertexId v) const {
    const DynamicRecord& its = record[v];
    const std::uint32_t size = its.size();
    const auto on_page = std::uintptr_t{0} - (its.on_page() ? 1 : 0);
    const auto page =
        reinterpret_cast<std::uintptr_t>(region) + std::uintptr_t{its.word[0]} * kDynamicUnit;
    const auto here = reinterpret_cast<std::uintptr_t>(its.word);
    const auto* const first =
        reinterpret_cast<const std::uint32_t*>((page & on_page) | (here & ~on_page));
    return {first, size < limit ? size : limit};
  }
  FATHOM_HD bool next(Cursor& c, Span& s) const {
    if (c.left == 0) return false;
    s = {c.pos, c.left};
    c.pos += c.left;
    c.left = 0;
    return true;
  }
};

}  // namespace fathom
