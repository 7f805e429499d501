// A lane group: threads that run the same code together and can vote and exchange values.
//
//   OneLane      one host or device thread       (CPU executor, scalar kernels)
//   WarpLanes    the 32 threads of a CUDA warp   (device only)
//   TileLanes    8 neighbouring threads of one   (device only)
//   ThreadLanes  N host threads with a barrier   (tests/suites/thread_lanes.hpp)
//
// A traversal body takes the group as a parameter, so that warp-cooperative code runs, and is
// tested, on a CPU. Contract: ballot() and shfl() are collective; every lane of the group calls
// them, in the same order.
#pragma once

#include <concepts>

#include "fathom/core/platform.hpp"

namespace fathom {

template <class G>
concept LaneGroup = requires(const G g, bool b, std::uint32_t x) {
  { g.rank() } -> std::same_as<std::uint32_t>;
  { g.size() } -> std::same_as<std::uint32_t>;      // a power of two, at most 32
  { g.ballot(b) } -> std::same_as<std::uint32_t>;   // bit i: lane i passed true
  { g.shfl(x, x) } -> std::same_as<std::uint32_t>;  // the value of the given lane
};

struct OneLane {
  FATHOM_HD std::uint32_t rank() const { return 0; }
  FATHOM_HD std::uint32_t size() const { return 1; }
  FATHOM_HD std::uint32_t ballot(bool b) const { return b ? 1u : 0u; }
  FATHOM_HD std::uint32_t shfl(std::uint32_t x, std::uint32_t) const { return x; }
};
static_assert(LaneGroup<OneLane>);

#if defined(__CUDACC__)
/// A part of a warp: lists of a few edges would leave most lanes of a whole one idle.
struct TileLanes {
  static constexpr std::uint32_t kSize = 8;
  __device__ std::uint32_t rank() const { return threadIdx.x % kSize; }
  __device__ std::uint32_t size() const { return kSize; }
  __device__ std::uint32_t ballot(bool b) const {
    return __ballot_sync(mask(), b) >> first() & ((1u << kSize) - 1);
  }
  __device__ std::uint32_t shfl(std::uint32_t x, std::uint32_t lane) const {
    return __shfl_sync(mask(), x, static_cast<int>(lane), kSize);
  }

 private:
  __device__ std::uint32_t first() const { return threadIdx.x & (31u & ~(kSize - 1)); }
  __device__ std::uint32_t mask() const { return ((1u << kSize) - 1) << first(); }
};

struct WarpLanes {
  __device__ std::uint32_t rank() const { return threadIdx.x & 31u; }
  __device__ std::uint32_t size() const { return 32; }
  __device__ std::uint32_t ballot(bool b) const { return __ballot_sync(~0u, b); }
  __device__ std::uint32_t shfl(std::uint32_t x, std::uint32_t lane) const {
    return __shfl_sync(~0u, x, static_cast<int>(lane));
  }
};
#endif

/// Lanes of a group that have nothing in its first round, so that it starts to read at the border
/// of a line: `lead` entries before the list. A group whose `align_mask` is 0 starts at the list.
template <LaneGroup G>
FATHOM_HD std::uint32_t idle_lanes(const G& g, std::uint32_t lead) {
  if constexpr (requires { g.align_mask; })
    return lead & g.align_mask;
  else
    return lead % g.size();
}

/// The value of `lane`, for any trivially copyable type whose size is a multiple of 4 bytes.
template <LaneGroup G, class T>
FATHOM_HD T shuffle(const G& g, const T& x, std::uint32_t lane) {
  static_assert(sizeof(T) % 4 == 0 && __is_trivially_copyable(T));
  struct Words {
    std::uint32_t word[sizeof(T) / 4];
  };
  Words words = __builtin_bit_cast(Words, x);
  for (std::uint32_t& word : words.word) word = g.shfl(word, lane);
  return __builtin_bit_cast(T, words);
}

/// Combines one value per lane in a butterfly; every lane gets the result.
template <LaneGroup G, class T, class Op>
FATHOM_HD T reduce(const G& g, T x, Op op) {
  for (std::uint32_t step = g.size() / 2; step > 0; step /= 2)
    x = op(x, shuffle(g, x, g.rank() ^ step));
  return x;
}

}  // namespace fathom
