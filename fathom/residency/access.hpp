// How the lanes of a warp share out adjacency lists: the three systems that EMOGI compares
// (sections 3.3 and 5.1.2). What a list costs over the link depends on it, what is computed does
// not.
#pragma once

#include <cstdint>

namespace fathom {

enum class Access : std::uint8_t {
  Naive,    // each lane walks a list of its own (Listing 1; strided)
  Merged,   // a warp walks one list, a lane per edge, from the list's first edge
  Aligned,  // the same from the preceding 128-byte border, lanes before the list masked (Listing 2)
};

}  // namespace fathom
