// Narrow lists copied a word at a time.
#pragma once

#include "fathom/residency/narrow/narrow_edges.hpp"

namespace fathom {

/// The bits of a list: [first, end) of the words it is in.
struct NarrowBits {
  std::uint64_t first, end;

  FATHOM_HD NarrowBits(const NarrowEdges& edges, EdgeCursor list)
      : first(list.pos * edges.entry_bits), end(list.end * edges.entry_bits) {}
  /// Words of a copy that begins with its first word.
  FATHOM_HD std::uint64_t words() const { return (end - first + 31) / 32; }
  /// Word i of such a copy, i < words(). Reads no word that has nothing of the list.
  FATHOM_HD std::uint32_t word(const std::uint32_t* from, std::uint64_t i) const {
    const std::uint64_t bit = first + i * 32;
    const std::uint32_t width = end - bit < 32 ? static_cast<std::uint32_t>(end - bit) : 32;
    return detail::bits_at(from, bit, width);
  }
};

/// The least units of entries that take whole words of 32 bits are 2^shift of them: copies of lists
/// that begin with units share no words.
constexpr std::uint32_t unit_shift_of(std::uint32_t entry_bits) {
  std::uint32_t shift = 0;
  while ((entry_bits << shift) % 32 != 0) ++shift;
  return shift;
}

}  // namespace fathom
