// Bulk semaphore: counts what is there, what is expected and what waiting threads have reserved, so
// that exactly as many of them fetch a further batch as are needed (Gelado and Garland, PPoPP 2019;
// Winter, chapter 5, algorithm 6).
//
// One 64-bit word, count on top so that an addition to it never carries into the others:
//   63........28 27.....19 18....0
//   count (signed) expected reserved      expected in batches, reserved in units
// A count holds 2^35 units (512 GiB of 16 B pages). Where no more batches can be expected, threads
// wait. Reserving is a plain addition: there are more units than threads of any device.
//
// Thousands of threads wait at once, and what comes serves a few of them: each leaves its wait with
// the probability that it is one of twice as many as are needed, so that the word stays free for
// those. Who waits only looks.
//
// Invariants: count <= units that are there; a batch stands in `expected` from the decision to mint
// it until settle(), also when minting fails; `reserved` is the sum over the threads that wait.
#pragma once

#include "fathom/core/random.hpp"
#include "fathom/memory/word.hpp"

namespace fathom::memory {

struct SemaphoreState {
  std::int64_t count = 0;
  std::uint32_t expected = 0, reserved = 0;
};

/// What acquire() came to: `granted` units, or the order to mint for all that were asked for.
struct Grant {
  std::uint32_t granted = 0;
  std::uint32_t mints = 0;     // 1: the caller has to mint, and to settle afterwards
  std::uint32_t expected = 0;  // batches to give back in settle()
};

template <class Hooks = Traits>
class BulkSemaphore {
 public:
  static constexpr std::uint64_t kMostReserved = (1u << 19) - 1, kMostExpected = (1u << 9) - 1;
  static constexpr std::int64_t kMostCount = (std::int64_t{1} << 35) - 1;

  FATHOM_HD explicit BulkSemaphore(Word& word) : word_(word) {}

  FATHOM_HD static SemaphoreState unpack(std::uint64_t w) {
    return {static_cast<std::int64_t>(w) >> kCountShift,
            static_cast<std::uint32_t>(w >> kExpectedShift & kMostExpected),
            static_cast<std::uint32_t>(w & kMostReserved)};
  }
  FATHOM_HD SemaphoreState state() const { return unpack(word_.load()); }

  /// Up to n units (at least one), or the order to mint, or, when batch is 0, nothing. Waits while
  /// others mint enough for everyone. A minter keeps n units of what it mints when `keeps`, so that
  /// only the rest of its last batch is expected; otherwise it publishes whole batches.
  FATHOM_HD Grant acquire(std::uint32_t n, std::uint32_t batch, bool keeps) const {
    for (;;) {
      std::uint64_t word = word_.load();
      const SemaphoreState s = unpack(word);
      Hooks::mark(Point::Semaphore);
      if (s.count > 0) {
        if (const std::uint32_t got = take(word, s.count, n)) return {got, 0, 0};
        continue;
      }
      if (batch == 0) return {};
      const std::int64_t available =
          s.count + static_cast<std::int64_t>(s.expected) * batch - s.reserved;
      if (available < n) {
        const std::uint32_t expected = keeps && n % batch == 0 ? 0 : 1;
        if (expected == 0) return {0, 1, 0};
        if (s.expected == kMostExpected)
          pause();
        else if (word_.atomic().compare_exchange(word, word + kOneExpected))
          return {0, 1, expected};
      } else {
        word_.atomic().fetch_add(n, Order::AcqRel);  // perhaps too late: wait() sees that
        wait(n, batch);
        word_.atomic().fetch_add(0 - static_cast<std::uint64_t>(n), Order::AcqRel);
      }
    }
  }

  /// n units or none: what a chunk costs that leaves its class.
  FATHOM_HD bool try_take(std::uint32_t n) const {
    std::uint64_t word = word_.load();
    while (unpack(word).count >= static_cast<std::int64_t>(n))
      if (word_.atomic().compare_exchange(word, word - n * kOneCount)) return true;
    return false;
  }

  /// n further units are there.
  FATHOM_HD void signal(std::uint64_t n) const {
    if (n > 0) word_.atomic().fetch_add(n * kOneCount, Order::AcqRel);
  }

  /// Minting is over: `units` were published, `expected` batches are no longer to come.
  FATHOM_HD void settle(std::uint64_t units, std::uint32_t expected) const {
    if (units > 0 || expected > 0)
      word_.atomic().fetch_add(units * kOneCount - expected * kOneExpected, Order::AcqRel);
  }

 private:
  static constexpr int kCountShift = 28, kExpectedShift = 19;
  static constexpr std::uint64_t kOneCount = std::uint64_t{1} << kCountShift;
  static constexpr std::uint64_t kOneExpected = std::uint64_t{1} << kExpectedShift;

  /// One addition where enough is there; what another took meanwhile is given back.
  FATHOM_HD std::uint32_t take(std::uint64_t word, std::int64_t count, std::uint32_t n) const {
    if (count < static_cast<std::int64_t>(n)) {
      const auto some = static_cast<std::uint64_t>(count);
      if (!word_.atomic().compare_exchange(word, word - some * kOneCount)) return 0;
      return static_cast<std::uint32_t>(count);
    }
    // Relaxed: what a unit stands for is handed over by its queue's slot, or its chunk's state.
    const auto old = unpack(word_.atomic().fetch_add(0 - n * kOneCount)).count;
    if (old >= static_cast<std::int64_t>(n)) return n;
    const std::uint32_t got = old > 0 ? static_cast<std::uint32_t>(old) : 0;
    signal(n - got);
    return got;
  }

  FATHOM_HD void wait(std::uint32_t n, std::uint32_t batch) const {
    for (std::uint64_t look = 0;; ++look) {
      pause();
      const SemaphoreState s = state();
      const std::int64_t coming = s.count + static_cast<std::int64_t>(s.expected) * batch;
      const std::uint64_t draw = chance(look) >> 40, waiting = s.reserved;  // 24 bits
      if (s.count > 0) {
        if (draw * waiting >> 25 <= static_cast<std::uint64_t>(s.count)) return;
      } else if (coming < s.reserved) {  // a further batch serves batch / n threads
        const auto lacking = static_cast<std::uint64_t>(s.reserved - coming);
        if ((draw * waiting >> 25) * batch <= lacking * n + std::uint64_t{batch} * n) return;
      }
    }
  }

  /// A word that differs from thread to thread and from look to look.
  FATHOM_HD static std::uint64_t chance(std::uint64_t look) {
#if defined(__CUDA_ARCH__)
    return mix64(static_cast<std::uint64_t>(clock64()) ^ look << 48);
#else
    return mix64(reinterpret_cast<std::uintptr_t>(&look) + look);
#endif
  }

  Word& word_;
};

/// A plain count that never goes below zero for long: what is queued, or may still be.
class Tally {
 public:
  FATHOM_HD explicit Tally(Word& word) : word_(word) {}

  /// Takes up to n and says how many.
  FATHOM_HD std::uint32_t take_up_to(std::uint32_t n) const {
    if (static_cast<std::int64_t>(word_.load()) <= 0) return 0;
    const auto old = static_cast<std::int64_t>(word_.atomic().fetch_add(0 - std::uint64_t{n}));
    const std::uint32_t got = old <= 0                             ? 0
                              : old < static_cast<std::int64_t>(n) ? static_cast<std::uint32_t>(old)
                                                                   : n;
    if (got < n) add(n - got);
    return got;
  }
  FATHOM_HD void add(std::uint64_t n) const { word_.atomic().fetch_add(n, Order::AcqRel); }
  FATHOM_HD std::int64_t value() const { return static_cast<std::int64_t>(word_.load()); }

 private:
  Word& word_;
};

}  // namespace fathom::memory
