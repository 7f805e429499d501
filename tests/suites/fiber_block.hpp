// Blocks of a grid on one host thread: each thread is a fiber (fiber_lanes.hpp), and who goes on
// wherever threads may be interleaved is drawn from a seed, in some runs so that warps or lanes run
// far ahead of others. Shared memory holds anything at first.
//
// A run fails, and says why, when threads of a block or lanes of a warp meet at different places,
// when some have left the kernel while others wait for them, and when all wait.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <memory>
#include <source_location>
#include <sstream>
#include <string>
#include <vector>

#include "fathom/core/block.hpp"
#include "tests/suites/fiber_lanes.hpp"

namespace fathom::testing {

class FiberGrid {
  using Place = std::source_location;

 public:
  explicit FiberGrid(std::uint64_t seed) : fibers_(seed) {}

  /// Lanes of a warp: all, some of them, or a tile.
  class Lanes {
   public:
    std::uint32_t rank() const { return lane_ - base_; }
    std::uint32_t size() const { return size_; }
    std::uint32_t ballot(bool b, Place at = Place::current()) const {
      const std::uint64_t* const value = meet("ballot", b ? 1 : 0, at);
      return bits([&](std::uint32_t i) { return value[i] != 0; });
    }
    /// Arbitrary where `lane` is not one of the group.
    std::uint32_t shfl(std::uint32_t x, std::uint32_t lane, Place at = Place::current()) const {
      const std::uint64_t* const value = meet("shfl", x, at);
      return lane < size_ && has(base_ + lane) ? static_cast<std::uint32_t>(value[base_ + lane])
                                               : 0xdeadbeef;
    }
    void sync(Place at = Place::current()) const { meet("sync", 0, at); }
    bool any(bool b, Place at = Place::current()) const { return ballot(b, at) != 0; }
    bool all(bool b, Place at = Place::current()) const { return ballot(!b, at) == 0; }
    std::uint32_t match(std::uint32_t x, Place at = Place::current()) const {
      const std::uint64_t* const value = meet("match", x, at);
      return bits([&](std::uint32_t i) { return value[i] == x; });
    }
    std::uint32_t shfl_up(std::uint32_t x, std::uint32_t lanes, Place at = Place::current()) const {
      const std::uint64_t* const value = meet("shfl_up", x, at);
      return static_cast<std::uint32_t>(rank() < lanes ? x : value[lane_ - lanes]);
    }
    Lanes among(std::uint32_t mask) const {
      if ((mask >> lane_ & 1) == 0) grid_->fail("a lane meets those of a mask that it is not in");
      Lanes some = *this;
      some.mask_ = mask;
      return some;
    }

   private:
    friend FiberGrid;
    struct Meeting {
      std::uint64_t now[32] = {}, last[32] = {};
      std::uint32_t arrived = 0;
      const char* what = nullptr;
      Place at;
      Fibers::Sleeping waiting;
    };
    struct Warp {
      std::map<std::uint32_t, Meeting> meeting;  // by the lanes that meet
      std::uint32_t left = 0;                    // the kernel
    };

    Lanes(FiberGrid& grid, Warp& warp, std::uint32_t lane, std::uint32_t base, std::uint32_t size)
        : grid_(&grid), warp_(&warp), lane_(lane), base_(base), size_(size) {
      mask_ = size == kWarpLanes ? ~0u : ((1u << size) - 1) << base;
    }
    bool has(std::uint32_t lane) const { return (mask_ >> lane & 1) != 0; }
    template <class Is>
    std::uint32_t bits(const Is& is) const {
      std::uint32_t all = 0;
      for (std::uint32_t i = 0; i < size_; ++i)
        if (has(base_ + i) && is(base_ + i)) all |= 1u << i;
      return all;
    }

    /// Nobody comes to the next round before all have left this one's meeting; what it was stays
    /// until then.
    const std::uint64_t* meet(const char* what, std::uint64_t value, const Place& at) const {
      Meeting& m = warp_->meeting[mask_];
      if (m.arrived == 0) {
        m.what = what;
        m.at = at;
      } else if (m.what != what || !same(m.at, at)) {
        grid_->fail("lanes of a warp meet at different places: " + said(m.what, m.at) + " and " +
                    said(what, at));
      }
      if ((warp_->left & mask_) != 0)
        grid_->fail("lanes of a warp have left that others wait for: " + said(what, at));
      m.now[lane_] = value;
      m.arrived |= 1u << lane_;
      if (m.arrived != mask_) {
        grid_->fibers_.sleep(m.waiting);
      } else {
        std::copy(std::begin(m.now), std::end(m.now), std::begin(m.last));
        m.arrived = 0;
        grid_->fibers_.wake(m.waiting);
        Fibers::interleave();
      }
      return m.last;
    }

    FiberGrid* grid_;
    Warp* warp_;
    std::uint32_t lane_, base_, size_, mask_;
  };

 private:
  struct State {
    std::vector<Lanes::Warp> warp;
    std::map<const void*, std::unique_ptr<std::uint64_t[]>> shared;
    // The barrier: as a meeting of lanes.
    std::uint32_t arrived = 0, left = 0;
    bool any = false, was_any = false;
    Place at;
    Fibers::Sleeping waiting;
  };

 public:
  class Block {
   public:
    std::uint32_t rank() const { return rank_; }
    std::uint32_t size() const { return grid_->threads_; }
    std::uint32_t index() const { return index_; }
    std::uint32_t blocks() const { return static_cast<std::uint32_t>(grid_->state_.size()); }
    void sync(Place at = Place::current()) const { sync_or(false, at); }
    bool sync_or(bool p, Place at = Place::current()) const { return grid_->meet(index_, p, at); }
    Lanes warp() const { return lanes(0, kWarpLanes); }
    Lanes ordered_warp() const { return warp(); }
    Lanes ordered_tile() const {
      return lanes(rank_ % kWarpLanes / kTileLanes * kTileLanes, kTileLanes);
    }
    template <class T>
    T& shared() const {
      auto& memory = grid_->state_[index_].shared[&kKey<T>];
      if (!memory) {
        const std::size_t words = (sizeof(T) + 7) / 8;
        memory.reset(new std::uint64_t[words]);
        for (std::size_t i = 0; i < words; ++i) memory[i] = grid_->fibers_.draw();
      }
      return *reinterpret_cast<T*>(memory.get());
    }
    template <class T>
    T fetch_add(T& to, T n) const {
      return change(to, [n](T old) { return static_cast<T>(old + n); });
    }
    std::uint32_t exchange(std::uint32_t& to, std::uint32_t x) const {
      return change(to, [x](std::uint32_t) { return x; });
    }
    template <class T>
    T fetch_max(T& to, T x) const {
      return change(to, [x](T old) { return old < x ? x : old; });
    }

   private:
    friend FiberGrid;
    template <class T>
    static inline const char kKey = 0;

    Block(FiberGrid& grid, std::uint32_t i)
        : grid_(&grid), index_(i / grid.threads_), rank_(i % grid.threads_) {}
    Lanes lanes(std::uint32_t base, std::uint32_t size) const {
      return {*grid_, grid_->state_[index_].warp[rank_ / kWarpLanes], rank_ % kWarpLanes, base,
              size};
    }
    template <class T, class Change>
    T change(T& to, const Change& become) const {
      Fibers::interleave();
      const T old = to;
      to = become(old);
      Fibers::interleave();
      return old;
    }

    FiberGrid* grid_;
    std::uint32_t index_, rank_;
  };

  /// body(block) by each thread of so many blocks. Says what went wrong, or nothing.
  template <class Body>
  std::string run(std::uint32_t blocks, std::uint32_t threads, const Body& body,
                  std::uint64_t steps = 20000000) {
    threads_ = threads;
    state_ = std::vector<State>(blocks);
    for (State& s : state_) s.warp.resize(threads / kWarpLanes);
    draw_urgency(blocks * threads);
    error_.clear();
    const bool all = fibers_.run_each(blocks * threads, steps, [&](std::uint32_t i) {
      body(Block(*this, i));
      leave(i);
    });
    return all || !error_.empty() ? error_ : what_all_wait_for();
  }

 private:
  static bool same(const Place& a, const Place& b) {
    return a.line() == b.line() && a.column() == b.column() &&
           std::string(a.file_name()) == b.file_name();
  }
  static std::string said(const char* what, const Place& at) {
    std::ostringstream all;
    all << what << " at " << at.file_name() << ":" << at.line() << ":" << at.column();
    return all.str();
  }
  void fail(const std::string& why) {
    error_ = why;
    fibers_.stop();
  }

  /// All alike, some warps before others, or some lanes.
  void draw_urgency(std::uint32_t threads) {
    way_ = static_cast<std::uint32_t>(fibers_.draw() % 4);
    std::vector<std::uint32_t> all(way_ == 0 ? 0 : threads);
    for (std::uint32_t i = 0; i < all.size(); ++i)
      all[i] = way_ != 3 && i % kWarpLanes != 0 ? all[i - 1] : draw_32();
    fibers_.hurry(std::move(all));
  }
  std::uint32_t draw_32() { return static_cast<std::uint32_t>(fibers_.draw() >> 32); }

  bool meet(std::uint32_t block, bool p, const Place& at) {
    State& s = state_[block];
    if (s.arrived == 0)
      s.at = at;
    else if (!same(s.at, at))
      fail("threads of a block meet at different barriers: " + said("sync", s.at) + " and " +
           said("sync", at));
    if (s.left != 0) fail("threads of a block have left that others wait for: " + said("sync", at));
    s.any |= p;
    if (++s.arrived != threads_) {
      fibers_.sleep(s.waiting);
    } else {
      s.was_any = s.any;
      s.any = false;
      s.arrived = 0;
      // Others lag behind than did before.
      if (way_ == 2)
        for (std::uint32_t i = 0; i < threads_; ++i)
          fibers_.urgency(block * threads_ + i) =
              i % kWarpLanes != 0 ? fibers_.urgency(block * threads_ + i - 1) : draw_32();
      fibers_.wake(s.waiting);
      Fibers::interleave();
    }
    return s.was_any;
  }

  void leave(std::uint32_t i) {
    State& s = state_[i / threads_];
    Lanes::Warp& warp = s.warp[i % threads_ / kWarpLanes];
    const std::uint32_t lane = i % kWarpLanes;
    if (s.arrived != 0)
      fail("a thread of a block leaves that others wait for: " + said("sync", s.at));
    for (const auto& [mask, m] : warp.meeting)
      if (m.arrived != 0 && (mask >> lane & 1) != 0)
        fail("a lane of a warp leaves that others wait for: " + said(m.what, m.at));
    ++s.left;
    warp.left |= 1u << lane;
  }

  std::string what_all_wait_for() const {
    std::ostringstream all;
    all << "does not end:";
    for (const State& s : state_) {
      if (s.arrived != 0)
        all << " " << s.arrived << " threads of a block wait for " << said("sync", s.at) << ";";
      for (const Lanes::Warp& warp : s.warp)
        for (const auto& [mask, m] : warp.meeting)
          if (m.arrived != 0)
            all << " " << std::popcount(m.arrived) << " lanes of a warp wait for "
                << said(m.what, m.at) << ";";
    }
    return all.str();
  }

  Fibers fibers_;
  std::uint32_t threads_ = 0, way_ = 0;
  std::vector<State> state_;
  std::string error_;
};
using FiberBlock = FiberGrid::Block;
static_assert(Warp<FiberGrid::Lanes> && Block<FiberBlock>);

}  // namespace fathom::testing
