#include "fathom/residency/cuda/page_table.hpp"

#include <algorithm>

#include "fathom/core/lanes.hpp"
#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::cuda {
namespace {

constexpr unsigned kBlock = 256;
constexpr EdgeId kLineEdges = 128 / sizeof(VertexId);

/// Lines that positions [first, last) of one page touch, at most `most`.
__device__ std::uint32_t lines_of(EdgeId first, EdgeId last, std::uint32_t most) {
  const EdgeId lines = (last - 1) / kLineEdges - first / kLineEdges + 1;
  return lines < most ? static_cast<std::uint32_t>(lines) : most;
}

// A thread a vertex. Neighbours are mostly on the same page: a warp then adds once.
__global__ void __launch_bounds__(kBlock)
    count(FrontierRef active, const EdgeId* offset, EdgeId limit, std::uint32_t most,
          std::uint32_t page_shift, PageDeal deal, std::uint32_t turn, std::uint32_t* lines) {
  const WarpLanes g;
  const std::uint64_t threads = std::uint64_t{gridDim.x} * kBlock;
  const std::uint64_t tiles = (std::uint64_t{active.universe} + 31) / 32 * 32;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{kBlock} + threadIdx.x; i < tiles;
       i += threads) {
    const auto v = static_cast<VertexId>(i);
    EdgeCursor list{0, 0};
    if (i < active.universe && (active.form == FrontierRef::Form::All || active.contains(v)))
      list = fathom::detail::list_of(offset, v, limit);
    const bool any = list.pos < list.end;
    const std::uint32_t holders = g.ballot(any);
    if (holders == 0) continue;
    const EdgeId page = list.pos >> page_shift;
    const auto first_holder = static_cast<std::uint32_t>(__ffs(static_cast<int>(holders)) - 1);
    const EdgeId common = __shfl_sync(~0u, page, static_cast<int>(first_holder));
    const EdgeId border = (page + 1) << page_shift;
    std::uint32_t mine = any ? lines_of(list.pos, list.end < border ? list.end : border, most) : 0;
    if (g.ballot(any && page != common) == 0) {
      mine = reduce(g, mine, [](std::uint32_t a, std::uint32_t b) { return a + b; });
      if (g.rank() == first_holder && deal.device_of(common) == turn)
        atomicAdd(lines + common, mine);
    } else if (any && deal.device_of(page) == turn) {
      atomicAdd(lines + page, mine);
    }
    for (EdgeId from = border; any && from < list.end; from += EdgeId{1} << page_shift) {
      if (deal.device_of(from >> page_shift) != turn) continue;
      const EdgeId to = from + (EdgeId{1} << page_shift);
      atomicAdd(lines + (from >> page_shift), lines_of(from, to < list.end ? to : list.end, most));
    }
  }
}

__global__ void __launch_bounds__(kBlock) update(const PageUpdate* updates, std::size_t count,
                                                 const VertexId** target, const Weight** weight) {
  for (std::size_t i = blockIdx.x * std::size_t{kBlock} + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * kBlock) {
    const PageUpdate u = updates[i];
    target[u.page] = u.target;
    if (weight) weight[u.page] = u.weight;
  }
}

}  // namespace

void count_lines(const Gpu& gpu, const FrontierRef& active, const EdgeId* offset, EdgeId first,
                 std::uint32_t most, std::uint32_t page_shift, const PageDeal& deal,
                 std::uint32_t turn, std::uint32_t* lines) {
  count<<<gpu.grid(reinterpret_cast<const void*>(count)), kBlock, 0, gpu.stream()>>>(
      active, offset, first, most, page_shift, deal, turn, lines);
  check(cudaGetLastError(), "counting the lines of pages");
}

void update_pages(const Gpu& gpu, const PageUpdate* updates, std::size_t size,
                  const VertexId** target, const Weight** weight) {
  if (size == 0) return;
  const std::size_t wanted = (size + kBlock - 1) / kBlock;
  const auto blocks = static_cast<unsigned>(std::min<std::size_t>(wanted, 256));
  update<<<blocks, kBlock, 0, gpu.stream()>>>(updates, size, target, weight);
  check(cudaGetLastError(), "updating the page table");
}

}  // namespace fathom::cuda
