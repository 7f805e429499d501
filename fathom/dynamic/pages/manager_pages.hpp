// Pages in host memory from one of the managers of fathom/memory: up to 1 MiB each from the
// manager, in arenas from the end of the region on, larger ones from a pool at its beginning.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <utility>

#include "fathom/core/parallel.hpp"
#include "fathom/core/units.hpp"
#include "fathom/dynamic/pages/host_pages.hpp"
#include "fathom/dynamic/pages/live_arenas.hpp"
#include "fathom/memory/inspect.hpp"

namespace fathom::dynamic {

/// Invariants: pool_bytes_ <= arenas_.bottom(); counted_ is what the pool may use and what the
/// arenas do (tables, and chunks up to their limits), and counts in memory_.
template <class Manager>
class ManagerPages final : public PageStore {
 public:
  /// @throws Error(DoesNotFit) when so many addresses cannot be had.
  ManagerPages(std::size_t limit, const std::shared_ptr<MemoryPool>& pool)
      : memory_(std::min(limit, kMostAddresses), pool),
        claimed_(memory_.limit() / memory::kChunkBytes * memory::kChunkBytes),
        arenas_(memory_.data(), claimed_) {
    std::fill(std::begin(state_.stack), std::end(state_.stack), std::uint64_t{kNoPage});
  }

  std::uint32_t* region() const override {
    return reinterpret_cast<std::uint32_t*>(memory_.data());
  }

  void allocate(std::span<PageRequest> requests, int threads) override {
    for (PageRequest& r : requests) r.page = kNoPage;
    const std::uint64_t before = pool_bytes_;
    try {
      // Who asks beside others may have found nothing where there is something.
      bool joined = false;
      while (fill(requests, threads) && fill(requests, 1)) {
        if (missing_large_ != 0 && !std::exchange(joined, true))
          join_free_pages(region(), state_);
        else
          grow(threads);
      }
    } catch (const Error&) {
      give_back(requests, threads);
      for (PageRequest& r : requests) r.page = kNoPage;
      shrink_pool(before);
      throw;
    }
    count(requests, true);
  }

  void free(std::span<const PageRequest> pages, int threads) noexcept override {
    give_back(pages, threads);
    count(pages, false);
    gain();
  }

  std::uint32_t allocate(std::uint64_t bytes) noexcept override {
    std::uint32_t page = kNoPage;
    if (bytes > memory::kMostBytes) {
      const std::lock_guard lock(single_);
      page = pool().allocate(bytes);
    } else {
      page = single().allocate(bytes);
    }
    if (page == kNoPage) return kNoPage;
    used_ += page_bytes_for(bytes);
    ++pages_;
    return page;
  }

  void free(std::uint32_t page, std::uint64_t bytes) noexcept override {
    if (bytes > memory::kMostBytes) {
      const std::lock_guard lock(single_);
      pool().free(page, bytes);
    } else {
      single().free(page, bytes);
    }
    used_ -= page_bytes_for(bytes);
    --pages_;
  }

  /// Twice the bytes where pages of more than 1 MiB may be among them, which the pool has.
  void reserve(std::size_t bytes, int threads) override {
    if (bytes > memory_.limit()) refuse(bytes);
    const std::uint64_t before = pool_bytes_;
    try {
      if (bytes > memory::kMostBytes) widen_pool(bytes);
      const std::uint64_t wanted = (bytes + memory::kChunkBytes - 1) / memory::kChunkBytes;
      for (std::uint64_t there; (there = untouched()) < wanted;) add_units(wanted - there, threads);
    } catch (const Error&) {
      shrink_pool(before);
      throw;
    }
    gain();
  }

  /// Of the pool alone: what a manager has stays there for others.
  void shrink_to(std::size_t bytes) noexcept override {
    shrink_pool(bytes < counted_ ? pool_bytes_ - std::min(pool_bytes_, counted_ - bytes)
                                 : pool_bytes_);
  }

  PageStatistics statistics() const override { return {used_, memory_.counted(), pages_}; }

  /// Whether all invariants of the managers hold. While nobody asks for pages.
  bool valid() const {
    return std::ranges::all_of(arenas_.all(), [](const Arena<Manager>& a) {
      return memory::valid(a.manager) == memory::Broken::None;
    });
  }
  std::size_t arenas() const { return arenas_.all().size(); }

 private:
  static constexpr std::size_t kPagesAtOnce = 256;
  // 2^32 units less one, whose number means that there is no page.
  static constexpr std::size_t kMostAddresses = (std::size_t{kNoPage} - 1) * kDynamicUnit;

  /// What arenas ask of host memory: there is some wherever it is counted.
  struct Site {
    ManagerPages& owner;
    int threads;

    static std::uint64_t step() { return memory::kChunkBytes; }
    std::uint64_t left() const { return owner.memory_.limit() - owner.counted_; }
    std::uint64_t claim(std::uint64_t begin) {
      owner.count_up(owner.claimed_ - begin);
      return owner.claimed_ = begin;
    }
    void reset(const Manager& manager, std::uint64_t usable) const {
      const memory::Heap& heap = manager.heap();
      const auto parts = static_cast<std::uint64_t>(threads);
      parallel_for(threads, parts, 1, [&](std::size_t a, std::size_t b, int) {
        for (std::size_t part = a; part < b; ++part) memory::reset_tables(heap, part, parts);
      });
      memory::reset_control<Manager>(heap, 0, usable);
    }
    static void limit(const Manager& manager, std::uint64_t units) {
      memory::Word& limits = manager.heap().control().limits;
      limits.atomic().store(limits.load() >> 32 << 32 | units, Order::Release);
    }
  };

  PoolRef pool() { return {region(), &state_, pool_bytes_ / kDynamicUnit}; }
  ArenasView<Manager> view() { return {memory_.data(), arenas_.all().data()}; }
  ArenasRef<Manager> small() {
    return {view(), static_cast<std::uint32_t>(arenas()), turn_.data()};
  }
  SinglePages<Manager> single() { return {view(), &single_turns_}; }
  void gain() noexcept { AtomicRef(single_turns_.gains).fetch_add(std::uint64_t{1}); }

  /// Gives every request a page that has none. Returns whether some are missing: turn_ and
  /// missing_large_ say how many.
  bool fill(std::span<PageRequest> requests, int threads) {
    for (ArenaTurn& t : turn_) t.begin(static_cast<std::uint32_t>(arenas()));
    missing_large_ = 0;
    const PoolRef large = pool();
    const ArenasRef<Manager> others = small();
    parallel_for(threads, requests.size(), kPagesAtOnce, [&](std::size_t a, std::size_t b, int) {
      for (std::size_t i = a; i < b; ++i) {
        PageRequest& r = requests[i];
        if (r.bytes == 0 || r.page != kNoPage) continue;
        if (r.bytes <= memory::kMostBytes) {
          r.page = others.allocate(r.bytes);
        } else {
          r.page = large.allocate(r.bytes);
          if (r.page == kNoPage) missing_large_ += page_bytes_for(r.bytes) + 128;
        }
      }
    });
    return missing_large_ != 0 || units_missing() != 0;
  }

  void give_back(std::span<const PageRequest> pages, int threads) noexcept {
    const PoolRef large = pool();
    const ArenasRef<Manager> others = small();
    parallel_for(threads, pages.size(), kPagesAtOnce, [&](std::size_t a, std::size_t b, int) {
      for (std::size_t i = a; i < b; ++i) {
        const PageRequest& r = pages[i];
        if (r.bytes == 0 || r.page == kNoPage) continue;
        if (r.bytes > memory::kMostBytes)
          large.free(r.page, r.bytes);
        else
          others.free(r.page, r.bytes);
      }
    });
  }

  void count(std::span<const PageRequest> pages, bool more) noexcept {
    for (const PageRequest& r : pages) {
      if (r.bytes == 0) continue;
      if (more)
        used_ += page_bytes_for(r.bytes), ++pages_;
      else
        used_ -= page_bytes_for(r.bytes), --pages_;
    }
  }

  std::uint64_t units_missing() const {
    return units_for([&](std::uint32_t k) { return turn_[k].missing; });
  }

  /// Makes room for what is missing. @throws Error(DoesNotFit)
  void grow(int threads) {
    if (missing_large_ != 0) widen_pool(missing_large_);
    if (const std::uint64_t units = units_missing(); units != 0) add_units(units, threads);
  }

  /// Lets the pool have `more` bytes behind its border.
  void widen_pool(std::uint64_t more) {
    const std::uint64_t grown = std::max(state_.border * kDynamicUnit + more, pool_bytes_);
    if (grown > arenas_.bottom()) refuse(more);
    count_up(grown - pool_bytes_);
    pool_bytes_ = grown;
  }
  /// The pool has `bytes` again, or as little more as its pages allow.
  void shrink_pool(std::uint64_t bytes) noexcept {
    join_free_pages(region(), state_);
    const std::uint64_t kept = std::max(bytes, state_.border * kDynamicUnit);
    if (kept >= pool_bytes_) return;
    memory_.clear(kept, pool_bytes_);
    counted_ -= pool_bytes_ - kept;
    pool_bytes_ = kept;
    memory_.uncount_to(counted_);
  }

  /// Units that chunks may take and never took.
  std::uint64_t untouched() const {
    std::uint64_t units = 0;
    for (const Arena<Manager>& a : arenas_.all())
      units += a.usable - std::min<std::uint64_t>(a.usable, a.manager.heap().chunks_taken());
    return units;
  }

  void add_units(std::uint64_t units, int threads) {
    Site site{*this, threads};
    if (!arenas_.grow(site, units, pool_bytes_)) refuse(units * memory::kChunkBytes);
    for (ArenaTurn& t : turn_) t = {static_cast<std::uint32_t>(arenas()) - 1};
    single_turns_.grown(static_cast<std::uint32_t>(arenas()));
  }

  void count_up(std::uint64_t bytes) {
    memory_.grow_to(counted_ + bytes);
    counted_ += bytes;
  }

  [[noreturn]] void refuse(std::uint64_t bytes) const {
    throw Error(ErrorCode::DoesNotFit,
                "a graph that changes may take " + format_bytes(memory_.limit()) +
                    " here, with what the managers of its pages take for themselves: it has " +
                    format_bytes(counted_) + ", and " + format_bytes(bytes) +
                    " more are needed, side by side");
  }

  ReservedMemory memory_;
  std::uint64_t claimed_;  // bytes from the region: arenas have memory from here on
  ArenaStack<Manager> arenas_;
  std::uint64_t pool_bytes_ = 0;  // that the pool may use
  std::uint64_t counted_ = 0;
  PoolState state_;
  std::array<ArenaTurn, kPageSizes> turn_;
  std::atomic<std::uint64_t> missing_large_{0};  // bytes
  std::atomic<std::size_t> used_{0};
  std::atomic<std::uint64_t> pages_{0};
  std::mutex single_;  // of the pool, while lists are written
  SingleTurns single_turns_;
};

}  // namespace fathom::dynamic
