// What all edge layouts share: a range of positions, and where lines begin.
#pragma once

#include "fathom/core/platform.hpp"

namespace fathom {

// A span's size is 32 bits: longer lists come as several spans.
inline constexpr EdgeId kLongestSpan = EdgeId{1} << 31;
// The value of a view's `limit` that shows lists whole.
inline constexpr EdgeId kWholeList = ~EdgeId{0};

/// A range of edge positions still to be shown.
struct EdgeCursor {
  EdgeId pos, end;
};

namespace detail {
FATHOM_HD EdgeCursor list_of(const EdgeId* offset, VertexId v, EdgeId limit) {
  const EdgeId first = offset[v], last = offset[v + 1];
  return {first, last - first > limit ? first + limit : last};
}
// Entries of `size` bytes between the preceding 128-byte border and p: a warp that starts that
// much earlier reads whole lines (EMOGI, section 4.3).
FATHOM_HD std::uint32_t entries_past_line(const void* p, std::size_t size) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(p) % 128 / size);
}
}  // namespace detail

}  // namespace fathom
