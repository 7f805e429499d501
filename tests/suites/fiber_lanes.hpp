// Thousands of lanes, in warps of 32, on one host thread: each is a fiber, and who goes on at a
// point where lanes may be interleaved is drawn from a seed. What a kernel does to shared memory
// can so be tried with as many lanes as a kernel has, in orders that threads come to once in a
// million runs; a lane that waits for ever shows as a run that does not end within its steps.
//
// One after the other and sequentially consistent: errors of memory order stay unseen.
#pragma once

#include <ucontext.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "fathom/core/lanes.hpp"

namespace fathom::testing {

class Fibers {
 public:
  explicit Fibers(std::uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15u | 1) {}
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  /// Fibers that do not go on before another one wakes them.
  using Sleeping = std::vector<std::uint32_t>;

  /// A lane group: some lanes of a warp, as ActiveLanes are on a device.
  class Lanes {
   public:
    std::uint32_t rank() const { return rank_; }
    std::uint32_t size() const { return kWarp; }
    std::uint32_t ballot(bool b) const {
      const Round& round = meet(b ? 1 : 0);
      std::uint32_t mask = 0;
      for (std::uint32_t i = 0; i < kWarp; ++i)
        if (has(i) && round.value[i] != 0) mask |= 1u << i;
      return mask;
    }
    /// As on a device arbitrary where `lane` is not one of the group.
    std::uint32_t shfl(std::uint32_t x, std::uint32_t lane) const {
      const Round& round = meet(x);
      return lane < kWarp && has(lane) ? static_cast<std::uint32_t>(round.value[lane]) : 0xdeadbeef;
    }
    Lanes split(unsigned long long key) const {
      const Round& round = meet(key);
      Lanes same = *this;
      for (std::uint32_t i = 0; i < kWarp; ++i)
        if (has(i) && round.value[i] != key) same.mask_ &= ~(1u << i);
      return same;
    }

   private:
    friend Fibers;
    struct Round {
      std::uint64_t value[32] = {};
    };
    struct Meeting {
      Round now, last;
      std::uint32_t arrived = 0;
      Sleeping waiting;
    };
    using Warp = std::map<std::uint32_t, Meeting>;  // by the lanes that meet

    Lanes(Fibers& fibers, Warp& warp, std::uint32_t rank, std::uint32_t mask)
        : fibers_(&fibers), warp_(&warp), rank_(rank), mask_(mask) {}
    bool has(std::uint32_t lane) const { return (mask_ >> lane & 1) != 0; }

    /// Nobody comes to the next round before all have left this one's meeting; what it was stays
    /// until then.
    const Round& meet(std::uint64_t value) const {
      Meeting& meeting = (*warp_)[mask_];
      meeting.now.value[rank_] = value;
      meeting.arrived |= 1u << rank_;
      if (meeting.arrived != mask_) {
        fibers_->sleep(meeting.waiting);
      } else {
        meeting.last = meeting.now;
        meeting.arrived = 0;
        fibers_->wake(meeting.waiting);
      }
      return meeting.last;
    }

    Fibers* fibers_;
    Warp* warp_;
    std::uint32_t rank_, mask_;
  };

  /// body(i, group) for each of n lanes; whether all have ended within `steps` changes from one to
  /// another. If not, they are left where they are.
  template <class Body>
  bool run(std::uint32_t n, std::uint64_t steps, const Body& body) {
    std::vector<typename Lanes::Warp> warp((n + kWarp - 1) / kWarp);
    return run_each(n, steps, [&](std::uint32_t i) {
      const std::uint32_t in_warp = n - i / kWarp * kWarp;
      const std::uint32_t mask = in_warp < kWarp ? (1u << in_warp) - 1 : ~0u;
      body(i, Lanes(*this, warp[i / kWarp], i % kWarp, mask));
    });
  }

  /// body(i) for each of n fibers, which meet by sleep() and wake().
  template <class Body>
  bool run_each(std::uint32_t n, std::uint64_t steps, const Body& body) {
    if (fiber_.size() < n) fiber_.resize(n);
    ready_.clear();
    for (std::uint32_t i = 0; i < n; ++i) begin(i, [&body, i] { body(i); });
    steps_ = steps;
    ended_ = 0;
    at_ = 0;
    current_ = n > 0 ? this : nullptr;
    if (n > 0) {
      running_ = ready_[0];
      ::swapcontext(&caller_, &fiber_[running_].context);
    }
    current_ = nullptr;
    return ended_ == n;
  }

  void sleep(Sleeping& among) {
    among.push_back(running_);
    leave();
  }
  void wake(Sleeping& all) {
    ready_.insert(ready_.end(), all.begin(), all.end());
    all.clear();
  }
  /// Ends the run: all fibers are left where they are.
  void stop() { ::swapcontext(&fiber_[running_].context, &caller_); }
  /// From now on a fiber of a larger number mostly goes on before others; empty: all alike.
  void hurry(std::vector<std::uint32_t> urgency) { urgency_ = std::move(urgency); }
  std::uint32_t& urgency(std::uint32_t fiber) { return urgency_[fiber]; }
  std::uint64_t draw() {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    return random_ ^= random_ << 17;
  }

  /// Lets another lane go on, or not. Nothing outside of run().
  static void interleave() {
    if (current_ != nullptr && current_->draw() % 4 == 0) current_->change();
  }
  /// The same for a lane that waits for another.
  static void wait() {
    if (current_ != nullptr) current_->change();
  }

 private:
  static constexpr std::uint32_t kWarp = 32;
  static constexpr std::size_t kStack = std::size_t{1} << 15;
  struct Fiber {
    ucontext_t context;
    std::unique_ptr<std::byte[]> stack;
    std::function<void()> body;
  };

  void begin(std::uint32_t i, std::function<void()> body) {
    Fiber& fiber = fiber_[i];
    fiber.body = std::move(body);
    if (!fiber.stack) fiber.stack.reset(new std::byte[kStack]);
    ::getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = kStack;
    fiber.context.uc_link = nullptr;
    ::makecontext(&fiber.context, &Fibers::enter, 0);
    ready_.push_back(i);
  }
  static void enter() {
    Fibers& fibers = *current_;
    fibers.fiber_[fibers.running_].body();
    ++fibers.ended_;
    fibers.leave();
  }

  /// The lane that runs does not go on until it is put among those that are ready.
  void leave() {
    ready_[at_] = ready_.back();
    ready_.pop_back();
    change();
  }
  void change() {
    ucontext_t& from = fiber_[running_].context;
    if (ready_.empty() || steps_-- == 0) {
      ::swapcontext(&from, &caller_);
      return;
    }
    at_ = draw() % ready_.size();
    for (int tries = urgency_.empty() ? 0 : 3; tries > 0; --tries)
      if (const std::size_t other = draw() % ready_.size();
          urgency_[ready_[other]] > urgency_[ready_[at_]])
        at_ = other;
    if (ready_[at_] == running_) return;
    running_ = ready_[at_];
    ::swapcontext(&from, &fiber_[running_].context);
  }

  static inline Fibers* current_ = nullptr;
  std::vector<Fiber> fiber_;
  std::vector<std::uint32_t> ready_, urgency_;
  std::size_t at_ = 0;  // of the one that runs, among those that are ready
  std::uint32_t running_ = 0, ended_ = 0;
  std::uint64_t random_, steps_ = 0;
  ucontext_t caller_{};
};
static_assert(LaneGroup<Fibers::Lanes>);

}  // namespace fathom::testing
