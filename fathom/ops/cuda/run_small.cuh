// The kernel of run_small: one cluster of blocks, which share hardware barriers and read each
// other's shared memory, where the frontiers are.
#pragma once

#include "fathom/ops/cuda/operators.hpp"
#include "fathom/ops/cuda/small_room.hpp"
#include "fathom/ops/cuda/walk.cuh"
#include "fathom/ops/run_small.hpp"

namespace fathom::cuda {

inline constexpr unsigned kSmallBlock = 1024;
// The most that every device of sm_90 and later grants.
inline constexpr unsigned kClusterBlocks = kSmallParts;

/// The threads of the cluster (of the block, on devices without clusters).
template <class Cursor>
struct ClusterTeam {
  using Part = SmallPart<Cursor, 1000>;  // two lists in 48 KiB
  static_assert(sizeof(Part) <= 48 << 10);
  Part* own;

  /// Neighbouring warps are of different blocks: a small frontier keeps all of them busy.
  __device__ std::uint32_t rank() const {
    return (threadIdx.x / 32 * gridDim.x + blockIdx.x) * 32 + threadIdx.x % 32;
  }
  __device__ std::uint32_t size() const { return gridDim.x * kSmallBlock; }
  __device__ std::uint32_t part_rank() const { return threadIdx.x; }
  __device__ std::uint32_t part_size() const { return kSmallBlock; }
  __device__ Part& mine() const { return *own; }
  __device__ const Part& part([[maybe_unused]] std::uint32_t block) const {
#if __CUDA_ARCH__ >= 900
    return *static_cast<const Part*>(__cluster_map_shared_rank(own, block));
#else
    return *own;
#endif
  }
  __device__ SmallWords words(std::uint32_t i) const {
    const std::uint32_t lane = threadIdx.x % 32;
    std::uint32_t word = 0;
    if (lane < gridDim.x) word = *const_cast<const volatile std::uint32_t*>(&part(lane).word[i]);
    SmallWords all;
    for (std::uint32_t p = 0; p < kSmallParts; ++p)
      all.of[p].word = __shfl_sync(~0u, word, static_cast<int>(p));
    return all;
  }
  __device__ WarpLanes lanes() const {
    return {};
  }
  __device__ bool any(bool b) const {
    return __any_sync(~0u, b) != 0;
  }
  __device__ std::uint32_t claim(std::uint32_t& word, bool one) const {
    const std::uint32_t lane = threadIdx.x % 32, all = __ballot_sync(~0u, one);
    if (all == 0) return 0;
    std::uint32_t first = 0;
    if (lane == 0) first = AtomicRef(word).fetch_add(static_cast<std::uint32_t>(__popc(all)));
    return __shfl_sync(~0u, first, 0) +
           static_cast<std::uint32_t>(__popc(all & ((1u << lane) - 1)));
  }
  __device__ void barrier() const {
#if __CUDA_ARCH__ >= 900
    __syncwarp();  // what follows is for whole warps; it releases and acquires
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
#else
    __syncthreads();
#endif
  }
};

template <class Count>
__global__ void __launch_bounds__(kBlock) list_small(FrontierRef in, VertexId* seeds, Count* size) {
  for_tiles(in, 0, in.universe, [&](VertexId v) {
    if (v != kNoVertex) seeds[AtomicRef(*size).fetch_add(Count{1})] = v;
  });
}

template <class E, class F>
__global__ void __launch_bounds__(kSmallBlock)
    walk_small(E edges, F f, const VertexId* seeds, std::uint32_t most_steps, std::uint32_t* bits,
               SmallState* state) {
  using Team = ClusterTeam<typename E::Cursor>;
  __shared__ alignas(16) std::byte memory[sizeof(typename Team::Part)];
  const Team team{reinterpret_cast<typename Team::Part*>(memory)};
  if (threadIdx.x == 0) team.mine().word[0] = 0;
  const std::uint32_t n = state->size;
  team.barrier();
  walk_small_supersteps(
      team, edges, f, seeds, n, kSmallFrontier, most_steps,
      [&](VertexId v) { AtomicRef(bits[v >> 5]).fetch_or(1u << (v & 31)); }, state);
}

template <class F>
SmallRun run_small(const Device& device, const AnyEdges& any, Frontier& now,
                   std::uint32_t most_steps, const F& f) {
  Gpu& gpu = *device.gpu();
  auto* const memory = static_cast<std::byte*>(gpu.scratch(kSmallBytes));
  auto* const state = reinterpret_cast<SmallState*>(memory);
  auto* const seeds = reinterpret_cast<VertexId*>(memory + kSmallStateBytes);
  check(cudaMemsetAsync(state, 0, sizeof(*state), gpu.stream()), "clearing counters");
  const auto list = list_small<std::uint32_t>;
  list<<<gpu.grid(reinterpret_cast<const void*>(list)), kBlock, 0, gpu.stream()>>>(
      now.on(device), seeds, &state->size);
  now.begin_bitmap();
  auto* const bits = reinterpret_cast<std::uint32_t*>(now.bits(device));
  std::visit(
      [&](const auto& edges) {
        using E = std::remove_cvref_t<decltype(edges)>;
        if constexpr (kShown<E, F> && !std::is_same_v<E, PagedEdges>) {  // they come whole
          cudaLaunchAttribute cluster{};
          cluster.id = cudaLaunchAttributeClusterDimension;
          cluster.val.clusterDim = {kClusterBlocks, 1, 1};
          cudaLaunchConfig_t config{};
          const bool clusters = gpu.has_clusters();
          config.gridDim = {clusters ? kClusterBlocks : 1, 1, 1};
          config.blockDim = {kSmallBlock, 1, 1};
          config.stream = gpu.stream();
          config.attrs = &cluster;
          config.numAttrs = clusters ? 1 : 0;
          check(cudaLaunchKernelEx(&config, walk_small<E, F>, edges, f, seeds, most_steps, bits,
                                   state),
                "starting small supersteps");
        } else {
          fail_as_not_shown();
        }
      },
      any);
  SmallState done{};
  gpu.copy(&done, state, sizeof(done));
  now.end_bitmap();
  now.set_size(done.size);
  return {done.steps, done.vertices, done.edges};
}

}  // namespace fathom::cuda
