// What the memory manager's parts share: counters on cache lines of their own, bit tricks, and the
// hooks by which tests disturb it.
#pragma once

#include <bit>

#include "fathom/core/atomic.hpp"
#include "fathom/core/bits.hpp"

namespace fathom::memory {

/// An atomic counter alone on its line: neighbours do not slow each other.
struct alignas(128) Word {
  std::uint64_t value = 0;

  FATHOM_HD AtomicRef<std::uint64_t> atomic() { return AtomicRef<std::uint64_t>(value); }
  FATHOM_HD std::uint64_t load() const {
    return AtomicRef<std::uint64_t>(const_cast<std::uint64_t&>(value)).load(Order::Acquire);
  }
};

inline constexpr std::uint32_t kNone32 = ~std::uint32_t{0};
inline constexpr std::uint64_t kEmpty = ~std::uint64_t{0};  // a queue slot without an entry

/// Where the manager's steps may be interleaved with those of others.
enum class Point { Ticket, Slot, State, Chunk, Semaphore };

/// How a manager is compiled. Tests derive from it to yield at marked points, and where threads
/// wait, and to refuse chunks.
struct Traits {
  static constexpr bool kChecks = false;  // detect double frees and foreign pointers
  static constexpr std::uint32_t kGenerations = (1u << 29) - 2;  // of a chunk (chunk_state.hpp)
  FATHOM_HD static void mark(Point) {}
  FATHOM_HD static void pause() { fathom::pause(); }  // inside a loop that waits for others
  FATHOM_HD static bool grants_chunk() { return true; }
};

/// The debug build: one more bit per page says whether it is live.
struct CheckedTraits : Traits {
  static constexpr bool kChecks = true;
};

/// Index of the lowest set bit; 64 without one.
FATHOM_HD std::uint32_t lowest_bit(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return bits ? static_cast<std::uint32_t>(__ffsll(static_cast<long long>(bits))) - 1 : 64;
#else
  return static_cast<std::uint32_t>(std::countr_zero(bits));
#endif
}

/// Index of the n-th set bit, from 0; 64 when there are fewer.
FATHOM_HD std::uint32_t nth_bit(std::uint64_t bits, std::uint32_t n) {
  for (; n > 0; --n) bits &= bits - 1;
  return lowest_bit(bits);
}

/// Makes a lane's writes visible to those that another lane of its group tells of them. Host lanes
/// are ordered by their barrier.
FATHOM_HD void publish_writes() {
#if defined(__CUDA_ARCH__)
  __threadfence();
#endif
}

}  // namespace fathom::memory
