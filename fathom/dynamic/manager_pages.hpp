// Pages in host memory from one of the managers of fathom/memory: up to 1 MiB each from the
// manager, larger ones from a pool.
//
// A manager's tables have their size from the beginning, but a graph grows: managers are stacked
// one below the other from the end of the region on (arenas, each as large as all before it), while
// the pool grows from its beginning. Nothing moves.
//
//   | pool ->            free            <- arena 2 | arena 1 | arena 0 |
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/core/units.hpp"
#include "fathom/dynamic/host_pages.hpp"
#include "fathom/memory/inspect.hpp"

namespace fathom::dynamic {

/// Invariants: pool_bytes_ <= bottom_, where the arenas begin; counted_ is what the pool may use
/// and what the arenas do (tables, and chunks up to their limits), and counts in memory_.
template <class Manager>
class ManagerPages final : public PageStore {
 public:
  /// @throws Error(DoesNotFit) when so many addresses cannot be had.
  ManagerPages(std::size_t limit, const std::shared_ptr<MemoryPool>& pool)
      : memory_(std::min(limit, kMostAddresses), pool),
        bottom_(memory_.limit() / memory::kChunkBytes * memory::kChunkBytes) {
    std::fill(std::begin(state_.stack), std::end(state_.stack), std::uint64_t{kNoPage});
    arena_.reserve(kMostArenas);
  }

  std::uint32_t* region() const override {
    return reinterpret_cast<std::uint32_t*>(memory_.data());
  }

  void allocate(std::span<PageRequest> requests, int threads) override {
    for (PageRequest& r : requests) r.page = kNoPage;
    try {
      // Who asks beside others may have found nothing where there is something.
      while (fill(requests, threads) && fill(requests, 1)) grow(threads);
    } catch (const Error&) {
      give_back(requests, threads);
      for (PageRequest& r : requests) r.page = kNoPage;
      throw;
    }
    count(requests, true);
  }

  void free(std::span<const PageRequest> pages, int threads) noexcept override {
    give_back(pages, threads);
    count(pages, false);
  }

  PageStatistics statistics() const override { return {used_, memory_.counted(), pages_}; }

  /// Whether all invariants of the managers hold. While nobody asks for pages.
  bool valid() const {
    return std::all_of(arena_.begin(), arena_.end(), [](const Arena& a) {
      return memory::valid(a.manager) == memory::Broken::None;
    });
  }
  std::size_t arenas() const { return arena_.size(); }

 private:
  static constexpr std::size_t kPagesAtOnce = 256;
  static constexpr std::size_t kMostArenas = 256;
  static constexpr std::uint64_t kLeastArena = 128;  // units: one chunk of the largest pages
  // 2^32 units less one, whose number means that there is no page.
  static constexpr std::size_t kMostAddresses = (std::size_t{kNoPage} - 1) * kDynamicUnit;

  struct Arena {
    Manager manager;
    std::uint64_t begin = 0;   // bytes from the region
    std::uint64_t usable = 0;  // units that chunks may take
    std::uint64_t units() const { return manager.heap().layout.units; }
  };

  /// Which arena serves a class: one after the other from `first` on, `tried` have nothing.
  struct Turn {
    std::uint32_t first = 0;
    std::atomic<std::uint32_t> tried{0};
    std::atomic<std::uint64_t> missing{0};  // pages
  };

  PoolRef pool() { return {region(), &state_, pool_bytes_ / kDynamicUnit}; }

  /// Gives every request a page that has none. Returns whether some are missing: turn_ and
  /// missing_large_ say how many.
  bool fill(std::span<PageRequest> requests, int threads) {
    for (Turn& t : turn_) {
      const auto n = static_cast<std::uint32_t>(arena_.size());
      if (n != 0) t.first = (t.first + (t.tried < n ? t.tried.load() : 0)) % n;
      t.tried = 0;
      t.missing = 0;
    }
    missing_large_ = 0;
    const PoolRef large = pool();
    parallel_for(threads, requests.size(), kPagesAtOnce, [&](std::size_t a, std::size_t b, int) {
      for (std::size_t i = a; i < b; ++i) {
        PageRequest& r = requests[i];
        if (r.bytes == 0 || r.page != kNoPage) continue;
        if (r.bytes <= memory::kMostBytes) {
          r.page = take(memory::class_of(r.bytes));
        } else {
          r.page = large.allocate(r.bytes);
          if (r.page == kNoPage) missing_large_ += page_bytes_for(r.bytes) + 128;
        }
      }
    });
    return missing_large_ != 0 || units_missing() != 0;
  }

  std::uint32_t take(std::uint32_t k) {
    Turn& turn = turn_[k];
    std::uint32_t tried = turn.tried.load();
    while (tried < arena_.size()) {
      const Manager& manager = arena_[(turn.first + tried) % arena_.size()].manager;
      if (const void* p = manager.malloc(memory::page_bytes(k)))
        return static_cast<std::uint32_t>(
            static_cast<std::uint64_t>(static_cast<const std::byte*>(p) - memory_.data()) /
            kDynamicUnit);
      if (turn.tried.compare_exchange_strong(tried, tried + 1)) ++tried;
    }
    ++turn.missing;
    return kNoPage;
  }

  void give_back(std::span<const PageRequest> pages, int threads) noexcept {
    const PoolRef large = pool();
    parallel_for(threads, pages.size(), kPagesAtOnce, [&](std::size_t a, std::size_t b, int) {
      for (std::size_t i = a; i < b; ++i) {
        const PageRequest& r = pages[i];
        if (r.bytes == 0 || r.page == kNoPage) continue;
        if (r.bytes > memory::kMostBytes) {
          large.free(r.page, r.bytes);
          continue;
        }
        const std::uint64_t at = std::uint64_t{r.page} * kDynamicUnit;
        const auto its = std::partition_point(arena_.begin(), arena_.end(),
                                              [&](const Arena& a2) { return a2.begin > at; });
        its->manager.free(memory_.data() + at);
      }
    });
  }

  void count(std::span<const PageRequest> pages, bool more) noexcept {
    for (const PageRequest& r : pages) {
      if (r.bytes == 0) continue;
      used_ = more ? used_ + page_bytes_for(r.bytes) : used_ - page_bytes_for(r.bytes);
      pages_ = more ? pages_ + 1 : pages_ - 1;
    }
  }

  /// Units of the chunks that the missing pages come from.
  std::uint64_t units_missing() const {
    std::uint64_t units = 0;
    for (std::uint32_t k = 0; k < memory::kClasses; ++k) {
      const std::uint64_t pages = turn_[k].missing, each = memory::pages_of(k);
      units += (pages + each - 1) / each * memory::units_of(memory::level_of(k));
    }
    return units;
  }

  /// Makes room for what is missing, or for some of it. @throws Error(DoesNotFit)
  void grow(int threads) {
    if (missing_large_ != 0) {
      const std::uint64_t wanted = state_.border * kDynamicUnit + missing_large_;
      const std::uint64_t grown = std::max(wanted, pool_bytes_);
      if (grown > bottom_) refuse(missing_large_);
      count_up(grown - pool_bytes_);
      pool_bytes_ = grown;
    }
    const std::uint64_t units = units_missing();
    if (units == 0) return;
    if (!arena_.empty() && arena_.back().usable < arena_.back().units())
      widen(arena_.back(), units);
    else
      add_arena(units, threads);
  }

  void widen(Arena& arena, std::uint64_t units) {
    const std::uint64_t room = arena.units() - arena.usable;
    const std::uint64_t ideal = std::min(room, std::max(with_queues(units), arena.usable / 8));
    const std::uint64_t more = count_units(0, std::min(room, units), ideal);
    arena.usable += more;
    memory::Word& limits = arena.manager.heap().control().limits;
    limits.atomic().store(limits.load() >> 32 << 32 | arena.usable, Order::Release);
  }

  void add_arena(std::uint64_t units, int threads) {
    const std::uint64_t left = bottom_ - pool_bytes_;
    std::uint64_t before = 0;
    for (const Arena& a : arena_) before += a.units();
    // Half of the addresses that are left stay free for large pages.
    const std::uint64_t most = left / 2 / memory::kChunkBytes;
    std::uint64_t size =
        std::max(with_queues(units), std::min(std::max(before, kLeastArena), most));
    memory::Layout layout = layout_of(size);
    while (layout.bytes + memory::kChunkBytes > left && size > 1)
      layout = layout_of(size = size > units ? units : size - (size + 7) / 8);
    if (layout.bytes + memory::kChunkBytes > left || arena_.size() == kMostArenas)
      refuse(units * memory::kChunkBytes);
    const std::uint64_t tables = layout.bytes - layout.units * memory::kChunkBytes;
    const std::uint64_t usable = count_units(tables, units, std::min(with_queues(units), size));
    Arena arena;
    arena.begin = (bottom_ - layout.bytes) / memory::kChunkBytes * memory::kChunkBytes;
    arena.usable = usable;
    arena.manager = Manager(memory_.data() + arena.begin, layout);
    const memory::Heap& heap = arena.manager.heap();
    const auto parts = static_cast<std::uint64_t>(threads);
    parallel_for(threads, parts, 1, [&](std::size_t a, std::size_t b, int) {
      for (std::size_t part = a; part < b; ++part) memory::reset_tables(heap, part, parts);
    });
    memory::reset_control<Manager>(heap, 0, usable * memory::kChunkBytes);
    bottom_ = arena.begin;
    arena_.push_back(arena);
    for (Turn& t : turn_) {
      t.first = static_cast<std::uint32_t>(arena_.size()) - 1;
      t.tried = 0;
    }
  }

  /// Queues that lie in chunks take some too.
  static constexpr std::uint64_t with_queues(std::uint64_t units) { return units + units / 8 + 4; }

  static memory::Layout layout_of(std::uint64_t units) {
    return memory::make_layout<Manager>({units * memory::kChunkBytes});
  }

  /// Counts `bytes` and from `least` to `ideal` units. Returns how many. @throws Error(DoesNotFit)
  std::uint64_t count_units(std::uint64_t bytes, std::uint64_t least, std::uint64_t ideal) {
    std::uint64_t units = ideal;
    while (true) {
      try {
        count_up(bytes + units * memory::kChunkBytes);
        return units;
      } catch (const Error&) {
        if (units <= least) throw;
        units = std::max(least, units / 2);
      }
    }
  }
  void count_up(std::uint64_t bytes) {
    memory_.grow_to(counted_ + bytes);
    counted_ += bytes;
  }

  [[noreturn]] void refuse(std::uint64_t bytes) const {
    throw Error(ErrorCode::DoesNotFit, "a graph that changes may take " +
                                           format_bytes(memory_.limit()) + " here, and " +
                                           format_bytes(counted_ + bytes) + " are needed");
  }

  ReservedMemory memory_;
  std::uint64_t bottom_;          // bytes from the region: arenas lie above
  std::uint64_t pool_bytes_ = 0;  // that the pool may use
  std::uint64_t counted_ = 0;
  PoolState state_;
  std::vector<Arena> arena_;  // descending by address
  std::array<Turn, memory::kClasses> turn_;
  std::atomic<std::uint64_t> missing_large_{0};  // bytes
  std::size_t used_ = 0;
  std::uint64_t pages_ = 0;
};

}  // namespace fathom::dynamic
