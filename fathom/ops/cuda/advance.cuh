// Kernels of advance (push): expand() over the lists of a frontier, shared out by length.
#pragma once

#include "fathom/ops/cuda/operators.hpp"
#include "fathom/ops/cuda/walk.cuh"
#include "fathom/ops/expand.hpp"

namespace fathom::cuda {

/// Sets the bit of every accepted vertex.
struct EmitBit {
  std::uint32_t* bits;  // null: nothing is collected
  template <class G>
  __device__ void operator()(const G&, VertexId v, bool keep) const {
    if (!keep || !bits) return;
    const std::uint32_t bit = 1u << (v & 31);
    const AtomicRef word(bits[v >> 5]);
    if ((word.load() & bit) == 0) word.fetch_or(bit);
  }
};

template <class E, class F>
__global__ void __launch_bounds__(kBlock)
    advance_lists(E edges, FrontierRef in, VertexId first, VertexId last, F f, EmitBit emit,
                  HubQueue hubs, Manner how) {
  __shared__ unsigned char slots[kBlock];
  LinkMeter meter = meter_of(how.link);
  WalkMemory<E> memory;
  const auto warp = warp_for<E>(how, meter, memory);
  unsigned char* const slot = slots + threadIdx.x / 32 * 32;
  for_tiles(in, first, last, [&](VertexId v) {
    share_lists<kByTiles<E>>(
        warp, v, list_or_put_off(edges, v, hubs).list, how.short_lists_by_tile, slot,
        [&](const auto& g, VertexId u, const auto& its) { expand(g, edges, its, u, f, emit); });
  });
  report<E>(meter, how.link);
}

template <class E, class F>
__global__ void __launch_bounds__(kBlock)
    advance_hubs(E edges, F f, EmitBit emit, HubQueue hubs, Manner how) {
  LinkMeter meter = meter_of(how.link);
  WalkMemory<E> memory;
  const auto warp = warp_for<E>(how, meter, memory);
  const std::uint32_t pieces = hubs.pieces();
  for (std::uint32_t p = warp_index(); p < pieces; p += warp_count()) {
    const std::uint32_t hub = hubs.hub_of(p);
    const VertexId u = hubs.vertex[hub];
    expand(warp, edges, piece(edges.begin(u), p - hubs.first_piece[hub]), u, f, emit);
  }
  report<E>(meter, how.link);
}

/// A functor for sweeps that show so few edges of each list that a thread walks it declares
/// `static constexpr bool kFewEdges = true`.
template <class F>
inline constexpr bool kFewEdges = false;
template <class F>
requires requires {
  F::kFewEdges;
}
inline constexpr bool kFewEdges<F> = F::kFewEdges;

/// A thread walks its own list, as a straightforward kernel would (EMOGI's naive pattern).
template <class E, class F>
__global__ void __launch_bounds__(kBlock)
    advance_naively(E edges, FrontierRef in, VertexId first, VertexId last, F f, EmitBit emit,
                    LinkWindow link) {
  LinkMeter meter = meter_of(link);
  const MeteredLane lane{{}, link.counts ? &meter : nullptr};
  for_tiles(in, first, last, [&](VertexId v) {
    if (v != kNoVertex) expand(lane, edges, edges.begin(v), v, f, emit);
  });
  report<E>(meter, link);
}

template <class E, class F>
void launch_naively(const Pass& pass, const E& edges, const FrontierRef& in, const F& f,
                    EmitBit emit) {
  const Gpu& gpu = *pass.device.gpu();
  const auto kernel = advance_naively<E, F>;
  kernel<<<gpu.grid(reinterpret_cast<const void*>(kernel)), kBlock, 0, gpu.stream()>>>(
      edges, in, pass.first, pass.last, f, emit, pass.link);
}

template <class E, class F>
void launch_advance(const Pass& pass, const E& edges, EdgeId all_edges, const FrontierRef& in,
                    const F& f, EmitBit emit) {
  Gpu& gpu = *pass.device.gpu();
  const auto hubs = HubQueue::make(gpu, gpu.scratch(HubQueue::bytes(all_edges)), all_edges);
  const auto lists = advance_lists<E, F>;
  lists<<<gpu.grid(reinterpret_cast<const void*>(lists)), kBlock, 0, gpu.stream()>>>(
      edges, in, pass.first, pass.last, f, emit, hubs, manner_of(pass));
  const auto pieces = advance_hubs<E, F>;
  pieces<<<gpu.grid(reinterpret_cast<const void*>(pieces)), kBlock, 0, gpu.stream()>>>(
      edges, f, emit, hubs, manner_of(pass));
}

template <class F>
void advance(const Pass& pass, EdgeId all_edges, const FrontierRef& in, const F& f,
             std::uint64_t* out) {
  const EmitBit emit{reinterpret_cast<std::uint32_t*>(out)};
  std::visit(
      [&](const auto& edges) {
        using E = std::remove_cvref_t<decltype(edges)>;
        if constexpr (!kShown<E, F>) {
          fail_as_not_shown();
        } else if constexpr (kFewEdges<F> && !CollectiveView<E>) {
          launch_naively(pass, edges, in, f, emit);
        } else {
          if constexpr (kStreamed<E>)
            if (pass.technique == Technique::VertexCentric)
              return launch_naively(pass, edges, in, f, emit);
          if constexpr (kEveryPattern<E>)
            if (pass.access == Access::Naive) return launch_naively(pass, edges, in, f, emit);
          launch_advance(pass, edges, all_edges, in, f, emit);
        }
      },
      pass.edges);
  check(cudaGetLastError(), "starting advance");
}

}  // namespace fathom::cuda
