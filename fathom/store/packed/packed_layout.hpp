// What a file says of its packed lists.
#pragma once

#include <cstdint>

namespace fathom::store {

/// What section 'packed' says, as far as it is not the same in all files.
struct PackedLayout {
  std::uint32_t id_bits = 0;
  std::uint32_t code_bytes = 0;  // of a weight: 1 or 2; 0: weights are as they are, or none

  friend bool operator==(const PackedLayout&, const PackedLayout&) = default;
};

struct PackedLists;  // packed_lists.hpp

}  // namespace fathom::store
