// Managers of fathom/memory one below the other in one region, as one allocator of pages: the same
// handle for host threads and kernels, and what an owner of such a region does when more is needed.
//
// A manager's tables have their size from the beginning, but a graph grows: managers are stacked
// from the end of the region on (arenas, each as large as all before it), while what else its owner
// keeps there grows from its beginning. Nothing moves.
//
//   | the owner's ->            free            <- arena 2 | arena 1 | arena 0 |
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "fathom/core/atomic.hpp"
#include "fathom/core/error.hpp"
#include "fathom/dynamic/pages/page_split.hpp"
#include "fathom/memory/ouroboros.hpp"

namespace fathom::dynamic {

template <class Manager>
struct Arena {
  Manager manager;
  std::uint64_t begin = 0;   // bytes from the region
  std::uint64_t usable = 0;  // units that chunks may take; the owner's knowledge
  std::uint64_t units() const { return manager.heap().layout.units; }
};

/// Which arena serves a size: one after the other from `first` on, `tried` have nothing.
struct ArenaTurn {
  std::uint32_t first = 0;
  std::uint32_t tried = 0;
  std::uint64_t missing = 0;  // pages that nobody had

  /// Before a phase in which pages are asked for.
  FATHOM_HD void begin(std::uint32_t arenas) {
    if (arenas != 0) first = (first + (tried < arenas ? tried : 0)) % arenas;
    tried = 0;
    missing = 0;
  }
};

/// The arenas of a region: pages of up to 1 MiB of any of them, and where one goes back to. Beside
/// others who take some or give some back; on a device threads that run together do so by the
/// operations of one.
template <class Manager>
struct ArenasView {
  std::byte* region;
  const Arena<Manager>* arena;  // descending by address

  /// A page of 2^k units; kNoPage where the arena has none.
  FATHOM_HD std::uint32_t take(std::uint32_t which, int k) const {
    const void* const p =
        arena[which].manager.malloc(callers(which), std::uint64_t{kDynamicUnit} << k);
    if (p == nullptr) return kNoPage;
    return static_cast<std::uint32_t>(
        static_cast<std::uint64_t>(static_cast<const std::byte*>(p) - region) / kDynamicUnit);
  }
  FATHOM_HD void give(std::uint32_t page, std::uint32_t arenas) const {
    const std::uint64_t at = std::uint64_t{page} * kDynamicUnit;
    std::uint32_t its = 0, end = arenas - 1;
    while (its < end) {
      const std::uint32_t middle = (its + end) / 2;
      if (arena[middle].begin > at)
        its = middle + 1;
      else
        end = middle;
    }
    arena[its].manager.free(callers(its), region + at);
  }

 private:
  /// Those who come together to the same arena: the lanes of a group are those of one manager.
  FATHOM_HD static memory::Callers callers([[maybe_unused]] std::uint32_t of) {
#if defined(__CUDA_ARCH__)
    return memory::Callers().split(of);
#else
    return {};
#endif
  }
};

/// Pages for phases that either take some or give some back: an arena that has nothing for one who
/// asks is passed over until the next phase.
template <class Manager>
struct ArenasRef {
  ArenasView<Manager> of;
  std::uint32_t arenas;
  ArenaTurn* turn;  // [kPageSizes]

  FATHOM_HD std::uint32_t allocate(std::uint64_t bytes) const {
    const int k = page_size_class(bytes);
    const AtomicRef tried(turn[k].tried);
    std::uint32_t at = tried.load();
    while (at < arenas) {
      const std::uint32_t page = of.take((turn[k].first + at) % arenas, k);
      if (page != kNoPage) return page;
      if (tried.compare_exchange(at, at + 1)) ++at;
    }
    AtomicRef(turn[k].missing).fetch_add(std::uint64_t{1});
    return kNoPage;
  }
  FATHOM_HD void free(std::uint32_t page, std::uint64_t) const { of.give(page, arenas); }
};
static_assert(Allocator<const ArenasRef<memory::Ouroboros<memory::SP>>>);

/// Units of the chunks that pages of these numbers come from: missing(k) of class k.
template <class Missing>
std::uint64_t units_for(const Missing& missing) {
  std::uint64_t units = 0;
  for (std::uint32_t k = 0; k < memory::kClasses; ++k) {
    const std::uint64_t each = memory::pages_of(k);
    units += (missing(k) + each - 1) / each * memory::units_of(memory::level_of(k));
  }
  return units;
}

/// The arenas of a region, in the memory of a Site, which says what the host and a GPU do not have
/// in common:
///
///   step()                   arenas begin at multiples of so many bytes
///   left()                   bytes that may still be claimed, as far as the site knows
///   claim(begin)             there is memory from `begin` to what was claimed before, at first the
///                            end of the region; returns from where on there is some, at most
///                            `begin`. @throws Error(DoesNotFit), with nothing changed
///   reset(manager, bytes)    makes the tables of a manager with so many usable bytes
///   limit(manager, units)    lets a manager use so many units
///
/// Invariant: all that the arenas but the last may take is claimed.
template <class Manager>
class ArenaStack {
 public:
  static constexpr std::size_t kMost = 256;

  /// Of a region of `bytes` at `region`, a multiple of the site's step.
  ArenaStack(std::byte* region, std::uint64_t bytes) : region_(region), bottom_(bytes) {
    arena_.reserve(kMost);
  }

  std::span<const Arena<Manager>> all() const { return arena_; }
  /// Where the arenas begin, in bytes from the region: what lies before is the owner's.
  std::uint64_t bottom() const { return bottom_; }

  /// Has the last arena, or a new one, serve `units` more, where the first `front` bytes of the
  /// region are the owner's. Returns false when there are no addresses for them.
  /// @throws Error(DoesNotFit) when there is no memory.
  template <class Site>
  bool grow(Site& site, std::uint64_t units, std::uint64_t front) {
    if (!arena_.empty() && arena_.back().usable < arena_.back().units()) {
      widen(site, arena_.back(), units);
      return true;
    }
    return add(site, units, front);
  }

 private:
  static constexpr std::uint64_t kLeast = 128;  // units: one chunk of the largest pages

  /// Queues that lie in chunks take some too.
  static constexpr std::uint64_t with_queues(std::uint64_t units) { return units + units / 8 + 4; }

  /// Of at least so many units: as many as fit into the steps that these take.
  static memory::Layout layout_of(std::uint64_t units, std::uint64_t step) {
    const auto make = [](std::uint64_t n) {
      return memory::make_layout<Manager>({n * memory::kChunkBytes});
    };
    const memory::Layout least = make(units);
    const std::uint64_t whole = (least.bytes + step - 1) / step * step;
    std::uint64_t more = (whole - least.bytes) / memory::kChunkBytes;
    while (more != 0) {
      const memory::Layout layout = make(units + more);
      if (layout.bytes <= whole) return layout;
      const std::uint64_t over =
          (layout.bytes - whole + memory::kChunkBytes - 1) / memory::kChunkBytes;
      more -= std::min(more, over);
    }
    return least;
  }

  /// Claims from `least` to `ideal` units below `end`. Returns how many there are now.
  template <class Site>
  static std::uint64_t claim(Site& site, std::uint64_t end, std::uint64_t least,
                             std::uint64_t ideal) {
    while (true) {
      try {
        return (end - site.claim(end - ideal * memory::kChunkBytes)) / memory::kChunkBytes;
      } catch (const Error& e) {
        if (e.code() != ErrorCode::DoesNotFit || ideal <= least) throw;
        ideal = std::max(least, ideal / 2);
      }
    }
  }

  template <class Site>
  void widen(Site& site, Arena<Manager>& arena, std::uint64_t units) {
    const std::uint64_t room = arena.units() - arena.usable;
    const std::uint64_t ideal = std::min(room, std::max(with_queues(units), arena.usable / 8));
    arena.usable = claim(site, arena.begin + arena.units() * memory::kChunkBytes,
                         arena.usable + std::min(room, units), arena.usable + ideal);
    site.limit(arena.manager, arena.usable);
  }

  template <class Site>
  bool add(Site& site, std::uint64_t units, std::uint64_t front) {
    if (arena_.size() == kMost) return false;
    std::uint64_t before = 0;
    for (const Arena<Manager>& a : arena_) before += a.units();
    // Half of what is left stays free for the owner.
    const std::uint64_t most = std::min(bottom_ - front, site.left()) / 2 / memory::kChunkBytes;
    for (std::uint64_t size =
             std::max(with_queues(units), std::min(std::max(before, kLeast), most));
         ; size = std::max(units, size - (size + 7) / 8)) {
      const memory::Layout layout = layout_of(size, site.step());
      if (layout.bytes + site.step() > bottom_ - front) {
        if (size == units) return false;
        continue;
      }
      try {
        place(site, layout, units);
        return true;
      } catch (const Error& e) {
        // The tables of a smaller one may leave room for its chunks.
        if (e.code() != ErrorCode::DoesNotFit || size == units) throw;
      }
    }
  }

  template <class Site>
  void place(Site& site, const memory::Layout& layout, std::uint64_t units) {
    Arena<Manager> arena;
    arena.begin = (bottom_ - layout.bytes) / site.step() * site.step();
    arena.usable = claim(site, arena.begin + layout.units * memory::kChunkBytes, units,
                         std::min(with_queues(units), layout.units));
    arena.manager = Manager(region_ + arena.begin, layout);
    site.reset(arena.manager, arena.usable * memory::kChunkBytes);
    bottom_ = arena.begin;
    arena_.push_back(arena);
  }

  std::byte* region_;
  std::uint64_t bottom_;
  std::vector<Arena<Manager>> arena_;  // descending by address
};

}  // namespace fathom::dynamic
