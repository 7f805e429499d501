// Plain functions over arrays and bitmaps in device memory: what Context and Frontier need. Kernels
// run in stream order; those that return a value wait for it.
#pragma once

#include <span>

#include "fathom/core/platform.hpp"

namespace fathom::cuda {

class Gpu;

/// values[i] = the `size` bytes at `value` (host memory), for i in [0, count).
FATHOM_API void fill(Gpu& gpu, void* values, std::size_t count, const void* value,
                     std::size_t size);

/// The bits below `vertices`, in words of 64, all set; the rest of the last word is cleared.
FATHOM_API void set_all(Gpu& gpu, std::uint64_t* bits, std::size_t vertices);
/// Sets the bits of list[0 .. size) (device memory).
FATHOM_API void set_listed(Gpu& gpu, std::uint64_t* bits, const VertexId* list, std::size_t size);
/// into &= ~gone; into |= more.
FATHOM_API void subtract(Gpu& gpu, std::uint64_t* into, const std::uint64_t* gone,
                         std::size_t words);
FATHOM_API void unite(Gpu& gpu, std::uint64_t* into, const std::uint64_t* more, std::size_t words);
/// The number of bits set.
FATHOM_API std::uint64_t count(Gpu& gpu, const std::uint64_t* bits, std::size_t words);
/// The number of bits v that are set, and the sum of offset[v + 1] - offset[v] over them.
struct Degrees {
  std::uint64_t vertices, edges;
};
FATHOM_API Degrees degree_sum(Gpu& gpu, const std::uint64_t* bits, std::size_t words,
                              const EdgeId* offset);
/// to[i] = the `size` bytes of element at[i] of `values`; `at` and `to` in host memory.
FATHOM_API void gather(Gpu& gpu, const void* values, std::size_t size,
                       std::span<const std::size_t> at, void* to);

}  // namespace fathom::cuda
