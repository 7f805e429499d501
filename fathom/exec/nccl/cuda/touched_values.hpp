// Values at the vertices of a bitmap, put side by side in ascending order, and back: what ranks
// merge where few vertices were touched.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace fathom::cuda {

class Gpu;

/// How many counters these functions need for a bitmap of so many words of 64.
std::size_t places_of_touched(std::size_t words);

/// Where values of 4 or 8 bytes lie apart, and side by side; all in device memory.
struct TouchedValues {
  const std::uint64_t* bits;
  std::size_t words;
  std::size_t value_bytes;
  void* values;          // by vertex
  void* packed;          // as many as there are bits
  std::uint32_t* place;  // [places_of_touched(words)]
};
/// packed = the values of the touched vertices, with which `place` is written.
void pack_touched(const Gpu& gpu, const TouchedValues& touched);
/// The values of the touched vertices = packed, by `place` as pack_touched() left it.
void unpack_touched(const Gpu& gpu, const TouchedValues& touched);

}  // namespace fathom::cuda
