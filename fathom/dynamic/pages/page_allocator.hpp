// The allocators that pages of a graph that changes may come from.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "fathom/core/memory_pool.hpp"
#include "fathom/dynamic/pages/page_store.hpp"

namespace fathom {

/// By the names of chapter 5 of Winter's thesis: what the queues of the manager hold (pages,
/// chunks) and where they lie (an array; virtualised: an array of chunks, or linked chunks).
enum class PageAllocator : std::uint8_t {
  Pool,  // a stack per size and a border that only grows
  SP,
  SC,
  VAP,
  VAC,
  VLP,
  VLC,
  Cuda,  // malloc and free in kernels (CudaGraph, section 6.2): of graphs in a GPU's memory alone.
         // The process has one such heap per GPU, as large as its first graph asks for (at most 32
         // GiB and half of what the budget has left), and keeps it
};

/// All of them, in their order.
FATHOM_API std::span<const PageAllocator> page_allocators();
/// pool, s-p, s-c, va-p, va-c, vl-p, vl-c, cuda.
FATHOM_API std::string_view name_of(PageAllocator allocator);
/// @throws Error(Usage) for what is none of these names.
FATHOM_API PageAllocator page_allocator(std::string_view name);

namespace dynamic {

struct SingleTurns;

/// The manager of the pages of a graph in a GPU's memory, for kernels that take some themselves:
/// what LiveArenas is made of. `Pool`: there is none, all pages are a LiveArena's.
struct LiveManager {
  PageAllocator allocator = PageAllocator::Pool;
  std::byte* region = nullptr;
  const void* arena = nullptr;  // of the Arena<Manager> of that allocator
  SingleTurns* turns = nullptr;
};

/// Pages in host memory: at most `limit` bytes, with the tables of a manager, which count against
/// `pool` as they are used. @throws Error(DoesNotFit) when so many addresses cannot be had,
/// Error(Usage) for an allocator that the host does not have.
FATHOM_API std::unique_ptr<PageStore> make_host_pages(PageAllocator allocator, std::size_t limit,
                                                      const std::shared_ptr<MemoryPool>& pool);

}  // namespace dynamic
}  // namespace fathom
