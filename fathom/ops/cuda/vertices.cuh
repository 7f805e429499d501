// Kernels of compute, filter and reduce: a thread per vertex.
#pragma once

#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/ops/cuda/operators.hpp"
#include "fathom/ops/cuda/walk.cuh"

namespace fathom::cuda {

template <class F>
__global__ void __launch_bounds__(kBlock) compute_each(FrontierRef in, VertexRange range, F f) {
  for_tiles(in, range.first, range.last, [&](VertexId v) {
    if (v != kNoVertex) f(v);
  });
}

template <class F>
__global__ void __launch_bounds__(kBlock)
    filter_each(FrontierRef in, VertexRange range, F f, std::uint32_t* out) {
  for_tiles(in, range.first, range.last, [&](VertexId v) {
    const bool keep = v != kNoVertex && f(v);
    const std::uint32_t kept = __ballot_sync(~0u, keep);
    if (keep && __ffs(static_cast<int>(kept)) - 1 == static_cast<int>(threadIdx.x % 32))
      out[v >> 5] = kept;
  });
}

// Blocks of the first step; each leaves one value. Constant, so that the order of combination is.
inline constexpr unsigned kReduceBlocks = 512;

/// The combination over a block's threads, in thread 0.
template <class T, class Combine>
__device__ T combine_block(T mine, const Combine& combine) {
  __shared__ alignas(T) std::byte memory[kBlock * sizeof(T)];
  T* const values = reinterpret_cast<T*>(memory);
  values[threadIdx.x] = mine;
  for (unsigned step = kBlock / 2; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step)
      values[threadIdx.x] = combine(values[threadIdx.x], values[threadIdx.x + step]);
  }
  return values[0];
}

template <class T, class F, class Combine>
__global__ void __launch_bounds__(kBlock)
    reduce_blocks(VertexRange range, T identity, F f, Combine combine, T* partial) {
  T mine = identity;
  for (std::uint64_t v = range.first + std::uint64_t{blockIdx.x} * kBlock + threadIdx.x;
       v < range.last; v += std::uint64_t{kReduceBlocks} * kBlock)
    mine = combine(mine, f(static_cast<VertexId>(v)));
  mine = combine_block(mine, combine);
  if (threadIdx.x == 0) partial[blockIdx.x] = mine;
}

template <class T, class Combine>
__global__ void __launch_bounds__(kBlock)
    reduce_partials(const T* partial, T identity, Combine combine, T* total) {
  T mine = identity;
  for (unsigned i = threadIdx.x; i < kReduceBlocks; i += kBlock) mine = combine(mine, partial[i]);
  mine = combine_block(mine, combine);
  if (threadIdx.x == 0) *total = mine;
}

template <class F>
void compute(const Device& device, const FrontierRef& in, VertexRange range, const F& f) {
  if (in.form == FrontierRef::Form::List) return;  // empty: other lists are made bitmaps
  const Gpu& gpu = *device.gpu();
  const auto kernel = compute_each<F>;
  kernel<<<gpu.grid(reinterpret_cast<const void*>(kernel)), kBlock, 0, gpu.stream()>>>(in, range,
                                                                                       f);
  check(cudaGetLastError(), "starting compute");
}

template <class F>
void filter(const Device& device, const FrontierRef& in, VertexRange range, const F& f,
            std::uint64_t* out) {
  if (in.form == FrontierRef::Form::List) return;  // empty: other lists are made bitmaps
  const Gpu& gpu = *device.gpu();
  const auto kernel = filter_each<F>;
  kernel<<<gpu.grid(reinterpret_cast<const void*>(kernel)), kBlock, 0, gpu.stream()>>>(
      in, range, f, reinterpret_cast<std::uint32_t*>(out));
  check(cudaGetLastError(), "starting filter");
}

template <class T, class F, class Combine>
T reduce(const Device& device, VertexRange range, T identity, const F& f, const Combine& combine) {
  static_assert(kBlock * sizeof(T) <= 48 * 1024);  // of shared memory
  Gpu& gpu = *device.gpu();
  auto* partial = static_cast<T*>(gpu.scratch((kReduceBlocks + 1) * sizeof(T)));
  reduce_blocks<<<kReduceBlocks, kBlock, 0, gpu.stream()>>>(range, identity, f, combine, partial);
  reduce_partials<<<1, kBlock, 0, gpu.stream()>>>(partial, identity, combine,
                                                  partial + kReduceBlocks);
  check(cudaGetLastError(), "starting reduce");
  T total = identity;
  gpu.copy(&total, partial + kReduceBlocks, sizeof(T));
  return total;
}

}  // namespace fathom::cuda
