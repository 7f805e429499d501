// Memory that making degree-oriented lists on a GPU takes (cuda/device_orient.hpp), for runs and
// plans alike. No CUDA here.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fathom/core/platform.hpp"
#include "fathom/residency/graph.hpp"
#include "fathom/residency/paged/split_needs.hpp"

namespace fathom::detail {

/// Edges that a warp takes at a time.
inline constexpr std::uint64_t kOrientTile = 1024;

/// Bytes for an undirected graph whose lists hold `edges` entries.
struct OrientNeeds {
  static constexpr std::uint64_t kReads = 3;  // of each entry

  std::uint64_t lists;    // offsets and targets: an edge is in two lists, and kept in one
  std::uint64_t scratch;  // while they are made: degrees, a bit per entry, sums per tile

  OrientNeeds(std::uint64_t vertices, std::uint64_t edges)
      : lists((vertices + 1) * sizeof(EdgeId) + edges / 2 * sizeof(VertexId)),
        scratch(vertices * sizeof(VertexId) + tiles(edges) * kOrientTile / 8 +
                (tiles(edges) + 1) * 3 * sizeof(std::uint64_t)) {}

  static std::uint64_t tiles(std::uint64_t edges) {
    return (edges + kOrientTile - 1) / kOrientTile;
  }
  /// Beside `source`, the lists that are read, where these are in the device's memory too: they
  /// give way to `state` once that is done.
  std::uint64_t peak(std::uint64_t source, std::uint64_t state) const {
    return lists + std::max(source + scratch, state);
  }
};

/// Whether a GPU orients lists that are placed so: not where a cache was asked for, or forbidden.
inline bool orients_on_device(ResidencyOptions::Kind kind, const GpuEdgeOptions& gpu) {
  const bool far = kind == ResidencyOptions::Kind::ZeroCopy && gpu.cache == CachePolicy::Auto &&
                   gpu.cache_bytes == 0;
  return (far || kind == ResidencyOptions::Kind::Resident) &&
         gpu.id_bytes == GpuEdgeOptions::kPlainIdBytes && !gpu.id_bits;
}
/// Device memory of the lists that are read for it.
inline std::uint64_t orient_source(ResidencyOptions::Kind kind, std::uint64_t edges) {
  return kind == ResidencyOptions::Kind::Resident ? edges * sizeof(VertexId) : 0;
}
/// What an algorithm needs beside oriented lists: a count per vertex, and operators.
inline std::uint64_t orient_state(std::uint64_t vertices, std::uint64_t edges) {
  return vertices * sizeof(std::uint64_t) + operator_bytes(edges);
}

}  // namespace fathom::detail
