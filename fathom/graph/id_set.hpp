// The set of integer ids an input uses, as a bitmap, and the dense ids they map to: an id's rank.
//
// Ranks keep the order of ids, so edges can be sorted before the set is complete. Memory: one bit
// per possible id, 1/16 more for ranks; untouched pages cost nothing.
#pragma once

#include <bit>
#include <span>
#include <vector>

#include "fathom/core/bits.hpp"
#include "fathom/core/platform.hpp"
#include "fathom/graph/pages.hpp"

namespace fathom::graph {

class IdSet {
 public:
  /// Ids below the largest multiple of 512 whose set fits `memory` bytes and VertexId.
  explicit IdSet(std::size_t memory)
      : capacity_(std::min<std::uint64_t>(memory / 17 * 16 * 8, kNoVertex) / kSpan * kSpan),
        words_(capacity_ / 64),
        rank_(capacity_ / kSpan) {}

  std::uint64_t capacity() const { return capacity_; }

  /// `id` must be below capacity().
  void add(std::uint64_t id) {
    std::uint64_t& word = words_.data()[id / 64];
    const std::uint64_t bit = std::uint64_t{1} << id % 64;
    if ((word & bit) == 0) word |= bit;  // mostly there already: do not dirty the line
    if (id >= end_) end_ = id + 1;
  }

  /// Nothing is added any more; makes rank() and size() known.
  void seal() {
    for (std::uint64_t i = 0; i * kSpan < end_; ++i) {
      rank_.data()[i] = size_;
      for (std::uint64_t w = 0; w < kSpan / 64; ++w)
        size_ += count_bits(words_.data()[i * (kSpan / 64) + w]);
    }
  }

  VertexId size() const { return size_; }
  /// Whether the ids are consecutive. True when there are none.
  bool contiguous() const { return size_ == 0 || end_ - size_ == first(); }
  /// The smallest id; the set must not be empty.
  std::uint64_t first() const {
    std::uint64_t w = 0;
    while (words_.data()[w] == 0) ++w;
    return w * 64 + static_cast<std::uint64_t>(std::countr_zero(words_.data()[w]));
  }

  /// How many smaller ids there are.
  VertexId rank(VertexId id) const {
    VertexId r = rank_.data()[id / kSpan];
    for (std::uint64_t w = id / kSpan * (kSpan / 64); w < id / 64; ++w)
      r += count_bits(words_.data()[w]);
    const std::uint64_t below = (std::uint64_t{1} << id % 64) - 1;
    return r + count_bits(words_.data()[id / 64] & below);
  }

  /// Calls sink(span of ascending ids) until all ids were given.
  template <class Sink>
  void for_each(const Sink& sink) const {
    std::vector<std::uint64_t> piece;
    for (std::uint64_t w = 0; w * 64 < end_; ++w) {
      for (std::uint64_t bits = words_.data()[w]; bits != 0; bits &= bits - 1)
        piece.push_back(w * 64 + static_cast<std::uint64_t>(std::countr_zero(bits)));
      if (piece.size() >= 8192 || (w + 1) * 64 >= end_) {
        sink(std::span<const std::uint64_t>(piece));
        piece.clear();
      }
    }
  }

 private:
  static constexpr std::uint64_t kSpan = 512;  // ids per rank: one cache line of the bitmap

  std::uint64_t capacity_;
  Pages<std::uint64_t> words_;
  Pages<VertexId> rank_;
  std::uint64_t end_ = 0;  // one past the largest id
  VertexId size_ = 0;
};

}  // namespace fathom::graph
