// The view of slotted pages (GTS, sections 2 and 6.1): record ids become vertices as they are read,
// START_VID[page] + slot.
#pragma once

#include "fathom/residency/edge_cursor.hpp"
#include "fathom/store/slotted/slotted_layout.hpp"

namespace fathom {

/// Entries of one record: a record id each, and a weight in weighted graphs.
struct SlottedSpan {
  const std::uint16_t* entry = nullptr;  // the first
  const VertexId* start_vid = nullptr;   // by page
  std::uint32_t size = 0;
  std::uint8_t step = 0;       // units of two bytes per entry
  std::uint8_t id_halves = 0;  // of which the record id has so many: 2 or 3
  std::uint8_t pid_bits = 0;

  FATHOM_HD VertexId target(std::size_t i) const {
    const std::uint16_t* const at = entry + i * step;
    const std::uint64_t id =
        id_halves == 2 ? store::slotted::load_u32(at) : store::slotted::load_u48(at);
    const std::uint64_t page = id & ((std::uint64_t{1} << pid_bits) - 1);
    return start_vid[page] + static_cast<VertexId>(id >> pid_bits);
  }
  FATHOM_HD Weight weight(std::size_t i) const {
    if (step == id_halves) return Weight{1};
    return __builtin_bit_cast(Weight, store::slotted::load_u32(entry + i * step + id_halves));
  }
  FATHOM_HD std::uint32_t lead() const {
    return detail::entries_past_line(entry, std::size_t{2} * step);
  }
  FATHOM_HD std::uintptr_t address(std::size_t i) const {
    return reinterpret_cast<std::uintptr_t>(entry + i * step);
  }
};

/// Slotted pages, wherever they are now. page_at[p] is null when page p is not part of this pass;
/// its edges are then skipped, so that each edge is seen in exactly one pass.
///
/// A position is page * capacity + the number of whole entries between the page's first record and
/// the one meant. The pages of a large vertex are full but for the last, so that positions run on
/// from page to page. Records of a small page need not lie a whole number of entries apart: how
/// many units of two bytes they are off by is in the position's upper bits.
struct SlottedEdges {
  const std::byte* const* page_at = nullptr;  // [pages]
  store::RvtView rvt;
  store::SlottedLayout layout;
  std::uint32_t capacity = 1;    // layout.capacity()
  std::uint64_t reciprocal = 0;  // 2^64 / capacity, rounded down
  EdgeId limit = kWholeList;     // show at most so many edges of each list

  static constexpr int kPhaseShift = 60;
  static constexpr EdgeId kPositions = (EdgeId{1} << kPhaseShift) - 1;

  using Cursor = EdgeCursor;
  using Span = SlottedSpan;

  FATHOM_HD Cursor begin(VertexId v) const {
    const std::uint32_t page = rvt.last_page_of(v);
    const store::LargePage large = rvt.large[page];
    EdgeId first = 0, size = 0;
    if (large.index != 0) {
      first = EdgeId{page - large.index} * capacity;
      size = EdgeId{large.index} * capacity + large.entries;
    } else {
      const std::byte* const at = page_at[page];
      if (!at) return {0, 0};
      const auto* slot = store::slotted::halves(layout.slot(at, v - rvt.start_vid[page]));
      const std::uint32_t record = store::slotted::load_u32(slot + store::slotted::kVidBytes / 2);
      const std::uint32_t entry_bytes = layout.entry_bytes();
      first = EdgeId{record % entry_bytes / 2} << kPhaseShift |
              (EdgeId{page} * capacity + record / entry_bytes);
      size = store::slotted::load_u32(store::slotted::halves(at + record));
    }
    return {first, first + (size < limit ? size : limit)};
  }

  FATHOM_HD bool next(Cursor& c, Span& s) const {
    while (c.pos < c.end) {
      const EdgeId position = c.pos & kPositions;
      const std::uint32_t page = page_of_position(position);
      const auto in_page = static_cast<std::uint32_t>(position - EdgeId{page} * capacity);
      const EdgeId left = c.end - c.pos;
      const std::uint32_t size =
          left < capacity - in_page ? static_cast<std::uint32_t>(left) : capacity - in_page;
      const auto phase = static_cast<std::uint32_t>(c.pos >> kPhaseShift);
      c.pos += size;
      if (const std::byte* at = page_at[page]) {
        const std::uint32_t step = layout.entry_bytes() / 2;
        s = {store::slotted::halves(at + store::slotted::kSizeBytes) + phase +
                 std::size_t{in_page} * step,
             rvt.start_vid,
             size,
             static_cast<std::uint8_t>(step),
             static_cast<std::uint8_t>((layout.pid_bytes + layout.slot_bytes) / 2),
             static_cast<std::uint8_t>(8 * layout.pid_bytes)};
        return true;
      }
    }
    return false;
  }

 private:
  // position / capacity: a 64-bit division takes a GPU as long as many edges.
  FATHOM_HD std::uint32_t page_of_position(EdgeId position) const {
#if defined(__CUDA_ARCH__)
    auto page = static_cast<std::uint32_t>(__umul64hi(position, reciprocal));
#else
    __extension__ using Wide = unsigned __int128;
    auto page = static_cast<std::uint32_t>(static_cast<Wide>(position) * reciprocal >> 64);
#endif
    if (position - EdgeId{page} * capacity >= capacity) ++page;
    return page;
  }
};

/// The pages that a list is on, one behind the other.
struct SlottedPages {
  std::uint32_t first = 0, count = 0;
};

/// Of the list of v, or of its first `limit` entries.
FATHOM_HD SlottedPages slotted_pages_of(const store::RvtView& rvt, std::uint32_t capacity,
                                        VertexId v, EdgeId degree, EdgeId limit) {
  const EdgeId shown = degree < limit ? degree : limit;
  if (shown == 0) return {};
  const std::uint32_t last = rvt.last_page_of(v), all = rvt.large[last].index + 1;
  const EdgeId needed = (shown - 1) / capacity + 1;  // the last page may have fewer entries
  return {last + 1 - all, needed < all ? static_cast<std::uint32_t>(needed) : all};
}

/// Calls each(page, bytes) for the parts of the list of v, or of its first `limit` entries.
template <class Each>
FATHOM_HD void for_each_slotted_piece(const SlottedEdges& pages, VertexId v, EdgeId degree,
                                      EdgeId limit, const Each& each) {
  const SlottedPages its = slotted_pages_of(pages.rvt, pages.capacity, v, degree, limit);
  EdgeId left = degree < limit ? degree : limit;
  for (std::uint32_t p = its.first; p < its.first + its.count; ++p) {
    const EdgeId here = left < pages.capacity ? left : pages.capacity;
    each(p, store::slotted::kSizeBytes + here * pages.layout.entry_bytes());
    left -= here;
  }
}

/// The view of pages whose places `page_at` tells, in the memory of whoever walks it, like the RVT.
inline SlottedEdges slotted_edges(const std::byte* const* page_at, const store::RvtView& rvt,
                                  const store::SlottedLayout& layout, EdgeId limit = kWholeList) {
  const std::uint32_t capacity = layout.capacity();
  // 2^64 / c rounded down, from 2^64 - 1; exact unless c is a power of two, then one less, which
  // the correction of page_of_position() makes up for.
  return {page_at, rvt, layout, capacity, ~std::uint64_t{0} / capacity, limit};
}

}  // namespace fathom
