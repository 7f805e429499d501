// A plain pool of power-of-two pages in host memory: free pages of each size on stacks, new ones
// from a border, behind which nothing was handed out. Each worker of a batch has stacks of its own:
// where all took pages from one, two threads took longer than one.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <mutex>

#include "fathom/dynamic/pages/live_splitter.hpp"
#include "fathom/dynamic/pages/reserved_memory.hpp"

namespace fathom::dynamic {

/// What HostPages keeps of its state where any thread reaches it.
///
/// Invariants: stack[k] is the head of the PageStack of free pages of 2^k units. Units below
/// `border` are on a stack, handed out, or lost.
struct PoolState {
  std::uint64_t stack[kPageSizes];
  std::uint64_t border = 0;  // in units
};

/// Trivially copyable: the allocator of kernels. Pages are filled by no one while pages are
/// asked for or given back: phases of a batch do either.
struct PoolRef {
  std::uint32_t* region;
  PoolState* state;
  std::uint64_t limit;  // units that the border may reach

  FATHOM_HD std::uint32_t allocate(std::uint64_t bytes) const {
    const int k = page_size_class(bytes);
    return k < kPageSizes ? take_page(*this, k) : kNoPage;
  }
  FATHOM_HD void free(std::uint32_t page, std::uint64_t bytes) const {
    push(page_size_class(bytes), page);
  }

  // What take_page() asks for.
  FATHOM_HD std::uint32_t pop(int k) const { return stack(k).pop(); }
  FATHOM_HD void push(int k, std::uint32_t page) const { stack(k).push(page); }
  FATHOM_HD std::uint32_t advance(std::uint64_t units) const {
    return advance_border(*this, state->border, limit, units);
  }

 private:
  FATHOM_HD PageStack stack(int k) const { return {region, &state->stack[k]}; }
};
static_assert(Allocator<const PoolRef>);

/// Free pages that a worker of HostPages has for itself, as long as it has some and nobody else
/// needs them: heads as those of PoolState, on lines of their own.
struct alignas(128) OwnStacks {
  OwnStacks() { std::fill(std::begin(stack), std::end(stack), std::uint64_t{kNoPage}); }
  std::uint64_t stack[kPageSizes];
};

/// Joins free pages that lie side by side, those of `own` too, to be divided anew, and moves the
/// border back to the last page that is handed out. While nobody asks for pages or gives some back.
/// Costs a sort of all free pages; does nothing where there is no memory for that.
void FATHOM_API join_free_pages(std::uint32_t* region, PoolState& state,
                                std::span<OwnStacks> own = {}) noexcept;

/// Pages of 2^first to 2^last units.
struct SizeClasses {
  int first = 0, last = 64;
};

class FATHOM_API HostPages final : public PageStore {
 public:
  /// At most `limit` bytes, which count against `pool` as they are used.
  /// @throws Error(DoesNotFit) when so many addresses cannot be had.
  HostPages(std::size_t limit, const std::shared_ptr<MemoryPool>& pool);

  std::uint32_t* region() const override {
    return reinterpret_cast<std::uint32_t*>(memory_.data());
  }
  void allocate(std::span<PageRequest> requests, int threads) override;
  void free(std::span<const PageRequest> pages, int threads) noexcept override;
  std::uint32_t allocate(std::uint64_t bytes) noexcept override;
  void free(std::uint32_t page, std::uint64_t bytes) noexcept override;
  void reserve(std::size_t bytes, int threads) override;
  void shrink_to(std::size_t bytes) noexcept override;
  PageStatistics statistics() const override { return {used_, memory_.counted(), pages_}; }

 private:
  struct OfWorker;
  static constexpr std::size_t kWorkers = 32;  // more of them share stacks

  PoolRef pool() { return {region(), &state_, memory_.counted() / kDynamicUnit}; }
  std::uint64_t fill(std::span<PageRequest> requests, SizeClasses classes, int threads);
  std::uint64_t fill_largest_first(std::span<PageRequest> requests, int threads);
  void give_back(std::span<PageRequest> requests) noexcept;
  bool fill_with_all(std::span<PageRequest> requests);

  ReservedMemory memory_;
  PoolState state_;
  std::array<OwnStacks, kWorkers> own_;
  std::mutex single_;  // who has it takes a page or gives one back while lists are written
  std::atomic<std::size_t> used_{0};
  std::atomic<std::uint64_t> pages_{0};
};

}  // namespace fathom::dynamic
