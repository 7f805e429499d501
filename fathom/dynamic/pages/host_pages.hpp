// A plain pool of power-of-two pages in host memory: free pages of each size on a stack, new ones
// from a border, behind which nothing was handed out.
#pragma once

#include <atomic>
#include <mutex>

#include "fathom/core/atomic.hpp"
#include "fathom/dynamic/pages/page_store.hpp"
#include "fathom/dynamic/pages/reserved_memory.hpp"

namespace fathom::dynamic {

inline constexpr int kPageSizes = 32;  // 16 B to 32 GiB

/// What HostPages keeps of its state where any thread reaches it.
///
/// Invariants: stack[k] is {tag, first free page of 2^k units, kNoPage: none}; the first word of a
/// free page is the next one; the tag changes with every pop and push, so that a page that went and
/// came back meanwhile is noticed. Units below `border` are on a stack, handed out, or lost.
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
    const int k = size_class(bytes);
    if (k >= kPageSizes) return kNoPage;
    if (const std::uint32_t page = pop(k); page != kNoPage) return page;
    if (const std::uint32_t page = advance_border(std::uint64_t{1} << k); page != kNoPage)
      return page;
    for (int larger = k + 1; larger < kPageSizes; ++larger) {
      const std::uint32_t page = pop(larger);
      if (page == kNoPage) continue;
      // Halves that are not needed go back.
      for (int half = larger - 1; half >= k; --half) push(half, page + (1u << half));
      return page;
    }
    return kNoPage;
  }

  FATHOM_HD void free(std::uint32_t page, std::uint64_t bytes) const {
    push(size_class(bytes), page);
  }

  FATHOM_HD static int size_class(std::uint64_t bytes) { return page_size_class(bytes); }

 private:
  FATHOM_HD static std::uint64_t head_of(std::uint64_t old, std::uint32_t page) {
    return ((old >> 32) + 1) << 32 | page;
  }
  FATHOM_HD std::uint32_t& link(std::uint32_t page) const {
    return region[std::size_t{page} * (kDynamicUnit / 4)];
  }
  FATHOM_HD std::uint32_t pop(int k) const {
    const AtomicRef head(state->stack[k]);
    std::uint64_t old = head.load(Order::Acquire);
    while (true) {
      const auto page = static_cast<std::uint32_t>(old);
      if (page == kNoPage) return kNoPage;
      const std::uint32_t next = AtomicRef(link(page)).load();
      if (head.compare_exchange(old, head_of(old, next))) return page;
      old = head.load(Order::Acquire);  // whose page has its link
    }
  }
  FATHOM_HD void push(int k, std::uint32_t page) const {
    const AtomicRef head(state->stack[k]);
    std::uint64_t old = head.load();
    do {
      AtomicRef(link(page)).store(static_cast<std::uint32_t>(old));
    } while (!head.compare_exchange(old, head_of(old, page)));
  }
  /// Pages begin at a multiple of their size up to 128 bytes, so that none straddles lines that it
  /// need not; what is skipped for that becomes smaller pages.
  FATHOM_HD std::uint32_t advance_border(std::uint64_t units) const {
    const std::uint64_t align = units < 8 ? units : 8;
    const AtomicRef border(state->border);
    std::uint64_t old = border.load();
    std::uint64_t first;
    do {
      first = (old + align - 1) / align * align;
      if (first + units > limit) return kNoPage;
    } while (!border.compare_exchange(old, first + units));
    for (std::uint64_t at = old; at < first;) {
      int k = 0;
      while ((at >> k & 1) == 0 && at + (std::uint64_t{2} << k) <= first) ++k;
      push(k, static_cast<std::uint32_t>(at));
      at += std::uint64_t{1} << k;
    }
    return static_cast<std::uint32_t>(first);
  }
};
static_assert(Allocator<const PoolRef>);

/// Joins free pages that lie side by side, to be divided anew, and moves the border back to the
/// last page that is handed out. While nobody asks for pages or gives some back. Costs a sort of
/// all free pages; does nothing where there is no memory for that.
void FATHOM_API join_free_pages(std::uint32_t* region, PoolState& state) noexcept;

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
  PoolRef allocator() { return {region(), &state_, memory_.counted() / kDynamicUnit}; }
  std::uint64_t fill(std::span<PageRequest> requests, SizeClasses classes, int threads);
  std::uint64_t fill_largest_first(std::span<PageRequest> requests, int threads);
  void give_back(std::span<PageRequest> requests) noexcept;
  bool fill_with_all(std::span<PageRequest> requests);

  ReservedMemory memory_;
  PoolState state_;
  std::mutex single_;  // who has it takes a page or gives one back while lists are written
  std::atomic<std::size_t> used_{0};
  std::atomic<std::uint64_t> pages_{0};
};

}  // namespace fathom::dynamic
