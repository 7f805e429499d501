// The view of narrow lists: entries of one width, from 16 to 64 bits, one behind the other without
// gaps. An entry is an id and, above it, where weights have codes, the code of its weight. Any
// entry can be read alone, with the one, two or three aligned words of 32 bits that it is in.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fathom/residency/edge_cursor.hpp"

namespace fathom {

namespace detail {
/// Bits [shift, shift + 32) of high * 2^32 + low; shift < 32.
FATHOM_HD std::uint32_t funnel_right(std::uint32_t low, std::uint32_t high, std::uint32_t shift) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_r(low, high, shift);
#else
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> shift);
#endif
}

/// The lowest `bits` bits, at most 32.
FATHOM_HD std::uint32_t low_bits(std::uint32_t x, std::uint32_t bits) {
  return bits >= 32 ? x : x & ((std::uint32_t{1} << bits) - 1);
}

/// Bits [bit, bit + width) of words, width at most 32, in the lowest of the result; above them
/// whatever follows. Words that have none of those bits are not read.
FATHOM_HD std::uint32_t bits_at(const std::uint32_t* words, std::uint64_t bit,
                                std::uint32_t width) {
  const std::uint32_t* const at = words + (bit >> 5);
  const auto shift = static_cast<std::uint32_t>(bit) & 31;
  return funnel_right(at[0], shift + width > 32 ? at[1] : 0, shift);
}
}  // namespace detail

/// Entries of narrow lists. 32 of them take a whole number of words, as many as an entry has bits.
struct NarrowSpan {
  const std::uint32_t* words = nullptr;  // where a group of 32 entries begins
  const Weight* weight_at = nullptr;     // see NarrowEdges; apart: of the first entry
  std::uint32_t size = 0;
  std::uint8_t first = 0;  // the span's first entry in the group: below 32
  std::uint8_t entry_bits = 0, id_bits = 0;

  FATHOM_HD VertexId target(std::size_t i) const {
    const std::uint32_t low = low_of(i);
    if constexpr (sizeof(VertexId) > 4)
      if (id_bits > 32) {
        const std::uint32_t rest = id_bits - 32u;
        const std::uint32_t high =
            detail::low_bits(detail::bits_at(words, bit_of(i) + 32, rest), rest);
        return static_cast<VertexId>(high) << (kIdBits - 32) | low;
      }
    return detail::low_bits(low, id_bits);
  }
  FATHOM_HD Weight weight(std::size_t i) const {
    if (!weight_at) return Weight{1};
    if (entry_bits == id_bits) return weight_at[i];
    const std::uint32_t code_bits = std::uint32_t{entry_bits} - id_bits;
    const std::uint32_t code = entry_bits <= 32
                                   ? low_of(i) >> id_bits
                                   : detail::bits_at(words, bit_of(i) + id_bits, code_bits);
    return weight_at[detail::low_bits(code, code_bits)];
  }
  /// Warps that begin so much earlier read groups of 32 entries: whole sectors of 32 bytes where
  /// entries are whole bytes, and whole lines with 32 or 64 bits.
  FATHOM_HD std::uint32_t lead() const { return entry_bits == 64 ? first % 16u : first; }
  /// Of the byte that entry i begins in.
  FATHOM_HD std::uintptr_t address(std::size_t i) const {
    return reinterpret_cast<std::uintptr_t>(words) + bit_of(i) / 8;
  }
  /// Of the byte that entry i ends in.
  FATHOM_HD std::uintptr_t last_byte(std::size_t i) const {
    return reinterpret_cast<std::uintptr_t>(words) + (bit_of(i) + entry_bits - 1) / 8;
  }
  /// Of weights apart.
  FATHOM_HD std::uintptr_t weight_address(std::size_t i) const {
    return reinterpret_cast<std::uintptr_t>(weight_at + i);
  }
  FATHOM_HD bool weights_apart() const { return weight_at != nullptr && entry_bits == id_bits; }

 private:
  // All of entry i if it has up to 32 bits, so that target(i) and weight(i) read the same; else the
  // lowest of its id.
  FATHOM_HD std::uint32_t low_of(std::size_t i) const {
    const std::uint32_t width = entry_bits <= 32 ? entry_bits : id_bits < 32 ? id_bits : 32;
    return detail::bits_at(words, bit_of(i), width);
  }
  FATHOM_HD std::uint64_t bit_of(std::size_t i) const {
    return std::uint64_t{static_cast<std::uint32_t>(i) + first} * entry_bits;
  }
};

/// Invariants: 16 <= entry_bits <= 64, id_bits <= entry_bits <= id_bits + 16. Entry p is the bits
/// from p * entry_bits on, counted from the lowest of words[0]; words is at the border of a line.
struct NarrowEdges {
  const EdgeId* offset = nullptr;
  const std::uint32_t* words = nullptr;
  // Null: every weight is 1. Entries without codes: the weight of position p is weight[p]; with
  // codes: that of code c is weight[c].
  const Weight* weight = nullptr;
  std::uint32_t entry_bits = 32, id_bits = 32;
  EdgeId limit = kWholeList;  // show at most so many edges of each list

  using Cursor = EdgeCursor;
  using Span = NarrowSpan;
  FATHOM_HD Cursor begin(VertexId v) const { return detail::list_of(offset, v, limit); }
  FATHOM_HD bool next(Cursor& c, Span& s) const {
    if (c.pos == c.end) return false;
    const EdgeId size = c.end - c.pos < kLongestSpan ? c.end - c.pos : kLongestSpan;
    s.words = words + (c.pos >> 5) * entry_bits;
    s.weight_at = weight && entry_bits == id_bits ? weight + c.pos : weight;
    s.size = static_cast<std::uint32_t>(size);
    s.first = static_cast<std::uint8_t>(c.pos & 31);
    s.entry_bits = static_cast<std::uint8_t>(entry_bits);
    s.id_bits = static_cast<std::uint8_t>(id_bits);
    c.pos += size;
    return true;
  }
};

}  // namespace fathom
