// Offsets of a graph as those of a part by itself.
#pragma once

#include <algorithm>

#include "fathom/store/parts/part_layout.hpp"

namespace fathom::store {

/// Lists before the part are empty at its beginning, lists behind it at its end.
inline EdgeId offset_within(const PartRange& part, EdgeId offset) {
  return std::clamp(offset, part.begin, part.end) - part.begin;
}

}  // namespace fathom::store
