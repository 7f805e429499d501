#include "fathom/residency/cuda/hints.hpp"

#include "fathom/core/error.hpp"
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
__global__ void __launch_bounds__(kBlock)
    find(E edges, VertexId first, VertexId last, VertexId* hint) {
  const WarpLanes g;
  const std::uint64_t warps = std::uint64_t{gridDim.x} * (kBlock / 32);
  for (std::uint64_t i = first + blockIdx.x * (kBlock / 32) + threadIdx.x / 32; i < last;
       i += warps) {
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

template <class E>
void start(const Gpu& gpu, const E& edges, VertexRange of, VertexId* hint) {
  const auto kernel = find<E>;
  kernel<<<gpu.grid(reinterpret_cast<const void*>(kernel)), kBlock, 0, gpu.stream()>>>(
      edges, of.first, of.last, hint);
}

}  // namespace

void find_hints(const Gpu& gpu, const AnyEdges& edges, VertexRange of, VertexId* hint) {
  if (of.size() == 0) return;
  std::visit(
      [&](const auto& its) {
        using E = std::remove_cvref_t<decltype(its)>;
        if constexpr (std::is_same_v<E, DynamicEdges> || std::is_same_v<E, FilteredEdges>)
          throw Error(ErrorCode::Internal, "no hints are found in lists of this layout");
        else
          start(gpu, its, of, hint);
      },
      edges);
  gpu.wait();
}

}  // namespace fathom::cuda
