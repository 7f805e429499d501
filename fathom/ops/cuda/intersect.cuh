// Kernels of intersect: for every edge (u, v) the common targets of two lists.
//
// Lists of u up to kMarkFrom entries are intersected pair by pair (merging or searching). The lists
// v of a longer one are looked up in a bitmap that a block fills for it: many pairs share the
// marks.
#pragma once

#include "fathom/ops/cuda/operators.hpp"
#include "fathom/ops/cuda/walk.cuh"
#include "fathom/ops/intersect_lists.hpp"

namespace fathom::cuda {

inline constexpr EdgeId kMarkFrom = 128;

/// Whole lists come as one span.
template <class E>
__device__ typename E::Span whole_list(const E& edges, VertexId v) {
  typename E::Span s;
  auto cursor = edges.begin(v);
  if (!edges.next(cursor, s)) s.size = 0;
  return s;
}

struct PairRange {
  VertexId a_first, a_last, b_first, b_last;
};

/// Adds what the lanes of a group found for (u, v) to its corners; returns the lane's share.
template <class G, class F>
__device__ void credit_pair(const G& g, VertexId u, VertexId v, unsigned long long found,
                            const F& f) {
  if constexpr (F::kCredits) {
    const auto sum = [](unsigned long long a, unsigned long long b) { return a + b; };
    const auto all = reduce(g, found, sum);
    if (g.rank() != 0 || all == 0) return;
    f.credit(u, all);
    f.credit(v, all);
  }
}

__device__ inline void add_triples(unsigned long long mine, unsigned long long* total) {
  mine = reduce(WarpLanes{}, mine, [](auto a, auto b) { return a + b; });
  if (threadIdx.x % 32 == 0 && mine != 0) AtomicRef(*total).fetch_add(mine);
}

template <class E, class F>
__global__ void __launch_bounds__(kBlock)
    intersect_lists(E a, E b, PairRange range, FrontierRef all, F f, VertexId* marked,
                    unsigned long long* marked_count, unsigned long long* total) {
  __shared__ unsigned char slots[kBlock];
  unsigned char* const slot = slots + threadIdx.x / 32 * 32;
  unsigned long long mine = 0;
  for_tiles(all, range.a_first, range.a_last, [&](VertexId v) {
    EdgeCursor list{0, 0};
    if (v != kNoVertex) list = a.begin(v);
    if (list.end - list.pos >= kMarkFrom) {
      marked[AtomicRef(*marked_count).fetch_add(1ull)] = v;
      list.end = list.pos;
    }
    if (list.end - list.pos < 2) list.end = list.pos;
    share_lists(WarpLanes{}, v, list, true, slot, [&](const auto& g, VertexId u, EdgeCursor its) {
      typename E::Span mine_of_u;
      a.next(its, mine_of_u);
      for (std::uint32_t i = 0; i < mine_of_u.size; ++i) {
        const VertexId w = mine_of_u.target(i);
        if (w < range.b_first || w >= range.b_last) continue;
        const auto found = common_targets(g, mine_of_u, whole_list(b, w), [&](VertexId x) {
          if constexpr (F::kCredits) f.credit(x, 1);
        });
        mine += found;
        credit_pair(g, u, w, found, f);
      }
    });
  });
  add_triples(mine, total);
}

/// A block per long list: it marks the list in its own bitmap, and its warps look the others up.
template <class E, class F>
__global__ void __launch_bounds__(kBlock)
    intersect_marked(E a, E b, PairRange range, F f, const VertexId* marked,
                     const unsigned long long* marked_count, std::uint32_t* bitmaps,
                     std::size_t words, unsigned long long* total) {
  std::uint32_t* const marks = bitmaps + blockIdx.x * words;
  const WarpLanes g;
  unsigned long long mine = 0;
  const auto count = static_cast<std::uint32_t>(*marked_count);
  for (std::uint32_t k = blockIdx.x; k < count; k += gridDim.x) {
    const VertexId u = marked[k];
    const auto list = whole_list(a, u);
    for (std::uint32_t i = threadIdx.x; i < list.size; i += kBlock) {
      const VertexId w = list.target(i);
      AtomicRef(marks[w >> 5]).fetch_or(1u << (w & 31));
    }
    __syncthreads();
    for (std::uint32_t i = threadIdx.x / 32; i < list.size; i += kWarps) {
      const VertexId v = list.target(i);
      if (v < range.b_first || v >= range.b_last) continue;
      const auto found = marked_common(g, marks, whole_list(b, v), [&](VertexId x) {
        if constexpr (F::kCredits) f.credit(x, 1);
      });
      mine += found;
      credit_pair(g, u, v, found, f);
    }
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < list.size; i += kBlock)
      AtomicRef(marks[list.target(i) >> 5]).store(0);
    __syncthreads();
  }
  add_triples(mine, total);
}

template <class F>
std::uint64_t intersect(const PairPass& pass, EdgeId all_edges, VertexId vertices, const F& f) {
  if (all_edges == 0) return 0;
  Gpu& gpu = *pass.device.gpu();
  const std::size_t words = (static_cast<std::size_t>(vertices) + 31) / 32;
  // As many bitmaps as an eighth of the free memory holds, no more than keep the device busy.
  const auto wanted = static_cast<std::size_t>(gpu.multiprocessors()) * 4;
  const std::size_t fit = gpu.memory()->available() / 8 / (words * 4);
  const std::size_t blocks = fit < 1 ? 1 : fit < wanted ? fit : wanted;
  Array<std::uint32_t> bitmaps(blocks * words, gpu.memory());
  Array<VertexId> marked(static_cast<std::size_t>(all_edges / kMarkFrom) + 1, gpu.memory());
  Array<unsigned long long> counts(2, gpu.memory());  // marked lists, triples
  check(cudaMemsetAsync(bitmaps.data(), 0, bitmaps.size() * 4, gpu.stream()), "clearing bitmaps");
  check(cudaMemsetAsync(counts.data(), 0, counts.size() * 8, gpu.stream()), "clearing counters");
  const PairRange range{pass.a_first, pass.a_last, pass.b_first, pass.b_last};
  FrontierRef all;
  all.universe = vertices;
  auto launch = [&]<class E>(const E& a, const E& b) {
    const auto lists = intersect_lists<E, F>;
    lists<<<gpu.grid(reinterpret_cast<const void*>(lists)), kBlock, 0, gpu.stream()>>>(
        a, b, range, all, f, marked.data(), counts.data(), counts.data() + 1);
    intersect_marked<E, F><<<static_cast<unsigned>(blocks), kBlock, 0, gpu.stream()>>>(
        a, b, range, f, marked.data(), counts.data(), bitmaps.data(), words, counts.data() + 1);
  };
  using Cached = CachedEdges<FlatEdges>;
  if (std::holds_alternative<Cached>(pass.a))
    launch(std::get<Cached>(pass.a), std::get<Cached>(pass.b));
  else
    launch(std::get<FlatEdges>(pass.a), std::get<FlatEdges>(pass.b));
  check(cudaGetLastError(), "starting intersect");
  unsigned long long found = 0;
  gpu.copy(&found, counts.data() + 1, sizeof(found));
  return found;
}

}  // namespace fathom::cuda
