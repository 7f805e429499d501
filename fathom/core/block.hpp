// A block: threads of a grid that share memory and wait for each other, in warps of 32.
//
//   GpuBlock<n>   n threads of a CUDA block           (device only)
//   FiberBlock    as many fibers of one host thread   (tests/suites/fiber_block.hpp)
//
// What a kernel does takes its block as a parameter, so that it runs, and is tested, on a CPU.
//
// Contract: sync(), sync_or() and shared() are called by all threads of a block, what a warp does
// together by all of its lanes, and each in the same order by all of them. What a thread wrote is
// seen by the others of its block after sync(), by those of its warp after Warp::sync() or a vote
// of an ordered group.
#pragma once

#include <concepts>

#include "fathom/core/bits.hpp"
#include "fathom/core/lanes.hpp"

// Of functions of a whole block: the compiler decides which of them become part of a kernel, and
// after it has simplified them (as parts from the beginning they made one a third larger).
#if defined(__CUDACC__)
#define FATHOM_BLOCK_HD __host__ __device__
#else
#define FATHOM_BLOCK_HD
#endif

namespace fathom {

inline constexpr std::uint32_t kWarpLanes = 32, kTileLanes = 8;

/// All lanes of a warp. Collective: everything but rank(), size() and among().
template <class W>
concept Warp = LaneGroup<W> && requires(const W w, bool b, std::uint32_t x) {
  w.sync();
  { w.all(b) } -> std::same_as<bool>;
  { w.any(b) } -> std::same_as<bool>;
  { w.match(x) } -> std::same_as<std::uint32_t>;       // the lanes with the same value
  { w.shfl_up(x, x) } -> std::same_as<std::uint32_t>;  // of so many lanes before; else its own
  { w.among(x) } -> LaneGroup;  // the lanes of a mask, which meet alone; ranks as in the warp
};

namespace detail {
struct SharedProbe {
  std::uint32_t word;
};
}  // namespace detail

template <class B>
concept Block = requires(const B b, bool p, std::uint32_t x, std::uint32_t& word,
                         unsigned long long n, unsigned long long& wide) {
  { b.rank() } -> std::same_as<std::uint32_t>;    // of this thread in its block
  { b.size() } -> std::same_as<std::uint32_t>;    // threads, a multiple of 32
  { b.index() } -> std::same_as<std::uint32_t>;   // of the block in its grid
  { b.blocks() } -> std::same_as<std::uint32_t>;  // of the grid
  b.sync();
  { b.sync_or(p) } -> std::same_as<bool>;  // whether any thread passed true
  { b.warp() } -> Warp;
  { b.ordered_warp() } -> LaneGroup;  // of which votes order memory too
  { b.ordered_tile() } -> LaneGroup;  // the same of kTileLanes neighbours
  // One object of a type for all calls within a block, which holds anything at first.
  { b.template shared<detail::SharedProbe>() } -> std::same_as<detail::SharedProbe&>;
  // Atomic in shared memory and beyond, relaxed; each returns what was there.
  { b.fetch_add(word, x) } -> std::same_as<std::uint32_t>;
  { b.fetch_add(wide, n) } -> std::same_as<unsigned long long>;
  { b.exchange(word, x) } -> std::same_as<std::uint32_t>;
  { b.fetch_max(word, x) } -> std::same_as<std::uint32_t>;
  { b.fetch_max(wide, n) } -> std::same_as<unsigned long long>;
};

/// Of a mask of lanes that is not 0: the first and the last one, and how many there are.
FATHOM_HD std::uint32_t first_lane(std::uint32_t mask) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__ffs(static_cast<int>(mask)) - 1);
#else
  return static_cast<std::uint32_t>(__builtin_ctz(mask));
#endif
}
FATHOM_HD std::uint32_t last_lane(std::uint32_t mask) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(31 - __clz(static_cast<int>(mask)));
#else
  return static_cast<std::uint32_t>(31 - __builtin_clz(mask));
#endif
}
FATHOM_HD std::uint32_t count_lanes(std::uint32_t mask) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__popc(mask));
#else
  return count_bits(mask);
#endif
}
/// Those of a mask before one of them.
FATHOM_HD std::uint32_t lanes_before(std::uint32_t mask, std::uint32_t lane) {
  return count_lanes(mask & ((1u << lane) - 1));
}

/// Of a grid: the number of this thread, and how many there are.
template <Block B>
FATHOM_HD std::size_t thread_index(const B& block) {
  return std::size_t{block.index()} * block.size() + block.rank();
}
template <Block B>
FATHOM_HD std::size_t thread_count(const B& block) {
  return std::size_t{block.blocks()} * block.size();
}

#if defined(__CUDACC__)
/// Lane groups whose votes order memory too: what a lane wrote before one is seen by the others
/// after it.
struct OrderedTile : TileLanes {
  __device__ std::uint32_t ballot(bool b) const {
    __syncwarp(((1u << kSize) - 1) << (threadIdx.x & (31u & ~(kSize - 1))));
    return TileLanes::ballot(b);
  }
};
static_assert(TileLanes::kSize == kTileLanes);
struct OrderedWarp : WarpLanes {
  __device__ std::uint32_t ballot(bool b) const {
    __syncwarp();
    return WarpLanes::ballot(b);
  }
};

class MaskedLanes : public WarpLanes {
 public:
  __device__ explicit MaskedLanes(std::uint32_t mask) : mask_(mask) {}
  __device__ std::uint32_t ballot(bool b) const { return __ballot_sync(mask_, b); }
  __device__ std::uint32_t shfl(std::uint32_t x, std::uint32_t lane) const {
    return __shfl_sync(mask_, x, static_cast<int>(lane));
  }

 private:
  std::uint32_t mask_;
};

struct GpuWarp : WarpLanes {
  __device__ void sync() const { __syncwarp(); }
  __device__ bool all(bool b) const { return __all_sync(~0u, b) != 0; }
  __device__ bool any(bool b) const { return __any_sync(~0u, b) != 0; }
  __device__ std::uint32_t match(std::uint32_t x) const { return __match_any_sync(~0u, x); }
  __device__ std::uint32_t shfl_up(std::uint32_t x, std::uint32_t lanes) const {
    return __shfl_up_sync(~0u, x, lanes);
  }
  __device__ MaskedLanes among(std::uint32_t mask) const { return MaskedLanes(mask); }
};

template <unsigned kThreads>
struct GpuBlock {
  __device__ std::uint32_t rank() const { return threadIdx.x; }
  __device__ std::uint32_t size() const { return kThreads; }
  __device__ std::uint32_t index() const { return blockIdx.x; }
  __device__ std::uint32_t blocks() const { return gridDim.x; }
  __device__ void sync() const { __syncthreads(); }
  __device__ bool sync_or(bool p) const { return __syncthreads_or(p) != 0; }
  __device__ GpuWarp warp() const { return {}; }
  __device__ OrderedWarp ordered_warp() const { return {}; }
  __device__ OrderedTile ordered_tile() const { return {}; }
  template <class T>
  __device__ __forceinline__ T& shared() const {
    __shared__ T object;
    return object;
  }
  template <class T>
  __device__ T fetch_add(T& to, T n) const {
    return atomicAdd(&to, n);
  }
  __device__ std::uint32_t exchange(std::uint32_t& to, std::uint32_t x) const {
    return atomicExch(&to, x);
  }
  template <class T>
  __device__ T fetch_max(T& to, T x) const {
    return atomicMax(&to, x);
  }
};
static_assert(Block<GpuBlock<32>>);
#endif

}  // namespace fathom
