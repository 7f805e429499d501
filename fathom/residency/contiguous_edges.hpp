// DynamicEdges without weights and links, as loops of the host see them: each list is in one piece,
// in its record or on a page.
//
// Which of them it is, is hard to foretell where both are common, so that both places are worked
// out and a mask takes one. Loops that are compiled for nothing else keep what they need in
// registers (docs/adr/0040 has the measurements).
#pragma once

#include "fathom/residency/dynamic_edges.hpp"

namespace fathom {

/// For loops of the host; kernels are not compiled for it.
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
