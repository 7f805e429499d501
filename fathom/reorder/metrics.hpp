// How well an order suits traversals: counts over the levels of one breadth-first search.
//
// All take the depth of each vertex, in the order to be judged (kUnreached where the search did not
// arrive), and where lists begin. A search reads the lists of a level in ascending order of ids,
// and one level after the other. Serial and deterministic: judge several searches in parallel.
// Source: Gera et al., "Traversing large graphs on GPUs with unified memory", PVLDB 13(7), 2020.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fathom/core/platform.hpp"

namespace fathom::reorder {

/// The MinIntraBFS cost (equation 1, with c = log2): gaps between ids that follow each other in a
/// level.
struct GapCost {
  double log2_sum = 0;     // of all gaps; a gap of 1 costs nothing
  std::uint64_t gaps = 0;  // vertices reached, less one per level

  double average() const { return gaps == 0 ? 0 : log2_sum / static_cast<double>(gaps); }
  GapCost operator+(const GapCost& o) const { return {log2_sum + o.log2_sum, gaps + o.gaps}; }
};
FATHOM_API GapCost intra_level_cost(std::span<const std::uint32_t> depth);

/// What a search reads of the lists, in units that are fetched whole.
struct ReadVolume {
  std::uint64_t needed = 0;   // bytes of the lists of vertices reached
  std::uint64_t fetched = 0;  // bytes of the units they lie in, each unit once per level

  /// Read amplification (section 6.1); 0 when nothing was read.
  double amplification() const {
    return needed == 0 ? 0 : static_cast<double>(fetched) / static_cast<double>(needed);
  }
  ReadVolume operator+(const ReadVolume& o) const {
    return {needed + o.needed, fetched + o.fetched};
  }
};

/// @param offset  [vertices + 1]: of the lists, `entry_bytes` per entry.
/// @param unit  bytes, e.g. 128, 4096: of lines, pages.
/// @throws Error(Usage) for a unit of 0 or another number of offsets.
FATHOM_API ReadVolume read_volume(std::span<const EdgeId> offset,
                                  std::span<const std::uint32_t> depth, std::size_t unit,
                                  std::size_t entry_bytes = sizeof(VertexId));

/// How often pages are fetched into a cache that drops the page least recently used (Figure 3c).
struct PageFetches {
  std::uint64_t needed = 0;          // bytes, as above
  std::uint64_t fetches = 0;         // pages, repeated ones included
  std::vector<std::uint64_t> times;  // [t]: pages fetched t times; times[0]: never
};

/// @param page_bytes, cache_bytes  the cache starts empty and holds whole pages, at least one.
/// @throws Error(Usage) as above.
/// Cost: 12 bytes per page and 4 per vertex.
FATHOM_API PageFetches lru_fetches(std::span<const EdgeId> offset,
                                   std::span<const std::uint32_t> depth, std::size_t page_bytes,
                                   std::size_t cache_bytes,
                                   std::size_t entry_bytes = sizeof(VertexId));

/// A row of the picture of Figure 8.
struct PictureRow {
  std::string title;
  std::span<const std::uint32_t> depth;  // in the order to be shown
};

/// The picture of Figure 8 as SVG: for each row a panel, in which levels go from top to bottom and
/// ids from left to right; the darker, the larger the share of the ids that is active.
FATHOM_API std::string level_picture(std::span<const PictureRow> rows);

}  // namespace fathom::reorder
