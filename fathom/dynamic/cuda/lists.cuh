// How the lists that a batch touches are shared out on a GPU: long ones to warps, the others to 8
// threads each.
#pragma once

#include "fathom/core/lanes.hpp"
#include "fathom/dynamic/batch_functors.hpp"
#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::dynamic::gpu {

inline constexpr unsigned kBlock = 256;
// Lists with up to so many entries and changes are left to 8 lanes, or to one.
inline constexpr std::uint32_t kTileMost = 64, kLaneMost = 24;

/// Lane groups whose votes order memory too: what a lane wrote before one is seen by the others
/// after it.
struct OrderedTile : TileLanes {
  __device__ std::uint32_t ballot(bool b) const {
    __syncwarp(((1u << kSize) - 1) << (threadIdx.x & (31u & ~(kSize - 1))));
    return TileLanes::ballot(b);
  }
};
struct OrderedWarp : WarpLanes {
  __device__ std::uint32_t ballot(bool b) const {
    __syncwarp();
    return WarpLanes::ballot(b);
  }
};

/// What a group has to look at for a list of so many entries.
__device__ inline std::uint32_t work_of(const TouchedList& t, std::uint32_t entries) {
  const std::uint32_t changes = t.last - t.first;
  return entries > changes ? entries : changes;
}

__device__ inline std::size_t thread_index() {
  return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ inline std::size_t thread_count() {
  return std::size_t{gridDim.x} * blockDim.x;
}

/// Has memory on its way that is read a little later: what one address waits for, others need not.
__device__ inline void prefetch(const void* at) {
  asm volatile("prefetch.global.L1 [%0];" ::"l"(at));
}
/// The first entries of a short list, on its page.
__device__ inline void prefetch_page(const DynamicListsRef& lists, const DynamicList& list) {
  constexpr std::uint32_t kSectorWords = 8, kMostSectors = 4;
  if (list.capacity == 0) return;
  const PageRef page = lists.page(list);
  const std::uint32_t words = list.size * page.step;
  for (std::uint32_t k = 0; k < kMostSectors && k * kSectorWords < words; ++k)
    prefetch(page.words + k * kSectorWords);
}

/// By all threads of a block.
template <class T>
__device__ void copy_words(T* to, const T* from) {
  static_assert(sizeof(T) % 4 == 0);
  const auto* const in = reinterpret_cast<const std::uint32_t*>(from);
  auto* const out = reinterpret_cast<std::uint32_t*>(to);
  for (std::uint32_t i = threadIdx.x; i < sizeof(T) / 4; i += blockDim.x) out[i] = in[i];
}

inline unsigned blocks_for(const cuda::Gpu& gpu, std::size_t threads, unsigned at_once = 8) {
  const std::size_t wanted = (threads + kBlock - 1) / kBlock;
  const std::size_t full = static_cast<std::size_t>(gpu.multiprocessors()) * at_once;
  return static_cast<unsigned>(wanted < 1 ? 1 : wanted < full ? wanted : full);
}

/// body(group, i) for each i < n, by a group according to work(i). All threads of the grid call it.
///
/// The items of a warp lie as far apart as there are warps: long lists that follow each other, as
/// those of a batch with few sources do, go to different ones.
template <class Work, class Body>
__device__ void deal_lists(std::size_t n, const Work& work, const Body& body) {
  constexpr unsigned kTiles = 32 / TileLanes::kSize;
  const unsigned lane = threadIdx.x % 32;
  const std::size_t warps = thread_count() / 32;
  for (std::size_t base = thread_index() / 32; base < n; base += kTiles * warps) {
    const std::size_t i = base + lane / TileLanes::kSize * warps;
    const bool there = i < n;
    const bool longer = there && work(i) > kTileMost;
    for (std::uint32_t rest = __ballot_sync(~0u, longer && lane % TileLanes::kSize == 0); rest != 0;
         rest &= rest - 1) {
      const auto its = static_cast<unsigned>(__ffs(static_cast<int>(rest)) - 1);
      body(OrderedWarp{}, base + its / TileLanes::kSize * warps);
    }
    __syncwarp();
    if (there && !longer) body(OrderedTile{}, i);
    __syncwarp();
  }
}

/// The same for lists most of which are short: those are left to one thread each, so that many are
/// under way at a time; nothing is done for work 0.
template <class Work, class Body>
__device__ void deal_short_lists(std::size_t n, const Work& work, const Body& body) {
  const unsigned lane = threadIdx.x % 32;
  const std::size_t warps = thread_count() / 32;
  for (std::size_t base = thread_index() / 32; base < n; base += 32 * warps) {
    const auto item = [&](std::uint32_t of) { return base + of * warps; };
    const std::uint32_t mine = item(lane) < n ? work(item(lane)) : 0;
    if (mine != 0 && mine <= kLaneMost) body(OneLane{}, item(lane));
    __syncwarp();
    for (std::uint32_t rest = __ballot_sync(~0u, mine > kTileMost); rest != 0; rest &= rest - 1)
      body(OrderedWarp{}, item(static_cast<std::uint32_t>(__ffs(static_cast<int>(rest)) - 1)));
    __syncwarp();
    // Each tile takes the next of the others.
    std::uint32_t rest = __ballot_sync(~0u, mine > kLaneMost && mine <= kTileMost);
    while (rest != 0) {
      std::uint32_t left = rest;
      for (unsigned k = 0; k < lane / TileLanes::kSize; ++k) left &= left - 1;
      if (left != 0)
        body(OrderedTile{}, item(static_cast<std::uint32_t>(__ffs(static_cast<int>(left)) - 1)));
      __syncwarp();
      for (unsigned k = 0; k < 32 / TileLanes::kSize; ++k) rest &= rest - 1;
    }
  }
}

}  // namespace fathom::dynamic::gpu
