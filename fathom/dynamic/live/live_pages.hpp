// What the lanes that change lists at the same time share: locks, where pages come from, and what
// is counted.
#pragma once

#include "fathom/core/atomic.hpp"
#include "fathom/core/lanes.hpp"
#include "fathom/dynamic/pages/live_arena.hpp"

namespace fathom::dynamic {

/// A lane group whose votes order memory too: what a lane wrote before one is seen by the others
/// after it. What other groups write meanwhile lanes may see at different times: where all have to
/// do the same, one looks, and tells.
template <LaneGroup G>
class OrderedLanes {
 public:
  FATHOM_HD explicit OrderedLanes(const G& group) : group_(group) {}
  FATHOM_HD std::uint32_t rank() const { return group_.rank(); }
  FATHOM_HD std::uint32_t size() const { return group_.size(); }
  FATHOM_HD std::uint32_t ballot(bool b) const {
    fence();
    const std::uint32_t votes = group_.ballot(b);
    fence();
    return votes;
  }
  FATHOM_HD std::uint32_t shfl(std::uint32_t x, std::uint32_t lane) const {
    return group_.shfl(x, lane);
  }
  /// What the first lane has seen, to all; with it, what it says has been written.
  FATHOM_HD std::uint32_t from_first(std::uint32_t x) const {
    fence();
    x = group_.shfl(x, 0);
    fence();
    return x;
  }
  /// Waits for other groups, `failed` times so far.
  FATHOM_HD void back_off(std::uint32_t failed) const {
#if defined(__CUDA_ARCH__)
    __nanosleep(32u << (failed < 6 ? failed : 6));
#else
    static_cast<void>(failed);
    if constexpr (requires { group_.wait(); })
      group_.wait();  // a test's lanes, which are no threads
    else
      pause();
#endif
  }

 private:
  FATHOM_HD static void fence() {
#if defined(__CUDA_ARCH__)
    __threadfence_block();
#endif
  }
  G group_;
};

/// A lock that a lane group has while this lives. Made and gone by all lanes together.
///
/// One lane tries, and waits for longer the more often it has failed; the others wait in a vote.
/// Whoever waits keeps nobody from going on: GPUs since Volta schedule the threads of a warp
/// independently, and host threads yield.
template <LaneGroup G>
class LiveLock {
 public:
  FATHOM_HD LiveLock(const OrderedLanes<G>& group, std::uint32_t& word)
      : group_(group), word_(&word) {
    if (group_.rank() == 0) {
      const AtomicRef lock(*word_);
      for (std::uint32_t failed = 0;; ++failed) {
        std::uint32_t free = 0;
        if (lock.load() == 0 && lock.compare_exchange(free, 1u)) break;
        group_.back_off(failed);
      }
    }
    group_.ballot(true);
  }
  LiveLock(const LiveLock&) = delete;
  LiveLock& operator=(const LiveLock&) = delete;
  FATHOM_HD ~LiveLock() {
    group_.ballot(true);
    if (group_.rank() == 0) AtomicRef(*word_).store(0u, Order::Release);
  }

 private:
  const OrderedLanes<G>& group_;
  std::uint32_t* word_;
};

inline constexpr std::uint32_t kLiveCounts = 64;  // by the lowest bits of a vertex

/// What the changes of a phase have come to; of an undirected graph each edge counts once.
struct alignas(64) LiveCounts {
  std::uint64_t inserted = 0, overwritten = 0, ignored = 0, removed = 0, missing = 0;
  std::uint64_t no_memory = 0, no_vertex = 0;
  std::uint64_t loops = 0;  // inserted less removed, modulo 2^64
  std::uint64_t new_vertices = 0, no_index = 0;

  LiveCounts& operator+=(const LiveCounts& c) {
    inserted += c.inserted;
    overwritten += c.overwritten;
    ignored += c.ignored;
    removed += c.removed;
    missing += c.missing;
    no_memory += c.no_memory;
    no_vertex += c.no_vertex;
    loops += c.loops;
    new_vertices += c.new_vertices;
    no_index += c.no_index;
    return *this;
  }
  /// What the lists of a direction have more, modulo 2^64.
  std::uint64_t entries(bool directed) const {
    return directed ? inserted - removed : 2 * (inserted - removed) - loops;
  }
};

/// What all lists of a phase share. Trivially copyable. `A`: an Allocator for pages in a GPU's
/// memory, a LiveArena unless a manager has them.
template <class A>
struct LivePages {
  A arena;
  PageStore* store;      // of pages in host memory
  LiveCounts* counts;    // [kLiveCounts]
  RetiredPage* retired;  // has room for every page of a snapshot
  std::uint32_t* retired_count;

  /// By one lane. kNoPage when there is none.
  FATHOM_HD std::uint32_t allocate(std::uint64_t bytes) const {
#if !defined(__CUDA_ARCH__)
    if (store != nullptr) return store->allocate(bytes);
#endif
    return arena.allocate(bytes);
  }
  FATHOM_HD void free(std::uint32_t page, std::uint64_t bytes) const {
#if !defined(__CUDA_ARCH__)
    if (store != nullptr) return store->free(page, bytes);
#endif
    arena.free(page, bytes);
  }
  /// By one lane: a list has left a page that it had since epoch `written`; now is `epoch`.
  FATHOM_HD void leave(PageRequest page, std::uint32_t written, std::uint32_t epoch,
                       std::uint32_t pinned) const {
    if (written > pinned)
      free(page.page, page.bytes);
    else
      retired[AtomicRef(*retired_count).fetch_add(1u)] = {page, written, epoch};
  }
};
static_assert(Allocator<const LivePages<LiveArena>>);

}  // namespace fathom::dynamic
