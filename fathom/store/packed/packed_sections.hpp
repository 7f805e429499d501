// What the sections of packed lists must be for a reader to trust them, and a mapped file's.
#pragma once

#include <optional>

#include "fathom/store/mapped_sections.hpp"
#include "fathom/store/packed/packed_lists.hpp"

namespace fathom::store {

/// The sections of one direction.
struct PackedSectionIds {
  SectionId offsets, index, words, codes, weights;

  static constexpr PackedSectionIds of(bool out) {
    using enum SectionId;
    return out ? PackedSectionIds{OutOffsets, OutPackedIndex, OutPacked, OutCodes, OutWeights}
               : PackedSectionIds{InOffsets, InPackedIndex, InPacked, InCodes, InWeights};
  }
};

/// The layout that section 'packed', of which `format` is the content, and the section table tell.
/// @throws Error(BadInput) for one that does not exist.
PackedLayout decode_packed(const StoreFile& file, std::span<const std::uint32_t> format);

/// @throws Error(BadInput) unless codes can name that many weights, all finite, in order.
void check_code_values(const StoreFile& file, const PackedLayout& layout,
                       std::span<const Weight> values);

/// What the sections say of the layout; nothing when lists are not packed.
std::optional<PackedLayout> packed_layout(MappedSections& sections);

/// Packed lists of a mapped file: their checksums have matched, and the index makes sense. Groups
/// are checked by who unpacks them. @throws Error(BadInput), Error(Io).
PackedLists mapped_packed(MappedSections& sections, const PackedLayout& layout,
                          const PackedSectionIds& ids, int threads);

}  // namespace fathom::store
