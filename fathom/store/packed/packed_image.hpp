// Packed lists in memory, made of lists in CSR.
#pragma once

#include <vector>

#include "fathom/store/packed/packed_lists.hpp"

namespace fathom::store {

/// Owns what its lists show.
struct PackedImage {
  std::vector<EdgeId> offset;
  std::vector<std::uint32_t> words;
  std::vector<std::uint64_t> index;
  std::vector<std::byte> codes;
  std::vector<Weight> values;  // of codes; or all weights as they are
  PackedLists lists;

  PackedImage() = default;
  PackedImage(PackedImage&&) = default;
  PackedImage& operator=(PackedImage&&) = default;
};

FATHOM_API PackedImage pack(const CsrView& csr);

}  // namespace fathom::store
