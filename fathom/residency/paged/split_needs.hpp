// How much memory of a device an algorithm's vertex state takes in chunks (GTS, section 4): what a
// run decides by, and what a plan says.
#pragma once

#include <cstdint>

#include "fathom/core/platform.hpp"

namespace fathom::detail {

/// Beside what is reckoned: what rounds sizes up, and values that are not of vertices.
inline constexpr std::uint64_t kSplitSlack = 1024;

struct SplitNeeds {
  std::uint64_t vertices = 0;
  double chunk = 0;          // bytes per vertex of a chunk
  double source = 0;         // bytes per vertex that a pass shows
  double always = 0;         // bytes per vertex on each device: frontiers
  std::uint64_t beside = 0;  // page tables, and the frames of a page of each direction
  int directions = 1;        // whose lists are read, with offsets of a pass for each

  /// Bytes that each device needs, at least.
  FATHOM_API std::uint64_t split(std::uint32_t chunks) const;
  /// About the fewest chunks that fit, a multiple of the devices; where none do, as many as are of
  /// any use.
  FATHOM_API std::uint32_t fewest_chunks(std::uint32_t devices, std::uint64_t memory) const;
};

/// Whether Auto leaves vertex state whole where that takes so many bytes of each device: the page
/// tables and a frame of every source that is opened among them.
inline bool fits_whole(std::uint64_t whole, std::uint64_t memory) {
  return whole + kSplitSlack <= memory;
}

/// What operators take of a GPU's memory: queues for hubs, of 8 bytes per 256 edges, and results.
inline std::uint64_t operator_bytes(std::uint64_t edges) {
  return edges / 32 + (std::uint64_t{1} << 16);
}

}  // namespace fathom::detail
