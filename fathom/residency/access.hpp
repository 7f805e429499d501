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

/// How kernels share out the lists of streamed pages among threads (GTS, section 6.2).
enum class Technique : std::uint8_t {
  ByLength,       // 8 lanes, a warp, or pieces for several warps, for each list
  VertexCentric,  // a thread per list
  EdgeCentric,    // a warp per list (GTS's virtual warps); hubs in pieces
  Hybrid,         // vertex-centric for pages of short lists, edge-centric for the others
};

/// Hybrid takes a page for sparse below so many edges per vertex. A guess: the paper names none.
inline constexpr std::uint64_t kSparseDegree = 8;

}  // namespace fathom
