// The targets of a list in a hash table of nearby memory, where the targets of many other lists are
// looked up: open addressing with linear probing, filled and read by lane groups or blocks.
#pragma once

#include "fathom/core/atomic.hpp"
#include "fathom/core/platform.hpp"

namespace fathom {

/// Invariant: at most half of the slots hold a target; those with the same hash follow each other
/// without a gap. With kCounts each slot counts how often its target was found.
template <bool kCounts>
class TargetTable {
 public:
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

  /// The most targets that a table in so many words (a power of two) takes. Twice as many slots are
  /// the least: a quarter is filled where nothing is counted.
  FATHOM_HD static constexpr std::uint32_t most(std::uint32_t words) { return words / 4; }

  /// Room for at least one target and no more than most(words).
  FATHOM_HD TargetTable(VertexId* words, std::uint32_t targets) : slot_(words) {
    constexpr std::uint32_t kSpread = kCounts ? 2 : 4;
    while (mask_ + 1 < kSpread * targets) {
      mask_ = 2 * mask_ + 1;
      --shift_;
    }
    hits_ = words + (kCounts ? mask_ + 1 : 0);
  }

  FATHOM_HD std::uint32_t slots() const { return mask_ + 1; }
  FATHOM_HD VertexId target(std::uint32_t slot) const { return slot_[slot]; }
  /// Of a slot that holds a target: how often hit() was called.
  FATHOM_HD VertexId hits(std::uint32_t slot) const { return hits_[slot]; }

  /// Part `rank` of `of` of clearing it: all parts come before the first insert().
  FATHOM_HD void clear(std::uint32_t rank, std::uint32_t of) const {
    for (std::uint32_t i = rank; i <= mask_; i += of) {
      slot_[i] = kNoVertex;
      if constexpr (kCounts) hits_[i] = 0;
    }
  }
  /// From several threads at once; all of them come before the first find().
  FATHOM_HD void insert(VertexId v) const {
    std::uint32_t at = first_slot(v);
    for (;;) {
      VertexId there = kNoVertex;
      if (AtomicRef(slot_[at]).compare_exchange(there, v, Order::Relaxed) || there == v) return;
      at = (at + 1) & mask_;
    }
  }
  /// The slot of v, or kAbsent.
  FATHOM_HD std::uint32_t find(VertexId v) const {
    std::uint32_t at = first_slot(v);
    for (;;) {
      const VertexId there = slot_[at];
      if (there == v) return at;
      if (there == kNoVertex) return kAbsent;
      at = (at + 1) & mask_;
    }
  }
  FATHOM_HD void hit(std::uint32_t slot) const {
    if constexpr (kCounts) AtomicRef(hits_[slot]).fetch_add(VertexId{1});
  }

 private:
  // The golden ratio's multiples are spread evenly (Knuth, The Art of Computer Programming 3, 6.4).
  FATHOM_HD std::uint32_t first_slot(VertexId v) const {
    return static_cast<std::uint32_t>(v) * 0x9E3779B1u >> shift_;
  }

  VertexId *slot_, *hits_;
  std::uint32_t mask_ = 1;    // one less than the slots
  std::uint32_t shift_ = 31;  // 32 - log2(slots)
};

}  // namespace fathom
