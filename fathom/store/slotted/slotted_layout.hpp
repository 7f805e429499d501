// Where things lie in a slotted page, and which page a vertex is on (GTS, sections 2 and 6.1,
// appendix A). Device code includes this: integers and nothing else.
//
//   page:   [record][record]...          ...[slot 1][slot 0]
//   record: ADJLIST_SZ u32, then as many entries: page id (p bytes), slot number (q bytes), and the
//           weight (f32) of a weighted graph
//   slot:   VID (6 bytes), OFF u32: where in the page the record begins
//
// Everything has an even address, so that pages are read in units of two bytes.
#pragma once

#include "fathom/core/platform.hpp"

namespace fathom::store {

namespace slotted {
inline constexpr std::uint32_t kSizeBytes = 4, kVidBytes = 6, kOffsetBytes = 4;
inline constexpr std::uint32_t kSlotBytes = kVidBytes + kOffsetBytes;

FATHOM_HD std::uint32_t load_u32(const std::uint16_t* at) {
  return at[0] | static_cast<std::uint32_t>(at[1]) << 16;
}
FATHOM_HD std::uint64_t load_u48(const std::uint16_t* at) {
  return load_u32(at) | static_cast<std::uint64_t>(at[2]) << 32;
}
FATHOM_HD const std::uint16_t* halves(const std::byte* at) {
  return reinterpret_cast<const std::uint16_t*>(at);
}
}  // namespace slotted

struct SlottedLayout {
  std::uint32_t pid_bytes = 3;          // p
  std::uint32_t slot_bytes = 3;         // q
  std::uint32_t page_bytes = 1u << 20;  // a power of two
  std::uint32_t weight_bytes = 0;       // 4 when weighted

  FATHOM_HD std::uint32_t entry_bytes() const { return pid_bytes + slot_bytes + weight_bytes; }
  /// The longest list that shares a page; longer ones get pages of their own, with as many entries
  /// in each but the last.
  FATHOM_HD std::uint32_t capacity() const {
    return (page_bytes - slotted::kSizeBytes - slotted::kSlotBytes) / entry_bytes();
  }
  FATHOM_HD std::uint64_t most_pages() const { return std::uint64_t{1} << 8 * pid_bytes; }
  FATHOM_HD std::uint64_t most_slots() const { return std::uint64_t{1} << 8 * slot_bytes; }
  FATHOM_HD std::uint64_t record_bytes(std::uint64_t degree) const {
    return slotted::kSizeBytes + degree * entry_bytes();
  }
  FATHOM_HD const std::byte* slot(const std::byte* page, std::uint64_t number) const {
    return page + page_bytes - (number + 1) * slotted::kSlotBytes;
  }
  friend bool operator==(const SlottedLayout&, const SlottedLayout&) = default;
};

/// What is known of a page without reading it: LP_RANGE and the number of its entries. 0, 0: small.
struct LargePage {
  std::uint32_t index = 0;    // of this page among those of its vertex
  std::uint32_t entries = 0;  // on this page
};

/// The RVT as kernels see it, and an index of it. Trivially copyable; the arrays are its owner's.
///
/// Invariant: a page is large exactly if it shares its START_VID with a neighbour; the last page of
/// a large vertex has an index above 0.
struct RvtView {
  const VertexId* start_vid = nullptr;  // [pages + 1]; the last entry is the number of vertices
  const LargePage* large = nullptr;     // [pages]
  const std::uint32_t* hint = nullptr;  // [(vertices - 1 >> hint_shift) + 2]
  std::uint32_t hint_shift = 0;         // hint[i]: the last page with a START_VID of at most
                                        // i << hint_shift

  /// The last page of v: the only one of most vertices. Two loads and a search over few pages.
  FATHOM_HD std::uint32_t last_page_of(VertexId v) const {
    const VertexId bucket = v >> hint_shift;
    std::uint32_t low = hint[bucket], high = hint[bucket + 1];
    while (low < high) {
      const std::uint32_t middle = low + (high - low + 1) / 2;
      if (start_vid[middle] <= v)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }
  /// The page that record ids of v name.
  FATHOM_HD std::uint32_t page_of(VertexId v) const {
    const std::uint32_t page = last_page_of(v);
    return page - large[page].index;
  }
};

}  // namespace fathom::store
