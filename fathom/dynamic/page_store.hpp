// Where the pages of a graph that changes come from: the one interface that a memory manager has to
// offer, in bulk, since pages are asked for between the phases of a batch.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>

#include "fathom/core/platform.hpp"
#include "fathom/residency/dynamic_edges.hpp"

namespace fathom::dynamic {

/// A page that is asked for, or given back. `page` is in units of kDynamicUnit from the region.
struct PageRequest {
  std::uint64_t bytes = 0;  // 0: none
  std::uint32_t page = kNoPage;
};

struct PageStatistics {
  std::size_t used_bytes = 0;      // of pages handed out, as large as they were made
  std::size_t reserved_bytes = 0;  // counted against the budget
  std::uint64_t pages = 0;         // handed out now
};

/// What code that runs beside other lanes needs: allocate(bytes) gives kNoPage when there is no
/// page; free(page, bytes) takes one back. Both at any time from any thread.
template <class A>
concept Allocator = requires(A a, std::uint32_t page, std::uint64_t bytes) {
  { a.allocate(bytes) } -> std::same_as<std::uint32_t>;
  { a.free(page, bytes) } -> std::same_as<void>;
};

/// An owner of a region and its allocator.
class FATHOM_API PageStore {
 public:
  virtual ~PageStore() = default;

  /// Where page 0 is; never changes.
  virtual std::uint32_t* region() const = 0;

  /// Fills in the page of each request, growing if need be. Pages hold anything.
  /// @throws Error(DoesNotFit) when one cannot be had; every page of the others is then back.
  virtual void allocate(std::span<PageRequest> requests, int threads) = 0;
  virtual void free(std::span<const PageRequest> pages, int threads) noexcept = 0;

  virtual PageStatistics statistics() const = 0;
};

/// The size of the page that holds `bytes`: a power of two.
FATHOM_HD std::uint64_t page_bytes_for(std::uint64_t bytes) {
  std::uint64_t size = kDynamicUnit;
  while (size < bytes) size *= 2;
  return size;
}

}  // namespace fathom::dynamic
