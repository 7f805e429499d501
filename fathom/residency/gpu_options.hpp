// How a GPU reaches edges that are not streamed in pages. No CUDA here.
#pragma once

#include <cstddef>

#include "fathom/residency/access.hpp"

namespace fathom {

/// How host memory that a GPU reads over the link is obtained (EMOGI, section 4.1).
enum class HostMemory {
  Auto,      // what reaches farthest: managed where the driver allows it, else pinned
  Malloc,    // cudaMallocHost
  Register,  // cudaHostRegister on memory that is there already, a mapped store included
  Managed,   // managed memory kept on the host, read in place (SetAccessedBy)
};

/// Which lists of a zero-copy residency have a copy in device memory.
enum class CachePolicy {
  Auto,  // LowDegree
  None,
  LowDegree,   // the shortest lists first: most lists per byte
  HighDegree,  // the longest lists first
  Prefix,      // the first vertices' lists
};

struct GpuEdgeOptions {
  HostMemory host_memory = HostMemory::Auto;
  Access access = Access::Aligned;
  int id_bytes = 4;        // 4, or 8 as in EMOGI's experiments
  bool interleave = true;  // {id, weight} pairs for algorithms that read weights (4-byte ids)
  CachePolicy cache = CachePolicy::Auto;
  std::size_t cache_bytes = 0;  // 0: what the device has left, but for vertex state
  bool read_mostly = false;     // managed residency: cudaMemAdviseSetReadMostly
  bool prefetch = false;        // managed residency: start with what fits on the device
};

}  // namespace fathom
