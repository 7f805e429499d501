// The set of integer ids an input uses, as a bitmap, and the dense ids they map to: an id's rank.
//
// Ranks keep the order of ids, so edges can be sorted before the set is complete. Memory: one bit
// per possible id, a quarter more for ranks; untouched pages cost nothing. Ranks are kept as Vigna
// does (Broadword Implementation of Rank/Select Queries, 2008): one per cache line of the bitmap,
// and beside it how many bits its first words have.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "fathom/core/atomic.hpp"
#include "fathom/core/bits.hpp"
#include "fathom/core/platform.hpp"
#include "fathom/graph/pages.hpp"

namespace fathom::graph {

class IdSet {
 public:
  /// Ids below the largest multiple of 512 whose set fits `memory` bytes and VertexId.
  explicit IdSet(std::size_t memory)
      : capacity_(std::min<std::uint64_t>(memory / 80 * 64 * 8, kNoVertex) / kSpan * kSpan),
        words_(capacity_ / 64),
        rank_(capacity_ / kSpan) {}

  std::uint64_t capacity() const { return capacity_; }

  /// `id` must be below capacity(). May be called concurrently, by whoever calls reach() after.
  void add(std::uint64_t id) {
    const AtomicRef word(words_.data()[id / 64]);
    const std::uint64_t bit = std::uint64_t{1} << id % 64;
    if ((word.load() & bit) == 0) word.fetch_or(bit);  // mostly there: do not dirty the line
  }
  /// No id that was added is at `end` or above. Not concurrent.
  void reach(std::uint64_t end) { end_ = std::max(end_, end); }

  /// Nothing is added any more; makes rank() and size() known.
  void seal() {
    for (std::uint64_t i = 0; i * kSpan < end_; ++i) {
      std::uint64_t before = 0, inside = 0;
      for (std::uint64_t w = 0; w < kSpan / 64; ++w) {
        if (w > 0) inside |= before << kField * (w - 1);
        before += count_bits(words_.data()[i * (kSpan / 64) + w]);
      }
      rank_.data()[i] = {size_, inside};
      size_ += static_cast<VertexId>(before);
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
    const Rank rank = rank_.data()[id / kSpan];
    const std::uint64_t word = id / 64, below = (std::uint64_t{1} << id % 64) - 1;
    const std::uint64_t nth = word % (kSpan / 64);
    const std::uint64_t inside = nth == 0 ? 0 : rank.inside >> kField * (nth - 1) & (kSpan - 1);
    return rank.before + static_cast<VertexId>(inside) + count_bits(words_.data()[word] & below);
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
  static constexpr std::uint64_t kField = 9;   // bits of a number below kSpan

  struct Rank {
    VertexId before;       // ids in the spans before
    std::uint64_t inside;  // and in the span before its words 1 to 7: kField bits each
  };

  std::uint64_t capacity_;
  Pages<std::uint64_t> words_;
  Pages<Rank> rank_;
  std::uint64_t end_ = 0;  // one past the largest id
  VertexId size_ = 0;
};

}  // namespace fathom::graph
