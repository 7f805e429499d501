// The variants under test, and what the tests of the memory manager share.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "fathom/core/random.hpp"
#include "fathom/memory/host_heap.hpp"

namespace fathom::memory {

/// Yields at random at every marked point, and refuses chunks when told to.
struct Disturbed : CheckedTraits {
  static void mark(Point) {
    thread_local std::uint64_t state = next_seed();
    state = state * 6364136223846793005u + 1442695040888963407u;
    if (state >> 60 == 0) sched_yield();
  }
  static bool grants_chunk() {
    return refused_from.load() > asked.fetch_add(1, std::memory_order_relaxed);
  }
  static std::uint64_t next_seed() {
    static std::atomic<std::uint64_t> seed{1};
    return seed.fetch_add(0x9e3779b97f4a7c15u);
  }
  static inline std::atomic<std::uint64_t> asked{0}, refused_from{~std::uint64_t{0}};
};

template <class V>
using Tested = Ouroboros<V, V, Disturbed>;
using Mixed = Ouroboros<VLP, SC, Disturbed>;

template <class V>
using Checked = Ouroboros<V, V, CheckedTraits>;

using DisturbedVariants = ::testing::Types<Tested<SP>, Tested<SC>, Tested<VAP>, Tested<VAC>,
                                           Tested<VLP>, Tested<VLC>, Mixed>;
using CheckedVariants =
    ::testing::Types<Checked<SP>, Checked<SC>, Checked<VAP>, Checked<VAC>, Checked<VLP>,
                     Checked<VLC>, Ouroboros<VLP, SC, CheckedTraits>>;

/// Live allocations by address; tells overlaps.
class Shadow {
 public:
  /// Whether [p, p + bytes) is free of others.
  bool add(const void* p, std::uint64_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(p);
    const auto after = live_.lower_bound(begin);
    if (after != live_.end() && after->first < begin + bytes) return false;
    if (after != live_.begin()) {
      const auto before = std::prev(after);
      if (before->first + before->second > begin) return false;
    }
    live_[begin] = bytes;
    return true;
  }
  void remove(const void* p) { live_.erase(reinterpret_cast<std::uintptr_t>(p)); }

 private:
  std::map<std::uintptr_t, std::uint64_t> live_;
};

inline std::uint64_t rounded(std::uint64_t bytes) {
  return page_bytes(class_of(bytes));
}

}  // namespace fathom::memory
