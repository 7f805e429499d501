// Where the pages of a graph that changes come from: the one interface that a memory manager has to
// offer, in bulk, since pages are asked for between the phases of a batch.
#pragma once

#include <bit>
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

/// Pages that a list has left, still in snapshots: those of epochs [written, left).
struct RetiredPage {
  PageRequest page;
  std::uint32_t written, left;
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

  /// One page, beside other threads that do the same: of what is free and within what reserve()
  /// has brought, as nothing grows meanwhile. With free(), an Allocator.
  virtual std::uint32_t allocate(std::uint64_t bytes) noexcept = 0;
  virtual void free(std::uint32_t page, std::uint64_t bytes) noexcept = 0;
  /// Grows so that pages of so many bytes can be had beside those that are free now, though not of
  /// every size. @throws Error(DoesNotFit); a manager keeps what it has got by then.
  virtual void reserve(std::size_t bytes, int threads) = 0;
  /// Counts `bytes` against the budget again, or as little more as its pages allow: what they were
  /// taken for was given up.
  virtual void shrink_to(std::size_t bytes) noexcept = 0;

  virtual PageStatistics statistics() const = 0;
};

static_assert(Allocator<PageStore&>);

/// The number of the smallest page that holds `bytes`: it has 2^k units.
FATHOM_HD int page_size_class(std::uint64_t bytes) {
  if (bytes <= kDynamicUnit) return 0;
  const std::uint64_t last = (bytes - 1) / kDynamicUnit;
#if defined(__CUDA_ARCH__)
  return 64 - __clzll(static_cast<long long>(last));
#else
  return static_cast<int>(std::bit_width(last));
#endif
}

/// The size of the page that holds `bytes`: a power of two.
FATHOM_HD std::uint64_t page_bytes_for(std::uint64_t bytes) {
  return std::uint64_t{kDynamicUnit} << page_size_class(bytes);
}

}  // namespace fathom::dynamic
