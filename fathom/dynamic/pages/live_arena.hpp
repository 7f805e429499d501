// Pages for kernels that change lists themselves: what a BulkPool has free, and what lies behind
// its border, are an arena's for as long as they run. Any lane takes pages and gives some back, at
// any time, without a lock.
#pragma once

#include "fathom/dynamic/pages/bulk_pool.hpp"

namespace fathom::dynamic {

/// Invariants: stack[k][s] is {tag, first free page of 2^k units, kNoPage: none}, as in PoolState;
/// stacked[k] pages are on the stacks of a size; page[k][0 .. left[k]) are free too. Units from
/// `border` to `limit` are free.
struct LiveArenaState {
  static constexpr std::uint32_t kStripes = 16;  // stacks of a size, so that few meet at one

  std::uint64_t stack[kPageSizes][kStripes];
  std::uint64_t border = 0, limit = 0;  // units
  const std::uint32_t* page[kPageSizes] = {};
  std::uint32_t left[kPageSizes] = {};
  std::uint32_t stacked[kPageSizes] = {};
  // To and by who asks, however often: no page is handed out 2^64 times.
  std::uint64_t handed[kPageSizes] = {}, returned[kPageSizes] = {};

  LiveArenaState() {
    for (auto& of_size : stack)
      for (std::uint64_t& head : of_size) head = kNoPage;
  }
};

/// Trivially copyable. On the host for tests: whoever writes a page of a size and whoever takes one
/// of that size touch the same word, which is a race between threads of C++, though not one that
/// changes what comes out.
struct LiveArena {
  std::uint32_t* region;
  LiveArenaState* state;

  FATHOM_HD std::uint32_t allocate(std::uint64_t bytes) const {
    const int k = PoolRef::size_class(bytes);
    if (k >= kPageSizes) return kNoPage;
    const std::uint32_t page = find(k);
    if (page != kNoPage) AtomicRef(state->handed[k]).fetch_add(std::uint64_t{1});
    return page;
  }
  FATHOM_HD void free(std::uint32_t page, std::uint64_t bytes) const {
    const int k = PoolRef::size_class(bytes);
    push(k, page);
    AtomicRef(state->returned[k]).fetch_add(std::uint64_t{1});
  }

  /// Takes a page off stack `stripe`; kNoPage when it is empty.
  FATHOM_HD std::uint32_t pop(int k, std::uint32_t stripe) const {
    const AtomicRef head(state->stack[k][stripe]);
    while (true) {
      std::uint64_t old = head.load(Order::Acquire);
      const auto page = static_cast<std::uint32_t>(old);
      if (page == kNoPage) return kNoPage;
      // Anything, if somebody else takes the page meanwhile: the tag tells.
      const std::uint32_t next = AtomicRef(link(page)).load();
      if (!head.compare_exchange(old, head_of(old, next))) continue;
      AtomicRef(state->stacked[k]).fetch_add(~0u);
      return page;
    }
  }

 private:
  FATHOM_HD static std::uint64_t head_of(std::uint64_t old, std::uint32_t page) {
    return ((old >> 32) + 1) << 32 | page;
  }
  FATHOM_HD std::uint32_t& link(std::uint32_t page) const {
    return region[std::size_t{page} * (kDynamicUnit / 4)];
  }
  FATHOM_HD static std::uint32_t own_stripe() {
#if defined(__CUDA_ARCH__)
    return (blockIdx.x * 5 + threadIdx.x / 32) % LiveArenaState::kStripes;
#else
    return 0;
#endif
  }

  FATHOM_HD std::uint32_t find(int k) const {
    std::uint32_t page = of_size(k);
    if (page == kNoPage) page = advance_border(std::uint64_t{1} << k);
    for (int larger = k + 1; page == kNoPage && larger < kPageSizes; ++larger) {
      page = of_size(larger);
      if (page == kNoPage) continue;
      // Halves that are not needed go back.
      for (int half = larger - 1; half >= k; --half) push(half, page + (1u << half));
    }
    return page;
  }
  FATHOM_HD std::uint32_t of_size(int k) const {
    if (AtomicRef(state->stacked[k]).load() != 0) {
      const std::uint32_t first = own_stripe();
      for (std::uint32_t s = 0; s < LiveArenaState::kStripes; ++s) {
        const std::uint32_t page = pop(k, (first + s) % LiveArenaState::kStripes);
        if (page != kNoPage) return page;
      }
    }
    const AtomicRef left(state->left[k]);
    std::uint32_t n = left.load();
    while (n != 0)
      if (left.compare_exchange(n, n - 1)) return state->page[k][n - 1];
    return kNoPage;
  }
  FATHOM_HD void push(int k, std::uint32_t page) const {
    const AtomicRef head(state->stack[k][(page * 2654435761u >> 16) % LiveArenaState::kStripes]);
    std::uint64_t old = head.load();
    do {
      AtomicRef(link(page)).store(static_cast<std::uint32_t>(old));
    } while (!head.compare_exchange(old, head_of(old, page)));
    AtomicRef(state->stacked[k]).fetch_add(1u);
  }
  /// Pages begin where BulkPoolRef has them begin; what is skipped for that becomes smaller pages.
  FATHOM_HD std::uint32_t advance_border(std::uint64_t units) const {
    const std::uint64_t align = units < 8 ? units : 8;
    const std::uint64_t limit = AtomicRef(state->limit).load();
    const AtomicRef border(state->border);
    std::uint64_t old = border.load(), first;
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
static_assert(Allocator<const LiveArena>);

}  // namespace fathom::dynamic
