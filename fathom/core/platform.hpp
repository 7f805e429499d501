// The one place where host and device compilation differ, and the only index types there are.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#define FATHOM_HD __host__ __device__ __forceinline__
#else
#define FATHOM_HD inline
#endif

// FATHOM_HD of what belongs inside the loop that calls it: g++ would call what shortest paths do on
// an edge. (Everywhere, tests of lists and allocators take 1.5 to 7 times as long to compile.)
#if !defined(__CUDACC__) && defined(NDEBUG)
#define FATHOM_HD_INLINE inline __attribute__((always_inline))
#else
#define FATHOM_HD_INLINE FATHOM_HD
#endif

// Public symbols: the shared library is built with hidden visibility.
#if defined(_WIN32)
#define FATHOM_API
#else
#define FATHOM_API __attribute__((visibility("default")))
#endif

namespace fathom {

// The only widths that are ever compiled. A second width is a second build (FATHOM_VERTEX_BITS=64,
// which who uses the library compiles with too), never a template parameter; a .fg file says which
// width it was written with.
#if FATHOM_VERTEX_BITS == 64
using VertexId = std::uint64_t;
#else
using VertexId = std::uint32_t;  // at most 2^32 - 2 vertices: the last id is kNoVertex
#endif
using EdgeId = std::uint64_t;  // position in an edge array
using Weight = float;

inline constexpr VertexId kNoVertex = ~VertexId{0};
inline constexpr unsigned kIdBits = 8 * sizeof(VertexId);

/// One directed edge, endpoints as internal ids.
struct Edge {
  VertexId source = 0;
  VertexId target = 0;
  friend bool operator==(const Edge&, const Edge&) = default;
};

}  // namespace fathom
