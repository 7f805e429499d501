// The kernel of run_small: one cluster of blocks, which share hardware barriers, walks frontiers
// that are lists in global memory. A thread walks a list: in one corner of the device latency is
// all that counts.
#pragma once

#include "fathom/exec/cuda/vertex_ops.hpp"
#include "fathom/ops/cuda/operators.hpp"
#include "fathom/ops/cuda/small_room.hpp"
#include "fathom/ops/cuda/walk.cuh"
#include "fathom/ops/run_small.hpp"

namespace fathom::cuda {

inline constexpr unsigned kSmallBlock = 512;
inline constexpr unsigned kClusterBlocks =
    8;  // the most that every device of sm_90 and later grants

/// The threads of the cluster (of the block, on devices without clusters).
struct ClusterTeam {
  __device__ std::uint32_t rank() const { return blockIdx.x * kSmallBlock + threadIdx.x; }
  __device__ std::uint32_t size() const { return gridDim.x * kSmallBlock; }
  __device__ void barrier() const {
#if __CUDA_ARCH__ >= 900
    __threadfence();
    __syncwarp();  // what follows is for whole warps
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
#else
    __syncthreads();
#endif
  }
};

template <class E>
__global__ void __launch_bounds__(kBlock)
    list_small(E edges, FrontierRef in, VertexId* list, SmallState* state) {
  for_tiles(in, 0, in.universe, [&](VertexId v) {
    if (v == kNoVertex) return;
    list[AtomicRef(state->size[0]).fetch_add(1u)] = v;
    if (length_of(edges.begin(v)) > kSmallList) AtomicRef(state->has_long[0]).store(1u);
  });
}

template <class E, class F>
__global__ void __launch_bounds__(kSmallBlock)
    walk_small(E edges, F f, VertexId* even, VertexId* odd, SmallState* state,
               std::uint32_t most_steps) {
  walk_small_supersteps(ClusterTeam{}, edges, f, even, odd, state, kSmallFrontier, most_steps);
}

template <class F>
SmallRun run_small(const Device& device, const AnyEdges& any, Frontier& now,
                   std::uint32_t most_steps, const F& f) {
  Gpu& gpu = *device.gpu();
  auto* const memory = static_cast<std::byte*>(gpu.scratch(small_bytes(now.universe())));
  auto* const state = reinterpret_cast<SmallState*>(memory);
  auto* const even = reinterpret_cast<VertexId*>(memory + kSmallStateBytes);
  VertexId* const odd = even + small_list(now.universe());
  check(cudaMemsetAsync(state, 0, sizeof(*state), gpu.stream()), "clearing counters");
  const FrontierRef in = now.on(device);
  std::visit(
      [&](const auto& edges) {
        using E = std::remove_cvref_t<decltype(edges)>;
        if constexpr (kShown<E, F> && !std::is_same_v<E, PagedEdges>) {  // they come whole
          const auto list = list_small<E>;
          list<<<gpu.grid(reinterpret_cast<const void*>(list)), kBlock, 0, gpu.stream()>>>(
              edges, in, even, state);
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
          check(
              cudaLaunchKernelEx(&config, walk_small<E, F>, edges, f, even, odd, state, most_steps),
              "starting small supersteps");
        } else {
          fail_as_not_shown();
        }
      },
      any);
  SmallState done{};
  gpu.copy(&done, state, sizeof(done));
  if (done.steps > 0) {
    const VertexId size = done.size[done.steps % 3];
    now.begin_bitmap();
    set_listed(gpu, now.bits(device), done.steps % 2 == 0 ? even : odd, size);
    now.end_bitmap();
    now.set_size(size);
  }
  return {done.steps, done.vertices, done.edges};
}

}  // namespace fathom::cuda
