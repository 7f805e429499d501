#include "fathom/residency/cuda/hints.hpp"

#include "fathom/core/lanes.hpp"
#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::cuda {
namespace {

constexpr unsigned kBlock = 256;

struct Best {
  EdgeId degree;
  VertexId vertex;
  std::uint32_t padding;  // moved between lanes in whole words
};

/// The longer list wins, then the smaller vertex: no dependence on order.
__device__ Best better(const Best& a, const Best& b) {
  if (a.degree != b.degree) return a.degree > b.degree ? a : b;
  return a.vertex < b.vertex ? a : b;
}

// A warp a vertex. Hubs hold up one warp each, once per graph.
template <class E>
__global__ void __launch_bounds__(kBlock) find(E edges, VertexId vertices, VertexId* hint) {
  const WarpLanes g;
  const std::uint64_t warps = std::uint64_t{gridDim.x} * (kBlock / 32);
  for (std::uint64_t i = blockIdx.x * (kBlock / 32) + threadIdx.x / 32; i < vertices; i += warps) {
    const auto u = static_cast<VertexId>(i);
    Best best{0, kNoVertex, 0};
    auto cursor = edges.begin(u);
    typename E::Span s;
    while (next_span(g, edges, cursor, s)) {
      const std::uint32_t lead = s.lead() % 32;
      for (std::uint32_t base = 0; base < s.size + lead; base += 32) {
        const std::uint32_t at = base + g.rank() - lead;
        if (at >= s.size) continue;
        const VertexId v = s.target(at);
        const EdgeCursor its = edges.begin(v);
        best = better(best, {its.end - its.pos, v, 0});
      }
    }
    best = reduce(g, best, [](const Best& a, const Best& b) { return better(a, b); });
    if (g.rank() == 0) hint[u] = best.vertex;
  }
}

}  // namespace

template <class E>
void find_hints(const Gpu& gpu, const E& edges, VertexId vertices, VertexId* hint) {
  if (vertices == 0) return;
  const auto kernel = find<E>;
  kernel<<<gpu.grid(reinterpret_cast<const void*>(kernel)), kBlock, 0, gpu.stream()>>>(
      edges, vertices, hint);
  gpu.wait();
}

template void find_hints(const Gpu&, const FlatEdges&, VertexId, VertexId*);
template void find_hints(const Gpu&, const NarrowEdges&, VertexId, VertexId*);
template void find_hints(const Gpu&, const PackedEdges&, VertexId, VertexId*);
template void find_hints(const Gpu&, const CachedEdges<FlatEdges>&, VertexId, VertexId*);
template void find_hints(const Gpu&, const InterleavedEdges&, VertexId, VertexId*);
template void find_hints(const Gpu&, const PagedEdges&, VertexId, VertexId*);
template void find_hints(const Gpu&, const SlottedEdges&, VertexId, VertexId*);
template void find_hints(const Gpu&, const CachedEdges<InterleavedEdges>&, VertexId, VertexId*);
template void find_hints(const Gpu&, const CachedEdges<NarrowEdges>&, VertexId, VertexId*);

}  // namespace fathom::cuda
