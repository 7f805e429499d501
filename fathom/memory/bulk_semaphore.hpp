// Bulk semaphore: counts what is there, what waiting threads have reserved and what is expected, so
// that exactly as many of them fetch a further batch as are needed (Gelado and Garland, PPoPP 2019;
// Winter, chapter 5, algorithm 6).
//
// One 64-bit word holds the count and, below it so that an addition never carries into it, the
// reservations; the batches that are being minted stand in a word of their own:
//   63........28 27.....0
//   count (signed) reserved        in units
// A count holds 2^35 units (512 GiB of 16 B pages).
//
// Who finds nothing reserves by one addition, whose result numbers the units that are lacking, and
// so the batches they will come in: the thread whose units are the first of a batch mints it, the
// others wait. No thread repeats an operation because another was faster, where thousands come at
// once. What shifts the numbers meanwhile (units given back, minting that failed) may leave a batch
// without a minter: then one of those who wait sees that not enough is to come, and mints.
//
// When a batch comes it serves a few of thousands that wait: each leaves its wait with the
// probability that it is one of twice as many as are needed, so that the word stays free for those.
//
// Invariants: count <= units that are there; a batch stands in `expected` from soon after the
// decision to mint it until settle(), also when minting fails; `reserved` is the sum over the
// threads that wait or mint.
#pragma once

#include "fathom/core/random.hpp"
#include "fathom/memory/word.hpp"

namespace fathom::memory {

/// All zero: nothing is there.
struct SemaphoreWords {
  Word units;
  Word expected;  // batches
};

struct SemaphoreState {
  std::int64_t count = 0;
  std::uint64_t reserved = 0, expected = 0;
};

/// What acquire() came to: `granted` units, or the order to mint batches for all that were asked
/// for, and to settle afterwards; or nothing.
struct Grant {
  std::uint32_t granted = 0;
  std::uint32_t mints = 0;  // batches
};

template <class Hooks = Traits>
class BulkSemaphore {
 public:
  static constexpr std::int64_t kMostCount = (std::int64_t{1} << 35) - 1;

  FATHOM_HD explicit BulkSemaphore(SemaphoreWords& words) : words_(words) {}

  FATHOM_HD SemaphoreState state() const {
    SemaphoreState s = unpack(words_.units.load());
    s.expected = words_.expected.load();
    return s;
  }

  /// Up to n units (at least one), or the order to mint, or, when batch is 0, nothing. Waits while
  /// others mint enough for everyone.
  FATHOM_HD Grant acquire(std::uint32_t n, std::uint32_t batch) const {
    const auto units = words_.units.atomic();
    for (bool lacking = false;;) {
      std::uint64_t word = words_.units.load();
      const SemaphoreState s = unpack(word);
      Hooks::mark(Point::Semaphore);
      if (s.count > 0) {
        if (const std::uint32_t got = take(word, s.count, n)) return {got, 0};
        continue;
      }
      if (batch == 0) return {};
      const SemaphoreState old = unpack(units.fetch_add(n, Order::AcqRel));
      Hooks::mark(Point::Semaphore);
      const std::int64_t before = static_cast<std::int64_t>(old.reserved) - old.count;
      const std::int64_t after = before + n;
      const bool first = lacking || batches(before, batch) < batches(after, batch);
      if (first && after > coming(batch)) {
        const auto mints = static_cast<std::uint32_t>(batches(n, batch));
        words_.expected.atomic().fetch_add(mints, Order::AcqRel);
        return {0, mints};
      }
      if (after > 0) lacking = wait(n, batch);  // else enough has come just now
      units.fetch_add(0 - std::uint64_t{n}, Order::AcqRel);
    }
  }

  /// n units or none: what a chunk costs that leaves its class.
  FATHOM_HD bool try_take(std::uint32_t n) const {
    std::uint64_t word = words_.units.load();
    while (unpack(word).count >= static_cast<std::int64_t>(n))
      if (words_.units.atomic().compare_exchange(word, word - n * kOneCount)) return true;
    return false;
  }

  /// n further units are there.
  FATHOM_HD void signal(std::uint64_t n) const {
    if (n > 0) words_.units.atomic().fetch_add(n * kOneCount, Order::AcqRel);
  }

  /// Minting is over for who was to mint `mints` batches for n units: `rest` further units were
  /// published. What of the n was not made has to be asked for again.
  FATHOM_HD void settle(std::uint64_t rest, std::uint32_t mints, std::uint32_t n) const {
    words_.units.atomic().fetch_add(rest * kOneCount - n, Order::AcqRel);
    words_.expected.atomic().fetch_add(0 - std::uint64_t{mints}, Order::AcqRel);
  }

 private:
  static constexpr int kCountShift = 28;
  static constexpr std::uint64_t kOneCount = std::uint64_t{1} << kCountShift;
  static constexpr std::uint64_t kMostReserved = kOneCount - 1;
  // Looks at too little to come before a thread believes it: who has just decided to mint says so
  // one operation later.
  static constexpr std::uint32_t kLooks = 8;

  FATHOM_HD static SemaphoreState unpack(std::uint64_t w) {
    return {static_cast<std::int64_t>(w) >> kCountShift, w & kMostReserved, 0};
  }
  /// How many batches hold so many units.
  FATHOM_HD static std::int64_t batches(std::int64_t units, std::uint32_t batch) {
    return units <= 0 ? 0 : (units + batch - 1) / batch;
  }
  FATHOM_HD std::int64_t coming(std::uint32_t batch) const {
    return static_cast<std::int64_t>(words_.expected.load()) * batch;
  }

  /// One addition where enough is there; what another took meanwhile is given back.
  FATHOM_HD std::uint32_t take(std::uint64_t word, std::int64_t count, std::uint32_t n) const {
    if (count < static_cast<std::int64_t>(n)) {
      const auto some = static_cast<std::uint64_t>(count);
      if (!words_.units.atomic().compare_exchange(word, word - some * kOneCount)) return 0;
      return static_cast<std::uint32_t>(count);
    }
    // Relaxed: what a unit stands for is handed over by its queue's slot, or its chunk's state.
    const auto old = unpack(words_.units.atomic().fetch_add(0 - n * kOneCount)).count;
    if (old >= static_cast<std::int64_t>(n)) return n;
    const std::uint32_t got = old > 0 ? static_cast<std::uint32_t>(old) : 0;
    signal(n - got);
    return got;
  }

  /// Until units are there, or, true, too few are to come.
  FATHOM_HD bool wait(std::uint32_t n, std::uint32_t batch) const {
    std::uint32_t too_few = 0;
    for (std::uint64_t look = 0;; ++look) {
      const SemaphoreState s = unpack(words_.units.load());
      const std::uint64_t draw = chance(look) >> 40, waiting = s.reserved;  // 24 bits
      if (s.count > 0) {
        if (draw * waiting >> 25 <= static_cast<std::uint64_t>(s.count)) return false;
        too_few = 0;
      } else {
        const std::int64_t lacking =
            static_cast<std::int64_t>(s.reserved) - s.count - coming(batch);
        too_few = lacking > 0 ? too_few + 1 : 0;
        // A further batch serves batch / n threads.
        if (too_few >= kLooks &&
            (draw * waiting >> 25) * batch <= (static_cast<std::uint64_t>(lacking) + batch) * n)
          return true;
      }
      rest(waiting / n);
    }
  }

  /// The more threads wait, the longer each leaves the word to the others.
  FATHOM_HD static void rest(std::uint64_t threads) {
#if defined(__CUDA_ARCH__)
    __nanosleep(64 + static_cast<unsigned>(threads / 2 < 4000 ? threads / 2 : 4000));
#else
    static_cast<void>(threads);
    Hooks::pause();
#endif
  }

  /// A word that differs from thread to thread and from look to look.
  FATHOM_HD static std::uint64_t chance(std::uint64_t look) {
#if defined(__CUDA_ARCH__)
    return mix64(static_cast<std::uint64_t>(clock64()) ^ look << 48);
#else
    return mix64(reinterpret_cast<std::uintptr_t>(&look) + look);
#endif
  }

  SemaphoreWords& words_;
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
