// Pages of a manager one by one, while others take some and give some back: for kernels that change
// lists themselves, and for the loops of the host that do.
#pragma once

#include "fathom/dynamic/pages/arenas.hpp"
#include "fathom/dynamic/pages/live_arena.hpp"

// Kernels have it once and call it: lists ask for pages in many places, and a manager in each of
// them would take nvcc minutes.
#if defined(__CUDACC__)
#define FATHOM_HD_CALLED __host__ __device__ __noinline__
#else
#define FATHOM_HD_CALLED inline
#endif

namespace fathom::dynamic {

/// Which arena serves a size, and when none had anything. Managers take and give at the same time;
/// they take their time to say that there is nothing, so that nobody asks again before something
/// has come.
struct SingleTurns {
  struct OfSize {
    std::uint32_t arena = 0;   // that had a page last
    std::uint64_t dry_at = 0;  // `gains` when none had any
  };
  std::uint32_t arenas = 0;
  std::uint64_t gains = 1;  // how often pages may have come to be there
  OfSize of[memory::kClasses];

  /// For the owner, while nobody asks: so many arenas, the last of which has more than before.
  void grown(std::uint32_t now) {
    arenas = now;
    for (OfSize& its : of) its = {now - 1};
  }
};

/// Pages of up to 1 MiB.
template <class Manager>
struct SinglePages {
  ArenasView<Manager> of;
  SingleTurns* turns;

  FATHOM_HD std::uint32_t allocate(std::uint64_t bytes) const {
    const int k = page_size_class(bytes);
    SingleTurns::OfSize& its = turns->of[k];
    // Before the arenas are asked: what comes back meanwhile counts as later.
    const std::uint64_t gains = AtomicRef(turns->gains).load();
    if (AtomicRef(its.dry_at).load() == gains) return kNoPage;
    const std::uint32_t arenas = turns->arenas, first = AtomicRef(its.arena).load();
    for (std::uint32_t i = 0; i < arenas; ++i) {
      const std::uint32_t which = (first + i) % arenas, page = of.take(which, k);
      if (page == kNoPage) continue;
      if (i != 0) AtomicRef(its.arena).store(which);
      return page;
    }
    AtomicRef(its.dry_at).store(gains);
    return kNoPage;
  }
  FATHOM_HD void free(std::uint32_t page, std::uint64_t) const {
    of.give(page, turns->arenas);
    AtomicRef(turns->gains).fetch_add(std::uint64_t{1});
  }
};
static_assert(Allocator<const SinglePages<memory::Ouroboros<memory::SP>>>);

/// What a LiveArena is to a pool: pages of more than 1 MiB from one, which counts all, the others
/// from a manager. Trivially copyable.
template <class Manager>
struct LiveArenas {
  LiveArena large;
  SinglePages<Manager> small;

  FATHOM_HD_CALLED std::uint32_t allocate(std::uint64_t bytes) const {
    if (bytes > memory::kMostBytes) return large.allocate(bytes);
    const std::uint32_t page = small.allocate(bytes);
    if (page != kNoPage) large.count_handed(page_size_class(bytes));
    return page;
  }
  FATHOM_HD_CALLED void free(std::uint32_t page, std::uint64_t bytes) const {
    if (bytes > memory::kMostBytes) return large.free(page, bytes);
    small.free(page, bytes);
    large.count_returned(page_size_class(bytes));
  }
};
static_assert(Allocator<const LiveArenas<memory::Ouroboros<memory::SP>>>);

#undef FATHOM_HD_CALLED

}  // namespace fathom::dynamic
