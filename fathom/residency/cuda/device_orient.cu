// The array of all targets is compacted: an entry is kept when it leads up in the order by
// (degree, id), so that kept entries of a list stay together and in order. Entries are dealt out in
// tiles, whoever's they are: no list is too long.
#include "fathom/residency/cuda/device_orient.hpp"

#include "fathom/core/atomic.hpp"
#include "fathom/core/lanes.hpp"
#include "fathom/exec/cuda/array_ops.hpp"
#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/residency/orient_needs.hpp"

namespace fathom::cuda {
namespace {

constexpr unsigned kBlock = 256;
constexpr EdgeId kTile = detail::kOrientTile;
constexpr std::uint32_t kTileWords = kTile / 32;
static_assert(kTileWords == 32, "a lane holds a word of its warp's tile");

struct Lists {
  const EdgeId* offset;
  const VertexId* target;
  VertexId vertices;
  EdgeId edges;

  __device__ EdgeId tiles() const { return (edges + kTile - 1) / kTile; }
  /// Neither a loop nor a duplicate.
  __device__ bool is_simple(EdgeId e, VertexId u) const {
    const VertexId v = target[e];
    return v != u && (e == offset[u] || target[e - 1] != v);
  }
  /// Whose list holds entry e; offset[low] <= e < offset[high].
  __device__ VertexId source(EdgeId e, VertexId low, VertexId high) const {
    while (high - low > 1) {
      const VertexId middle = low + (high - low) / 2;
      (offset[middle] <= e ? low : high) = middle;
    }
    return low;
  }
  /// The same, by a warp together.
  __device__ VertexId source_by_warp(EdgeId e, VertexId low, VertexId high) const {
    while (high - low > 1) {
      const VertexId step = (high - low - 1) / 32 + 1;
      const std::uint64_t probe = low + std::uint64_t{step} * (threadIdx.x % 32);
      const std::uint32_t before = __ballot_sync(~0u, probe < high && offset[probe] <= e);
      low += step * static_cast<VertexId>(31 - __clz(static_cast<int>(before)));
      high = high - low > step ? low + step : high;
    }
    return low;
  }
};

__device__ EdgeId warp_index() {
  return (EdgeId{blockIdx.x} * kBlock + threadIdx.x) / 32;
}
__device__ EdgeId warp_count() {
  return EdgeId{gridDim.x} * (kBlock / 32);
}
__device__ std::size_t thread_index() {
  return std::size_t{blockIdx.x} * kBlock + threadIdx.x;
}
__device__ std::size_t thread_count() {
  return std::size_t{gridDim.x} * kBlock;
}

/// Calls body(e, u) for each entry e of a tile and its source u, a warp together for 32 entries in
/// a row; u is kNoVertex past the end.
template <class Body>
__device__ void for_entries(const Lists& lists, EdgeId tile, const Body& body) {
  const EdgeId first = tile * kTile;
  const EdgeId end = first + kTile < lists.edges ? first + kTile : lists.edges;
  VertexId low = lists.source_by_warp(first, 0, lists.vertices);
  const VertexId high = lists.source_by_warp(end - 1, low, lists.vertices) + 1;
  for (EdgeId base = first; base < end; base += 32) {
    const EdgeId e = base + threadIdx.x % 32;
    const VertexId u = e < end ? lists.source(e, low, high) : kNoVertex;
    body(e, u);
    if (base + 32 < end) low = __shfl_sync(~0u, u, 31);
  }
}

__global__ void __launch_bounds__(kBlock) count_entries(Lists lists, VertexId* degree) {
  for (std::size_t u = thread_index(); u < lists.vertices; u += thread_count())
    degree[u] = static_cast<VertexId>(lists.offset[u + 1] - lists.offset[u]);
}

__global__ void __launch_bounds__(kBlock) subtract_others(Lists lists, VertexId* degree) {
  for (EdgeId tile = warp_index(); tile < lists.tiles(); tile += warp_count())
    for_entries(lists, tile, [&](EdgeId e, VertexId u) {
      if (u != kNoVertex && !lists.is_simple(e, u))
        AtomicRef(degree[u]).fetch_add(~VertexId{0});  // one less
    });
}

/// A bit for each entry, and how many of each tile are kept.
__global__ void __launch_bounds__(kBlock)
    mark_kept(Lists lists, const VertexId* degree, std::uint32_t* kept, std::uint64_t* count) {
  for (EdgeId tile = warp_index(); tile < lists.tiles(); tile += warp_count()) {
    std::uint32_t mine = 0, sum = 0;
    for_entries(lists, tile, [&](EdgeId e, VertexId u) {
      bool up = false;
      if (u != kNoVertex && lists.is_simple(e, u)) {
        const VertexId v = lists.target[e], of_u = degree[u], of_v = degree[v];
        up = of_u < of_v || (of_u == of_v && u < v);
      }
      const std::uint32_t word = __ballot_sync(~0u, up);
      if (e / 32 % kTileWords == threadIdx.x % 32) mine = word;
      sum += static_cast<std::uint32_t>(__popc(word));
    });
    kept[tile * kTileWords + threadIdx.x % 32] = mine;
    if (threadIdx.x % 32 == 0) count[tile] = sum;
  }
}

__global__ void __launch_bounds__(kBlock)
    copy_kept(Lists lists, const std::uint32_t* kept, const std::uint64_t* before, VertexId* to) {
  const std::uint32_t lane = threadIdx.x % 32;
  for (EdgeId tile = warp_index(); tile < lists.tiles(); tile += warp_count()) {
    const std::uint32_t mine = kept[tile * kTileWords + lane];
    auto upto = static_cast<std::uint32_t>(__popc(mine));
    for (std::uint32_t step = 1; step < 32; step *= 2) {
      const std::uint32_t other = __shfl_up_sync(~0u, upto, step);
      if (lane >= step) upto += other;
    }
    EdgeId at = before[tile];
    for (std::uint32_t k = 0; k < kTileWords; ++k) {
      const std::uint32_t word = __shfl_sync(~0u, mine, static_cast<int>(k));
      if ((word >> lane & 1) != 0)
        to[at + static_cast<std::uint32_t>(__popc(word & ((1u << lane) - 1)))] =
            lists.target[tile * kTile + k * 32 + lane];
      at = before[tile] + __shfl_sync(~0u, upto, static_cast<int>(k));
    }
  }
}

__global__ void __launch_bounds__(kBlock)
    find_offsets(Lists lists, const std::uint32_t* kept, const std::uint64_t* before,
                 EdgeId* offset) {
  for (std::size_t u = thread_index(); u <= lists.vertices; u += thread_count()) {
    const EdgeId e = lists.offset[u], tile = e / kTile;
    EdgeId sum = before[tile];
    for (EdgeId w = tile * kTileWords; w < e / 32; ++w)
      sum += static_cast<std::uint32_t>(__popc(kept[w]));
    if (e % 32 != 0) sum += static_cast<std::uint32_t>(__popc(kept[e / 32] & ((1u << e % 32) - 1)));
    offset[u] = sum;
  }
}

}  // namespace

OrientedArrays orient_by_degree(Gpu& gpu, const FlatEdges& out, VertexId vertices, EdgeId edges) {
  const auto& pool = gpu.memory();
  const Lists lists{out.offset, out.target, vertices, edges};
  const std::size_t tiles = detail::OrientNeeds::tiles(edges);
  const auto launch = [&](auto kernel, auto... arguments) {
    kernel<<<gpu.grid(reinterpret_cast<const void*>(kernel)), kBlock, 0, gpu.stream()>>>(
        lists, arguments...);
    check(cudaGetLastError(), "starting to orient edges");
  };
  OrientedArrays oriented;
  oriented.offset = Array<EdgeId>(vertices + std::size_t{1}, pool);
  Array<VertexId> degree(vertices, pool);
  Array<std::uint32_t> kept(tiles * kTileWords, pool);
  Array<std::uint64_t> count(tiles + 1, pool), before(tiles + 1, pool);
  check(cudaMemsetAsync(count.data() + tiles, 0, sizeof(std::uint64_t), gpu.stream()),
        "clearing a count");
  launch(count_entries, degree.data());
  launch(subtract_others, degree.data());
  launch(mark_kept, static_cast<const VertexId*>(degree.data()), kept.data(), count.data());
  ArrayScratch scratch(pool);
  exclusive_sum(scratch, count.data(), before.data(), tiles + 1, gpu.stream());
  EdgeId all = 0;
  gpu.copy(&all, before.data() + tiles, sizeof(all));
  oriented.target = Array<VertexId>(all, pool);
  const std::uint32_t* const bits = kept.data();
  const std::uint64_t* const sums = before.data();
  launch(copy_kept, bits, sums, oriented.target.data());
  launch(find_offsets, bits, sums, oriented.offset.data());
  gpu.wait();
  return oriented;
}

}  // namespace fathom::cuda
