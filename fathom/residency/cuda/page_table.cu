#include "fathom/residency/cuda/page_table.hpp"

#include <algorithm>

#include "fathom/core/atomic.hpp"
#include "fathom/core/lanes.hpp"
#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/residency/paged/page_lines.hpp"

namespace fathom::cuda {
namespace {

constexpr unsigned kBlock = 256;

/// Lines that positions [first, last) of one page touch, at most `most`.
__device__ std::uint32_t entry_lines(EdgeId first, EdgeId last, std::uint32_t most) {
  return lines_of(first * sizeof(VertexId), last * sizeof(VertexId), most);
}

/// counts[page] += count for the lanes that have `any`: a warp whose lanes mean the same page adds
/// once. All lanes call it.
__device__ void add_for_warp(const WarpLanes& g, bool any, EdgeId page, std::uint32_t count,
                             std::uint32_t* counts, const PageDeal& deal, std::uint32_t turn) {
  const std::uint32_t holders = g.ballot(any);
  if (holders == 0) return;
  const auto first_holder = static_cast<std::uint32_t>(__ffs(static_cast<int>(holders)) - 1);
  const EdgeId common = __shfl_sync(~0u, page, static_cast<int>(first_holder));
  if (g.ballot(any && page != common) == 0) {
    count = reduce(g, any ? count : 0, [](std::uint32_t a, std::uint32_t b) { return a + b; });
    if (g.rank() == first_holder && deal.device_of(common) == turn)
      atomicAdd(counts + common, count);
  } else if (any && deal.device_of(page) == turn) {
    atomicAdd(counts + page, count);
  }
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
    const EdgeId page = list.pos >> page_shift;
    const EdgeId border = (page + 1) << page_shift;
    const std::uint32_t mine =
        any ? entry_lines(list.pos, list.end < border ? list.end : border, most) : 0;
    add_for_warp(g, any, page, mine, lines, deal, turn);
    for (EdgeId from = border; any && from < list.end; from += EdgeId{1} << page_shift) {
      if (deal.device_of(from >> page_shift) != turn) continue;
      const EdgeId to = from + (EdgeId{1} << page_shift);
      atomicAdd(lines + (from >> page_shift),
                entry_lines(from, to < list.end ? to : list.end, most));
    }
  }
}

// Likewise; a list's further pages have no other lists on them.
__global__ void __launch_bounds__(kBlock)
    count_slotted(FrontierRef active, const EdgeId* offset, EdgeId limit, std::uint32_t most,
                  SlottedEdges pages, std::uint32_t* lines) {
  const WarpLanes g;
  const std::uint64_t threads = std::uint64_t{gridDim.x} * kBlock;
  const std::uint64_t tiles = (std::uint64_t{active.universe} + 31) / 32 * 32;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{kBlock} + threadIdx.x; i < tiles;
       i += threads) {
    const auto v = static_cast<VertexId>(i);
    EdgeId first = 0;
    std::uint32_t mine = 0;
    if (i < active.universe && (active.form == FrontierRef::Form::All || active.contains(v)))
      for_each_slotted_piece(pages, v, offset[v + 1] - offset[v], limit,
                             [&](std::uint32_t page, std::uint64_t bytes) {
                               const std::uint32_t its = lines_of(0, bytes, most);
                               if (mine > 0) {
                                 atomicAdd(lines + page, its);
                               } else {
                                 first = page;
                                 mine = its;
                               }
                             });
    add_for_warp(g, mine > 0, first, mine, lines, PageDeal{}, 0);
  }
}

__global__ void __launch_bounds__(kBlock)
    update(const PageEntry* updates, std::size_t count, PageTable table) {
  for (std::size_t i = blockIdx.x * std::size_t{kBlock} + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * kBlock) {
    const PageEntry u = updates[i];
    table.data[u.page] = u.data;
    if (table.weight) table.weight[u.page] = u.weight;
  }
}

/// Sets bits [first, last]. Most are set already.
__device__ void set_bits(std::uint64_t* wanted, EdgeId first, EdgeId last) {
  for (EdgeId page = first; page <= last; ++page) {
    auto& word = reinterpret_cast<unsigned long long&>(wanted[page / 64]);
    const unsigned long long bit = 1ull << (page % 64);
    if ((AtomicRef(word).load() & bit) == 0) atomicOr(&word, bit);
  }
}

/// A thread a vertex: each(v) of those that are active.
template <class Each>
__device__ void for_each_active(const FrontierRef& active, const Each& each) {
  const std::uint64_t threads = std::uint64_t{gridDim.x} * kBlock;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{kBlock} + threadIdx.x; i < active.universe;
       i += threads)
    if (const auto v = static_cast<VertexId>(i);
        active.form == FrontierRef::Form::All || active.contains(v))
      each(v);
}

__global__ void __launch_bounds__(kBlock)
    mark_flat(FrontierRef active, const EdgeId* offset, EdgeId limit, std::uint32_t page_shift,
              std::uint64_t* wanted) {
  for_each_active(active, [&](VertexId v) {
    const EdgeCursor list = fathom::detail::list_of(offset, v, limit);
    if (list.pos < list.end) set_bits(wanted, list.pos >> page_shift, (list.end - 1) >> page_shift);
  });
}

__global__ void __launch_bounds__(kBlock)
    mark_slotted(FrontierRef active, const EdgeId* offset, EdgeId limit, SlottedEdges pages,
                 std::uint64_t* wanted) {
  for_each_active(active, [&](VertexId v) {
    const SlottedPages its =
        slotted_pages_of(pages.rvt, pages.capacity, v, offset[v + 1] - offset[v], limit);
    if (its.count > 0) set_bits(wanted, its.first, its.first + its.count - 1);
  });
}

template <class... Parameters, class... Arguments>
void start(const Gpu& gpu, const char* what, void (*kernel)(Parameters...),
           const Arguments&... arguments) {
  kernel<<<gpu.grid(reinterpret_cast<const void*>(kernel)), kBlock, 0, gpu.stream()>>>(
      arguments...);
  check(cudaGetLastError(), what);
}

}  // namespace

void count_lines(const Gpu& gpu, const FrontierRef& active, const EdgeId* offset, EdgeId first,
                 std::uint32_t most, std::uint32_t page_shift, const PageDeal& deal,
                 std::uint32_t turn, std::uint32_t* lines) {
  count<<<gpu.grid(reinterpret_cast<const void*>(count)), kBlock, 0, gpu.stream()>>>(
      active, offset, first, most, page_shift, deal, turn, lines);
  check(cudaGetLastError(), "counting the lines of pages");
}

void count_lines(const Gpu& gpu, const FrontierRef& active, const EdgeId* offset, EdgeId first,
                 std::uint32_t most, const SlottedEdges& pages, std::uint32_t* lines) {
  start(gpu, "counting the lines of pages", count_slotted, active, offset, first, most, pages,
        lines);
}

void mark_pages(const Gpu& gpu, const FrontierRef& active, const EdgeId* offset, EdgeId first,
                std::uint32_t page_shift, std::uint64_t* wanted) {
  start(gpu, "marking pages", mark_flat, active, offset, first, page_shift, wanted);
}

void mark_pages(const Gpu& gpu, const FrontierRef& active, const EdgeId* offset, EdgeId first,
                const SlottedEdges& pages, std::uint64_t* wanted) {
  start(gpu, "marking pages", mark_slotted, active, offset, first, pages, wanted);
}

void update_pages(const Gpu& gpu, const PageEntry* updates, std::size_t size,
                  const PageTable& table) {
  if (size == 0) return;
  const std::size_t wanted = (size + kBlock - 1) / kBlock;
  const auto blocks = static_cast<unsigned>(std::min<std::size_t>(wanted, 256));
  update<<<blocks, kBlock, 0, gpu.stream()>>>(updates, size, table);
  check(cudaGetLastError(), "updating the page table");
}

}  // namespace fathom::cuda
