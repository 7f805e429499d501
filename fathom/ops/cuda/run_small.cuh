// The kernel of run_small: one cluster of blocks, which share hardware barriers, walks frontiers
// that are lists in global memory. A thread walks a list: in one corner of the device latency is
// all that counts.
#pragma once

#include "fathom/exec/cuda/vertex_ops.hpp"
#include "fathom/ops/cuda/operators.hpp"
#include "fathom/ops/cuda/walk.cuh"
#include "fathom/ops/expand.hpp"
#include "fathom/ops/run_small.hpp"

namespace fathom::cuda {

inline constexpr unsigned kSmallBlock = 512;
inline constexpr unsigned kClusterBlocks =
    8;  // the most that every device of sm_90 and later grants

// Vertices with more edges than this are left to kernels that share lists out.
inline constexpr EdgeId kSmallList = 128;

/// Invariant: before superstep k, size[k % 3] is the length of list k % 2, and size[(k + 1) % 3] is
/// 0.
struct SmallState {
  std::uint32_t size[3];
  std::uint32_t long_list;  // not 0: the frontier holds a vertex with more than kSmallList edges
  std::uint32_t steps;
  std::uint64_t vertices;
  unsigned long long edges;
};

/// All threads of the cluster (of the block, on devices without clusters) wait for each other; what
/// they wrote before is seen by all afterwards.
__device__ inline void cluster_barrier() {
#if __CUDA_ARCH__ >= 900
  __threadfence();
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
#else
  __syncthreads();
#endif
}

template <class E>
__global__ void __launch_bounds__(kBlock)
    list_small(E edges, FrontierRef in, VertexId* list, SmallState* state) {
  for_tiles(in, 0, in.universe, [&](VertexId v) {
    if (v == kNoVertex) return;
    list[AtomicRef(state->size[0]).fetch_add(1u)] = v;
    if (length_of(edges.begin(v)) > kSmallList) AtomicRef(state->long_list).store(1u);
  });
}

template <class E, class F>
__global__ void __launch_bounds__(kSmallBlock)
    walk_small(E edges, F f, VertexId* even, VertexId* odd, SmallState* state,
               std::uint32_t most_steps) {
  const std::uint32_t me = blockIdx.x * kSmallBlock + threadIdx.x;
  const std::uint32_t threads = gridDim.x * kSmallBlock;
  std::uint32_t k = 0;
  std::uint64_t vertices = 0;
  unsigned long long walked = 0;
  for (; k < most_steps; ++k) {
    const std::uint32_t n = AtomicRef(state->size[k % 3]).load();
    if (n == 0 || n > kSmallFrontier || AtomicRef(state->long_list).load() != 0) break;
    const VertexId* now = k % 2 == 0 ? even : odd;
    VertexId* next = k % 2 == 0 ? odd : even;
    std::uint32_t* const next_size = &state->size[(k + 1) % 3];
    const auto step = f.at(k);
    for (std::uint32_t i = me; i < n; i += threads) {
      const VertexId u = AtomicRef(const_cast<VertexId&>(now[i])).load();
      const auto list = edges.begin(u);
      walked += length_of(list);
      expand(OneLane{}, edges, list, u, step, [&](const OneLane&, VertexId v, bool keep) {
        if (!keep) return;
        AtomicRef(next[AtomicRef(*next_size).fetch_add(1u)]).store(v);
        if (length_of(edges.begin(v)) > kSmallList) AtomicRef(state->long_list).store(1u);
      });
    }
    vertices += n;
    cluster_barrier();
    if (me == 0) AtomicRef(state->size[k % 3]).store(0u);  // size of superstep k + 3
    // The next superstep appends to size[(k + 2) % 3], which was cleared a superstep ago.
  }
  AtomicRef(state->edges).fetch_add(walked);
  if (me == 0) {
    state->steps = k;
    state->vertices = vertices;
  }
}

template <class F>
SmallRun run_small(const Device& device, const AnyEdges& any, Frontier& now,
                   std::uint32_t most_steps, const F& f) {
  Gpu& gpu = *device.gpu();
  // A superstep adds at most kSmallList vertices for each of its own.
  constexpr std::size_t kList = std::size_t{kSmallFrontier} * kSmallList;
  auto* const state = static_cast<SmallState*>(gpu.scratch(64 + 2 * kList * sizeof(VertexId)));
  auto* const even = reinterpret_cast<VertexId*>(state) + 16;
  VertexId* const odd = even + kList;
  check(cudaMemsetAsync(state, 0, sizeof(*state), gpu.stream()), "clearing counters");
  const FrontierRef in = now.on(device);
  std::visit(
      [&](const auto& edges) {
        using E = std::remove_cvref_t<decltype(edges)>;
        if constexpr (kShown<E, F>) {
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
