// Which request is served by pages of which size, and from chunks of which size. Instances of the
// manager are stacked: the largest page of one is the chunk of its level, up to 1 MiB.
#pragma once

#include <cstdint>

#include "fathom/core/platform.hpp"

namespace fathom::memory {

inline constexpr std::uint64_t kChunkBytes = 8192;               // one unit, all of it data
inline constexpr std::uint32_t kPageShift = 4;                   // the smallest page has 16 bytes
inline constexpr std::uint32_t kClasses = 17;                    // 16 B ... 1 MiB
inline constexpr std::uint32_t kLevels = 3;                      // chunks of 8 KiB, 128 KiB, 1 MiB
inline constexpr std::uint32_t kRings = kClasses + kLevels + 1;  // Heap::queue, idle, free_chunks
inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << (kPageShift + kClasses - 1);
// Of one heap: as many pages of 16 B as a semaphore counts.
inline constexpr std::uint64_t kMostRegion = std::uint64_t{1} << 39;
inline constexpr std::uint32_t kMostPages = 512;  // of one chunk

FATHOM_HD constexpr std::uint64_t page_bytes(std::uint32_t size_class) {
  return std::uint64_t{1} << (kPageShift + size_class);
}

FATHOM_HD constexpr std::uint32_t level_of(std::uint32_t size_class) {
  return size_class < 10 ? 0 : size_class < 14 ? 1 : 2;
}

/// How many consecutive units a chunk of the level takes.
FATHOM_HD constexpr std::uint32_t units_of(std::uint32_t level) {
  return level == 0 ? 1 : level == 1 ? 16 : 128;
}

FATHOM_HD constexpr std::uint32_t pages_of(std::uint32_t size_class) {
  return static_cast<std::uint32_t>(units_of(level_of(size_class)) * kChunkBytes >>
                                    (kPageShift + size_class));
}

/// The smallest class whose pages hold `bytes` (1 to kMostBytes).
FATHOM_HD constexpr std::uint32_t class_of(std::uint64_t bytes) {
  std::uint32_t size_class = 0;
  while (page_bytes(size_class) < bytes) ++size_class;
  return size_class;
}
static_assert(page_bytes(kClasses - 1) == kMostBytes && pages_of(0) == kMostPages);
static_assert(pages_of(9) == 1 && pages_of(13) == 1 && pages_of(16) == 1 && pages_of(10) == 8);

}  // namespace fathom::memory
