// How a GPU reaches edges that are not streamed in pages. No CUDA here.
#pragma once

#include <cstddef>
#include <optional>

#include "fathom/exec/link_profile.hpp"
#include "fathom/residency/access.hpp"
#include "fathom/residency/paged/paging_options.hpp"

namespace fathom {

/// Which lists of a zero-copy residency have a copy in device memory.
enum class CachePolicy {
  Auto,  // LowDegree; Reuse for the oriented lists of triangles
  None,
  LowDegree,   // the shortest lists first: most lists per byte
  HighDegree,  // the longest lists first
  Prefix,      // the first vertices' lists
  Reuse,       // lists of the vertices that most edges point to: a triangle count reads the list of
               // v once for each edge (u, v)
};

/// How a GPU reads packed lists that are not streamed (docs/adr/0034).
enum class PackedReads {
  Auto,      // in place over the link, or where they do not fit its memory unpacked
  InPlace,   // by warps that unpack what they walk
  Unpacked,  // as arrays
};

struct GpuEdgeOptions {
  std::optional<ZeroCopyWay> host_memory;  // none: the way that was measured to reach farthest
  Access access = Access::Aligned;
  static constexpr int kPlainIdBytes = sizeof(VertexId);
  int id_bytes = kPlainIdBytes;  // or 8, as in EMOGI's experiments
  // Lists in CSR that are not streamed are narrowed as they are placed (store::Narrowing): ids take
  // so many bits, 0 as few as number the vertices, and weights 8 or 16.
  std::optional<int> id_bits;
  bool interleave = true;  // {id, weight} pairs for algorithms that read weights (plain ids)
  CachePolicy cache = CachePolicy::Auto;
  std::size_t cache_bytes = 0;  // 0: what the device has left, but for vertex state
  PackedReads packed = PackedReads::Auto;
  bool read_mostly = false;  // managed residency: cudaMemAdviseSetReadMostly
  bool prefetch = false;     // managed residency: start with what fits on the device
};

}  // namespace fathom
