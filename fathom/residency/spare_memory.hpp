// What a device has to spare: caches of what can be made again share it, and give it back
// (docs/adr/0013).
//
// A cache enlists, says what it holds, and is asked to give way when an allocation from the pool
// would not fit: the one that was used longest ago first, no more of them than it takes, and none
// whose memory is in use. Before a run (run_lists.hpp) the caches that it wants are filled anew:
// what is obtainable, less what the run's vertex state needs, is divided among them.
//
// Rule for whoever hands out pointers into a cache: hold() it for as long as they may be followed.
// Kernels in flight need no more: pools of GPUs free memory in the order of their streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "fathom/core/memory_pool.hpp"

namespace fathom {

/// A cache that has this share of what it could have now is not made anew: that reads all of it.
inline constexpr double kEnoughOfCache = .875;
/// What caches leave for operators' temporary data.
inline constexpr std::size_t kBesideCaches = std::size_t{64} << 20;

/// One cache's part in a division.
struct CacheWant {
  std::size_t useful = 0;  // bytes beyond which more memory changes nothing
  double reads = 1;        // of its lists, relative to the others': the most read are kept first
};

/// The bytes that each gets: those with the most reads first, as much as is of use to them; equal
/// ones in proportion to what is of use to each.
FATHOM_API std::vector<std::size_t> divide_spare(std::size_t room,
                                                 std::span<const CacheWant> wants);

/// One for each MemoryPool, as long as that lives. Thread-safe. give_way() and held() are called by
/// one thread at a time, and do not allocate; of the functions here they may call leave(). fill()
/// may do both.
class FATHOM_API SpareMemory {
 public:
  struct Cache {
    std::function<void()> give_way;               // all it has; never while it is held
    std::function<std::size_t()> held;            // bytes that would come back
    std::function<void(std::size_t bytes)> fill;  // with so much at most; may be null
  };

  static SpareMemory& of(MemoryPool& pool);
  ~SpareMemory();
  SpareMemory(const SpareMemory&) = delete;
  SpareMemory& operator=(const SpareMemory&) = delete;

  int enlist(Cache cache);
  void leave(int handle) noexcept;

  /// It is needed now: caches used earlier give way before it.
  void use(int handle);
  /// The same, and it does not give way while the result lives.
  [[nodiscard]] std::shared_ptr<const void> hold(int handle);

  /// What could be allocated: what the pool has available, and what caches hold that are not held.
  std::size_t obtainable() const;
  /// The latter.
  std::size_t spare() const;

  // A run (run_lists.hpp). Between begin_run() and fill() its sources say what they want.
  /// `leave`: bytes of the run's vertex state. Runs may be nested.
  void begin_run(std::size_t leave);
  bool in_run() const;
  /// What a run's caches may take.
  std::size_t room() const;
  void expect(double reads);
  void want(int handle, std::size_t useful);
  /// Divides room() among the caches that are wanted, and has them filled.
  void fill();
  /// Holds a cache until the outermost run ends: for pointers that are handed out without a word on
  /// when they are no longer followed. Outside a run: until the end of the next.
  void hold_for_run(int handle);
  /// The same, but nothing outside a run, where whoever follows them has to hold().
  void hold_within_run(int handle);
  void end_run() noexcept;

 private:
  struct Entry {
    Cache cache;
    std::uint64_t used = 0;   // by uses_
    std::uint32_t holds = 0;  // not 0: does not give way
  };
  struct Wanted {
    int handle;
    CacheWant want;
  };

  explicit SpareMemory(MemoryPool& pool) : pool_(pool) {}
  void give_way(std::size_t bytes);
  std::size_t spare_locked() const;
  std::size_t obtainable_locked() const;

  MemoryPool& pool_;
  bool entered_ = false;  // among all pools'
  // Taken by allocations that lock the pool: nothing is allocated while it is locked. Recursive: a
  // source that gives way as a whole takes its caches off the list.
  mutable std::recursive_mutex mutex_;
  std::map<int, Entry> caches_;
  std::vector<Wanted> wanted_;
  std::map<int, std::shared_ptr<const void>> held_for_run_;
  std::size_t leave_ = 0;
  int runs_ = 0;
  double reads_ = 1;
  std::uint64_t uses_ = 0;
  int next_ = 0;
};

/// What could be allocated from a pool.
inline std::size_t obtainable(MemoryPool& pool) {
  return SpareMemory::of(pool).obtainable();
}

}  // namespace fathom
