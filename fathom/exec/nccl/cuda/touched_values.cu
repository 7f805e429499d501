#include "fathom/exec/nccl/cuda/touched_values.hpp"

#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::cuda {
namespace {

// Threads of a block, of which each takes a word of the block's stretch of the bitmap.
constexpr unsigned kTouchedThreads = 256;
constexpr unsigned kWarps = kTouchedThreads / 32;
constexpr unsigned kScanThreads = 1024;

/// The sum over the lanes up to this one.
__device__ std::uint32_t sum_up_to_lane(std::uint32_t mine) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned step = 1; step < 32; step *= 2) {
    const std::uint32_t below = __shfl_up_sync(~0u, mine, step);
    if (lane >= step) mine += below;
  }
  return mine;
}

/// The sum over the block's threads before this one. `warp_sum`: shared, one for each warp. All
/// threads call it.
__device__ std::uint32_t sum_before_thread(std::uint32_t mine, std::uint32_t* warp_sum) {
  const std::uint32_t up_to = sum_up_to_lane(mine);
  if (threadIdx.x % 32 == 31) warp_sum[threadIdx.x / 32] = up_to;
  __syncthreads();
  std::uint32_t before = up_to - mine;
  for (unsigned w = 0; w < threadIdx.x / 32; ++w) before += warp_sum[w];
  __syncthreads();  // before it is written again
  return before;
}

__global__ void __launch_bounds__(kTouchedThreads)
    count_touched(const std::uint64_t* bits, std::size_t words, std::uint32_t* place) {
  __shared__ std::uint32_t warp_sum[kWarps];
  const std::size_t w = std::size_t{blockIdx.x} * kTouchedThreads + threadIdx.x;
  const auto mine = static_cast<std::uint32_t>(w < words ? __popcll(bits[w]) : 0);
  const std::uint32_t before = sum_before_thread(mine, warp_sum);
  if (threadIdx.x == kTouchedThreads - 1) place[blockIdx.x] = before + mine;
}

/// From counts to where each begins, by one block.
__global__ void __launch_bounds__(kScanThreads)
    begin_places(std::uint32_t* place, std::size_t count) {
  __shared__ std::uint32_t warp_sum[kScanThreads / 32];
  __shared__ std::uint32_t next;
  std::uint32_t begin = 0;
  for (std::size_t first = 0; first < count; first += kScanThreads) {
    const std::size_t i = first + threadIdx.x;
    const std::uint32_t mine = i < count ? place[i] : 0;
    const std::uint32_t before = begin + sum_before_thread(mine, warp_sum);
    if (i < count) place[i] = before;
    if (threadIdx.x == kScanThreads - 1) next = before + mine;
    __syncthreads();
    begin = next;
    __syncthreads();
  }
}

/// Packs, or unpacks. A warp goes through its words together, so that neighbours are read in whole
/// lines.
template <class T, bool kPack>
__global__ void __launch_bounds__(kTouchedThreads)
    move_touched(const std::uint64_t* bits, std::size_t words, const std::uint32_t* place,
                 T* values, T* packed) {
  __shared__ std::uint32_t warp_sum[kWarps];
  const std::size_t w = std::size_t{blockIdx.x} * kTouchedThreads + threadIdx.x;
  const unsigned lane = threadIdx.x % 32;
  const unsigned long long mine = w < words ? bits[w] : 0;
  const std::uint32_t before =
      place[blockIdx.x] + sum_before_thread(static_cast<std::uint32_t>(__popcll(mine)), warp_sum);
  for (int k = 0; k < 32; ++k) {
    const unsigned long long word = __shfl_sync(~0u, mine, k);
    const std::uint32_t first = __shfl_sync(~0u, before, k);
    const std::size_t vertex = (w - lane + static_cast<std::size_t>(k)) * 64;
    for (unsigned bit = lane; word != 0 && bit < 64; bit += 32) {
      if ((word >> bit & 1) == 0) continue;
      const std::size_t at =
          std::size_t{first} + static_cast<std::size_t>(__popcll(word & ((1ull << bit) - 1)));
      if constexpr (kPack)
        packed[at] = values[vertex + bit];
      else
        values[vertex + bit] = packed[at];
    }
  }
}

template <bool kPack>
void move(const Gpu& gpu, const TouchedValues& t) {
  const auto blocks = static_cast<unsigned>(places_of_touched(t.words));
  if (t.value_bytes == 8)
    move_touched<std::uint64_t, kPack><<<blocks, kTouchedThreads, 0, gpu.stream()>>>(
        t.bits, t.words, t.place, static_cast<std::uint64_t*>(t.values),
        static_cast<std::uint64_t*>(t.packed));
  else
    move_touched<std::uint32_t, kPack><<<blocks, kTouchedThreads, 0, gpu.stream()>>>(
        t.bits, t.words, t.place, static_cast<std::uint32_t*>(t.values),
        static_cast<std::uint32_t*>(t.packed));
  check(cudaGetLastError(), "moving touched values");
}

}  // namespace

std::size_t places_of_touched(std::size_t words) {
  return (words + kTouchedThreads - 1) / kTouchedThreads;
}

void pack_touched(const Gpu& gpu, const TouchedValues& t) {
  const std::size_t places = places_of_touched(t.words);
  if (places == 0) return;
  count_touched<<<static_cast<unsigned>(places), kTouchedThreads, 0, gpu.stream()>>>(
      t.bits, t.words, t.place);
  begin_places<<<1, kScanThreads, 0, gpu.stream()>>>(t.place, places);
  check(cudaGetLastError(), "counting touched vertices");
  move<true>(gpu, t);
}

void unpack_touched(const Gpu& gpu, const TouchedValues& t) {
  if (t.words > 0) move<false>(gpu, t);
}

}  // namespace fathom::cuda
