// Which place a vertex has among those that were found: a hash table with linear probing that holds
// places alone, 4 bytes each, and looks vertices up where they are.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <span>
#include <utility>

#include "fathom/algorithms/neighbor_sampling/growing_array.hpp"
#include "fathom/core/random.hpp"

namespace fathom {

inline constexpr std::uint32_t kNoPlace = ~std::uint32_t{0};

/// A look-up for kernels; of vertices without trees.
struct PlaceRef {
  const VertexId* vertex;      // by place
  const std::uint32_t* place;  // [mask + 1]
  std::uint32_t mask;

  /// The place of u, kNoPlace without one.
  FATHOM_HD std::uint32_t of(VertexId u) const {
    for (std::uint32_t i = static_cast<std::uint32_t>(mix64(u)) & mask;; i = (i + 1) & mask) {
      const std::uint32_t at = place[i];
      if (at == kNoPlace || vertex[at] == u) return at;
    }
  }
};

/// Distinct (vertex, tree) pairs, found at the end of arrays that the caller keeps.
///
/// Invariants: at most half of the table is taken; a pair is found by probing from its hash up to
/// the first empty place.
class LocalIds {
 public:
  explicit LocalIds(std::shared_ptr<MemoryPool> pool) : pool_(std::move(pool)), table_(pool_) {}

  /// Forgets all pairs. Room for as many as there were is kept, what more there is is not cleared.
  void clear() {
    set_capacity(std::bit_ceil(std::max<std::size_t>(64, 2 * taken_)));
    taken_ = 0;
  }

  static std::uint64_t hash(VertexId v, std::uint32_t tree) {
    return mix64(v ^ std::uint64_t{tree} << 32);
  }
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(table_.data() + (hash & mask_)); }

  /// The place of (v, tree), which is `next` if it was not there. `tree` of places may be null:
  /// there is one tree.
  std::uint32_t find_or_add(std::uint64_t hash, VertexId v, std::uint32_t in_tree,
                            std::uint32_t next, const VertexId* vertex, const std::uint32_t* tree) {
    std::size_t i = hash & mask_;
    for (std::uint32_t at; (at = table_[i]) != kNoPlace; i = (i + 1) & mask_)
      if (vertex[at] == v && (!tree || tree[at] == in_tree)) return at;
    if (2 * (taken_ + 1) > table_.size()) {
      grow(vertex, tree);
      i = hash & mask_;
      while (table_[i] != kNoPlace) i = (i + 1) & mask_;
    }
    table_[i] = next;
    ++taken_;
    return next;
  }

  /// What PlaceRef looks into.
  std::span<const std::uint32_t> table() const { return table_.span(); }

 private:
  void set_capacity(std::size_t capacity) {
    table_.resize(capacity);
    mask_ = capacity - 1;
    std::fill_n(table_.data(), capacity, kNoPlace);
  }
  void grow(const VertexId* vertex, const std::uint32_t* tree) {
    const GrowingArray<std::uint32_t> smaller =
        std::exchange(table_, GrowingArray<std::uint32_t>(pool_));
    set_capacity(2 * smaller.size());
    for (const std::uint32_t at : smaller.span()) {
      if (at == kNoPlace) continue;
      std::size_t i = hash(vertex[at], tree ? tree[at] : 0) & mask_;
      while (table_[i] != kNoPlace) i = (i + 1) & mask_;
      table_[i] = at;
    }
  }

  std::shared_ptr<MemoryPool> pool_;
  GrowingArray<std::uint32_t> table_;
  std::size_t mask_ = 0, taken_ = 0;
};

}  // namespace fathom
