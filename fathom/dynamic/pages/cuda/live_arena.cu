#include "fathom/dynamic/pages/cuda/live_arena_kernels.hpp"

namespace fathom::dynamic::gpu {
namespace {

/// A block per size, a thread per stack: each is walked by one.
__global__ void __launch_bounds__(LiveArenaState::kStripes)
    empty_all(BulkPoolRef pool, LiveArena arena) {
  const int k = static_cast<int>(blockIdx.x);
  for (std::uint32_t p; (p = arena.pop(k, threadIdx.x)) != kNoPage;)
    pool.free(p, std::uint64_t{kDynamicUnit} << k);
}

}  // namespace

void empty_stacks(cuda::Gpu& gpu, const BulkPoolRef& pool, const LiveArena& arena) {
  empty_all<<<kPageSizes, LiveArenaState::kStripes, 0, gpu.stream()>>>(pool, arena);
  cuda::check(cudaGetLastError(), "giving pages back");
}

}  // namespace fathom::dynamic::gpu
