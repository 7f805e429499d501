// Pages for kernels that change lists themselves: what a BulkPool has free, and what lies behind
// its border, are an arena's for as long as they run. Any lane takes pages and gives some back, at
// any time, without a lock.
#pragma once

#include "fathom/dynamic/pages/live_splitter.hpp"

namespace fathom::dynamic {

/// Invariants: stack[k][s] is the head of a PageStack of free pages of 2^k units; stacked[k] pages
/// are on the stacks of a size; page[k][0 .. left[k]) are free too. Units from `border` to `limit`
/// are free.
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
    const int k = page_size_class(bytes);
    if (k >= kPageSizes) return kNoPage;
    const std::uint32_t page = take_page(*this, k);
    if (page != kNoPage) count_handed(k);
    return page;
  }
  FATHOM_HD void free(std::uint32_t page, std::uint64_t bytes) const {
    const int k = page_size_class(bytes);
    push(k, page);
    count_returned(k);
  }
  /// A page of 2^k units was handed out, or came back.
  FATHOM_HD void count_handed(int k) const {
    AtomicRef(state->handed[k]).fetch_add(std::uint64_t{1});
  }
  FATHOM_HD void count_returned(int k) const {
    AtomicRef(state->returned[k]).fetch_add(std::uint64_t{1});
  }

  /// Takes a page off stack `stripe`; kNoPage when it is empty.
  FATHOM_HD std::uint32_t pop(int k, std::uint32_t stripe) const {
    const std::uint32_t page = stack(k, stripe).pop();
    if (page != kNoPage) AtomicRef(state->stacked[k]).fetch_add(~0u);
    return page;
  }

  // What take_page() asks for.
  FATHOM_HD std::uint32_t pop(int k) const {
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
    stack(k, (page * 2654435761u >> 16) % LiveArenaState::kStripes).push(page);
    AtomicRef(state->stacked[k]).fetch_add(1u);
  }
  FATHOM_HD std::uint32_t advance(std::uint64_t units) const {
    return advance_border(*this, state->border, AtomicRef(state->limit).load(), units);
  }

 private:
  FATHOM_HD PageStack stack(int k, std::uint32_t stripe) const {
    return {region, &state->stack[k][stripe]};
  }
  FATHOM_HD static std::uint32_t own_stripe() {
#if defined(__CUDA_ARCH__)
    return (blockIdx.x * 5 + threadIdx.x / 32) % LiveArenaState::kStripes;
#else
    return 0;
#endif
  }
};
static_assert(Allocator<const LiveArena>);

}  // namespace fathom::dynamic
