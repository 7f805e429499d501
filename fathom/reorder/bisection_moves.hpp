// What a bisection of some vertices is made of, wherever their queries are: what queries gain by
// moves, and who moves. All of it is exact in any order of addition, so that an order found in
// memory and one found in passes over a store are the same.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fathom/core/platform.hpp"
#include "fathom/graph/radix_sort.hpp"

namespace fathom::reorder {

inline constexpr int kBisectionIterations = 20;
inline constexpr std::size_t kBisectionLeaf = 8;  // vertices that are not split further

/// Places of an order: a set of vertices that is to be split in its middle.
struct Part {
  std::size_t first = 0, last = 0;

  std::size_t size() const { return last - first; }
  /// Of the left half, which is the smaller one.
  std::size_t half() const { return size() / 2; }
  bool is_leaf() const { return size() <= kBisectionLeaf; }
};

/// The halves of all parts that are no leaves.
inline std::vector<Part> halves_of(const std::vector<Part>& parts) {
  std::vector<Part> halves;
  halves.reserve(2 * parts.size());
  for (const Part& p : parts) {
    if (p.is_leaf()) continue;
    halves.push_back({p.first, p.first + p.half()});
    halves.push_back({p.first + p.half(), p.last});
  }
  return halves;
}

/// How many of a query's vertices are in each half of a part.
struct HalfCounts {
  std::uint32_t left = 0, right = 0;
};

/// Equation 5 of HALO: a half of n vertices pays d (log2 n - log2(d + 1)) for d of a query. What
/// moving one of them gains, in units of 2^-24, is then a constant of the two halves and a
/// difference of what the counts before and after pay.
class BisectionCosts {
 public:
  BisectionCosts() : small_(kSmall) {
    for (std::size_t d = 0; d < kSmall; ++d) small_[d] = computed(d);
  }

  /// Of moving one from the left half of a part to the right one; the other way it is the negative.
  std::int32_t of_halves(const Part& part) const {
    return units(logarithm(part.half()) - logarithm(part.size() - part.half()));
  }

  /// Of moving one of a query from a half that has `from` of it to one that has `to`.
  /// @param halves  of_halves(), with the sign of that direction.
  std::int32_t gain(std::int32_t halves, std::uint32_t from, std::uint32_t to) const {
    return halves - increment(from - 1) + increment(to);
  }

 private:
  static constexpr std::size_t kSmall = std::size_t{1} << 16;  // 256 KiB; larger counts are rare

  static double logarithm(std::size_t x) { return std::log2(static_cast<double>(x)); }
  // No gain is more than 70: twice the logarithm of the vertices and the derivative of d log d.
  static std::int32_t units(double gain) {
    return static_cast<std::int32_t>(std::lrint(gain * (1 << 24)));
  }
  /// By how much d log2(d + 1) grows with the next one.
  static std::int32_t computed(std::size_t d) {
    const auto x = static_cast<double>(d);
    return units((x + 1) * logarithm(d + 2) - x * logarithm(d + 1));
  }
  std::int32_t increment(std::uint32_t d) const { return d < kSmall ? small_[d] : computed(d); }

  std::vector<std::int32_t> small_;
};

/// A vertex of a part that may move to the other half.
struct Move {
  std::uint32_t key;  // ascending keys: descending gains
  VertexId slot;      // in the part

  static std::uint32_t key_of(float gain) {
    const auto bits = std::bit_cast<std::uint32_t>(gain);
    return bits >> 31 != 0 ? bits : ~(bits | 0x80000000u);
  }
  float gain() const { return std::bit_cast<float>(key >> 31 != 0 ? key : ~key & 0x7fffffffu); }
};

/// Keeps of move[0, n), in their order, those whose gain and `other` make more than 0.
inline std::size_t keep_gainful(Move* move, std::size_t n, float other) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    move[kept] = move[i];
    kept += move[i].gain() + other > 0 ? 1 : 0;
  }
  return kept;
}

/// Which vertices of a part trade places: the best of the left half with the best of the right one,
/// the second best with the second best, while both together gain. Equal gains: by place.
///
/// @param move     [part.size()]: move[i] of the vertex in the part's slot i. Afterwards those that
///                 trade places are at move[k] and move[half + k] for k below the result.
/// @param scratch  [part.size() - part.half()].
inline std::size_t pair_up(const Part& part, Move* move, Move* scratch, int workers) {
  const std::size_t half = part.half();
  Move* const right = move + half;
  const auto best = [](const Move* m, std::size_t n) {
    std::uint32_t least = ~std::uint32_t{0};
    for (std::size_t i = 0; i < n; ++i) least = std::min(least, m[i].key);
    return Move{least, 0}.gain();
  };
  if (half == 0) return 0;
  const float best_left = best(move, half), best_right = best(right, part.size() - half);
  // Others are paired with nobody.
  const std::size_t lefts = keep_gainful(move, half, best_right);
  const std::size_t rights = keep_gainful(right, part.size() - half, best_left);
  const auto sort = [&](Move* m, std::size_t n) {
    graph::parallel_radix_sort(
        m, scratch, n, workers, [](const Move& x) { return std::uint64_t{x.key}; },
        [](const Move*, const Move*) {});
  };
  sort(move, lefts);
  sort(right, rights);
  std::size_t pairs = 0;
  while (pairs < std::min(lefts, rights) && move[pairs].gain() + right[pairs].gain() > 0) ++pairs;
  return pairs;
}

}  // namespace fathom::reorder
