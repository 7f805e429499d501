// Packs target ids: each block in whichever of two ways takes fewer bits.
#pragma once

#include <span>
#include <vector>

#include "fathom/store/packed/packed_format.hpp"

namespace fathom::store::packed {

/// Appends the words of a group of 1 to kGroup ids below 2^id_bits. Ids that ascend within lists
/// take few bits; any are packed. Cost: some nanoseconds per id.
FATHOM_API void pack_group(std::span<const VertexId> ids, std::uint32_t id_bits,
                           std::vector<std::uint32_t>& words);

/// Where groups begin that are written one after the other: none crosses a border.
class GroupPlaces {
 public:
  /// The place of a group of so many words, behind the last one and zeros if these are needed.
  std::uint64_t add(std::uint64_t words) {
    const std::uint64_t border = (end_ / kBorderWords + 1) * kBorderWords;
    const std::uint64_t place = end_ + words > border ? border : end_;
    end_ = place + words;
    return place;
  }
  std::uint64_t end() const { return end_; }

 private:
  std::uint64_t end_ = 0;
};

/// Unpacks a group: `words` are those from its first on, up to where the next one may begin, and
/// kPadWords more can be read behind them. False, and `ids` are not to be used: these are not the
/// words of a group, or hold an id that is no vertex. Never reads elsewhere.
[[nodiscard]] FATHOM_API bool unpack_group(std::span<const std::uint32_t> words,
                                           std::uint32_t id_bits, VertexId vertices,
                                           std::span<VertexId> ids);

/// Whether the bits behind a sound group's last block are zero.
bool is_padded_with_zeros(std::span<const std::uint32_t> words, std::uint32_t id_bits,
                          std::uint32_t entries);

}  // namespace fathom::store::packed
