// The arithmetic of packed lists (docs/formats.md, "Packed lists"): target ids one after the other,
// in groups of 1024 positions that can be unpacked alone, and blocks of 64 in them. Blocks begin at
// positions, not at lists: who has a range of positions needs nothing else to find its bits. For
// host and device code.
#pragma once

#include "fathom/core/platform.hpp"

namespace fathom::store::packed {

inline constexpr std::uint32_t kBlock = 64;                // entries
inline constexpr std::uint32_t kGroup = 1024;              // entries
inline constexpr std::uint32_t kBlocks = kGroup / kBlock;  // of a group, at most
inline constexpr std::uint32_t kPlaceBits = 6;  // of the place of an exception in a block
inline constexpr std::uint32_t kPadWords = 2;   // behind the last group, for wide loads
inline constexpr std::uint32_t kMostSpared = 7;
inline constexpr std::uint32_t kWordBits = 32;
inline constexpr std::uint32_t kBorderWords = 1u << 18;  // no group crosses a multiple of 1 MiB

FATHOM_HD constexpr std::uint64_t groups_of(EdgeId edges) {
  return (edges + kGroup - 1) / kGroup;
}

/// Bits that hold any id below `vertices`; at least 1.
constexpr std::uint32_t id_bits_of(VertexId vertices) {
  std::uint32_t bits = 1;
  while (bits < kIdBits && (vertices > 0 ? vertices - 1 : 0) >> bits != 0) ++bits;
  return bits;
}

FATHOM_HD VertexId mask_of(std::uint32_t bits) {
  return bits >= kIdBits ? ~VertexId{0} : static_cast<VertexId>((VertexId{1} << bits) - 1);
}

/// How the entries of a block are coded: a line of its group's header.
struct Block {
  std::uint32_t width = 0;       // of a field
  std::uint32_t exceptions = 0;  // whose difference is wider than a field
  bool offsets = false;          // fields are offsets from the base, not differences
  std::uint32_t spared = 0;      // bits by which all differences are narrower than ids

  FATHOM_HD static Block of(std::uint16_t code) {
    return {code & 63u, code >> 6 & 63u, (code >> 12 & 1u) != 0, code >> 13 & 7u};
  }
  std::uint16_t code() const {
    return static_cast<std::uint16_t>(width | exceptions << 6 | (offsets ? 1u << 12 : 0u) |
                                      spared << 13);
  }
  /// The base stands for the first entry of differences.
  FATHOM_HD std::uint32_t fields(std::uint32_t entries) const {
    return offsets ? entries : entries - 1;
  }
  /// Of an exception's difference, above those that its field has.
  FATHOM_HD std::uint32_t high_bits(std::uint32_t id_bits) const {
    return id_bits - spared - width;
  }
  FATHOM_HD std::uint32_t exception_bits(std::uint32_t id_bits) const {
    return kPlaceBits + high_bits(id_bits);
  }
  /// Of a sound block of so many entries, 1 to kBlock.
  FATHOM_HD std::uint32_t bits(std::uint32_t entries, std::uint32_t id_bits) const {
    return id_bits + fields(entries) * width + exceptions * exception_bits(id_bits);
  }
  /// Whether a code makes sense for so many entries.
  FATHOM_HD static bool is_sound(std::uint16_t code, std::uint32_t entries, std::uint32_t id_bits) {
    const Block b = of(code);
    if (b.width > id_bits || b.exceptions >= entries) return false;
    if (b.bits(entries, id_bits) > entries * id_bits) return false;
    if (b.exceptions == 0) return b.spared == 0;
    return !b.offsets && b.width + b.spared < id_bits;
  }
};

/// The header of a group: a code of 16 bits for each block, two in a word.
FATHOM_HD std::uint32_t header_words(std::uint32_t blocks) {
  return (blocks + 1) / 2;
}
FATHOM_HD std::uint16_t code_at(const std::uint32_t* group, std::uint32_t block) {
  return static_cast<std::uint16_t>(group[block / 2] >> (block % 2 * 16));
}

/// Where the words of a group end at the latest, of those from word `first` on: where the next one
/// begins, or at the border before.
FATHOM_HD constexpr std::uint64_t end_of_group(std::uint64_t first, std::uint64_t next) {
  const std::uint64_t border = (first / kBorderWords + 1) * kBorderWords;
  return next < border ? next : border;
}

/// Words of a group, at most. Before a border there may be as many more of zeros.
FATHOM_HD constexpr std::uint64_t most_words(std::uint32_t id_bits) {
  return kBlocks / 2 + std::uint64_t{kGroup} * id_bits / kWordBits + 1;
}

FATHOM_HD std::uint32_t blocks_in(std::uint32_t entries) {
  return (entries + kBlock - 1) / kBlock;
}
FATHOM_HD std::uint32_t entries_of(std::uint32_t block, std::uint32_t entries_of_group) {
  const std::uint32_t left = entries_of_group - block * kBlock;
  return left < kBlock ? left : kBlock;
}

/// `width` bits, at most as wide as an id, from bit `bit` on; may load two words behind them.
FATHOM_HD VertexId read_bits(const std::uint32_t* words, std::uint64_t bit, std::uint32_t width) {
  const std::uint32_t* const at = words + bit / kWordBits;
  const std::uint32_t shift = bit % kWordBits;
  const std::uint64_t low = static_cast<std::uint64_t>(at[1]) << kWordBits | at[0];
  std::uint64_t value = low >> shift;
#if FATHOM_VERTEX_BITS == 64
  if (shift + width > 64) value |= static_cast<std::uint64_t>(at[2]) << (64 - shift);
#endif
  return static_cast<VertexId>(value) & mask_of(width);
}

}  // namespace fathom::store::packed
