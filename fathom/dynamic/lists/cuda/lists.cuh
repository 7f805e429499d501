// How kernels over the lists of a graph that changes are launched.
#pragma once

#include "fathom/dynamic/batches/blocks/deal_body.hpp"
#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::dynamic::gpu {

inline constexpr unsigned kBlock = 256;
using ThisBlock = GpuBlock<kBlock>;

__device__ inline std::size_t thread_index() {
  return fathom::thread_index(ThisBlock{});
}
__device__ inline std::size_t thread_count() {
  return fathom::thread_count(ThisBlock{});
}

inline unsigned blocks_for(const cuda::Gpu& gpu, std::size_t threads, unsigned at_once = 8) {
  const std::size_t wanted = (threads + kBlock - 1) / kBlock;
  const std::size_t full = static_cast<std::size_t>(gpu.multiprocessors()) * at_once;
  return static_cast<unsigned>(wanted < 1 ? 1 : wanted < full ? wanted : full);
}

}  // namespace fathom::dynamic::gpu
