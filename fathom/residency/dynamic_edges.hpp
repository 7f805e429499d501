// The view of a graph that changes: a record per vertex says where its entries are in one region.
//
// Contiguous lists (ouroGraph, chapter 6 of Winter's thesis) lie on one power-of-two page each;
// linked ones (aimGraph, faimGraph, chapters 3 and 4) on pages of one size, whose last word names
// the next. Everything is addressed relative to the region, which may lie anywhere.
#pragma once

#include "fathom/residency/edge_cursor.hpp"

namespace fathom {

/// Where the list of a vertex is.
///
/// Invariants: size <= capacity; capacity == 0 exactly when there is no page.
struct DynamicList {
  std::uint32_t page = 0;      // the first one, in units of kDynamicUnit bytes from the region
  std::uint32_t size = 0;      // edges
  std::uint32_t capacity = 0;  // entries that the page, or all linked ones, can hold
  std::uint32_t epoch = 0;     // the batch that wrote the page; a snapshot keeps older ones
};

inline constexpr std::uint32_t kDynamicUnit = 16;  // bytes; the smallest page
inline constexpr std::uint32_t kNoPage = ~std::uint32_t{0};
inline constexpr std::uint32_t kDeletedEdge = ~std::uint32_t{0};  // in place of a target

/// How entries lie on a page: words of 4 bytes, the target first, then the weight if any.
struct DynamicLayout {
  std::uint32_t entry_words = 1;  // of one edge: 1, 2 with a weight
  std::uint32_t link_words = 0;   // words of a linked page; 0: lists are contiguous
  bool structure = false;         // weights behind all targets of a page, not beside their own
  bool markers = false;           // entries of linked pages may be kDeletedEdge
  bool sorted = false;            // linked lists ascend over all of their pages

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
  const DynamicList* list = nullptr;  // [vertices]
  DynamicLayout layout;
  EdgeId limit = kWholeList;  // show at most so many edges of each list

  struct Cursor {
    std::uint32_t page, left;  // left: entries still to be shown
    std::uint32_t at;          // entries of this page that were shown
    std::uint32_t capacity;    // of this page
  };
  using Span = DynamicSpan;

  FATHOM_HD Cursor begin(VertexId v) const {
    const DynamicList mine = list[v];
    const std::uint32_t size = mine.size > limit ? static_cast<std::uint32_t>(limit) : mine.size;
    return {mine.page, size, 0, layout.link_words != 0 ? layout.link_entries() : mine.capacity};
  }

  FATHOM_HD bool next(Cursor& c, Span& s) const {
    if (c.left == 0) return false;
    const std::uint32_t* page = words(c.page);
    if (layout.link_words != 0) {
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

}  // namespace fathom
