// Stable radix sorts of records by an integer key: the kernel of every sort of edges.
//
// radix_sort works from the least significant digit and is meant for blocks that stay in a core's
// cache; parallel_radix_sort first splits by the most significant bits.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "fathom/core/parallel_each.hpp"

namespace fathom::graph {

// 11 bits: the counters (8 KiB) and the open output lines stay in a 32 KiB first-level cache.
inline constexpr int kDigitBits = 11;
// Below these sizes clearing the counters costs more than the sort saves.
inline constexpr std::size_t kSmallDigitBelow = 3000;
inline constexpr std::size_t kInsertionBelow = 40;

/// Sorts data[0, n) by the bits of key(record) that are set in `bits`, keeping the order of equals.
/// `scratch` holds n records too. Returns the array that has the result: `data` or `scratch`.
template <class T, class Key>
T* radix_sort(T* data, T* scratch, std::size_t n, std::uint64_t bits, const Key& key) {
  if (n < 2) return data;
  if (n < kInsertionBelow) {
    for (std::size_t i = 1; i < n; ++i) {
      const T record = data[i];
      const std::uint64_t k = key(record) & bits;
      std::size_t at = i;
      for (; at > 0 && (key(data[at - 1]) & bits) > k; --at) data[at] = data[at - 1];
      data[at] = record;
    }
    return data;
  }
  if (n > std::numeric_limits<std::uint32_t>::max()) {  // beyond the counters
    std::stable_sort(data, data + n,
                     [&](const T& a, const T& b) { return (key(a) & bits) < (key(b) & bits); });
    return data;
  }
  const int widest = n < kSmallDigitBelow ? 8 : kDigitBits;
  std::array<std::uint32_t, std::size_t{1} << kDigitBits> position;
  while (bits != 0) {
    const int shift = std::countr_zero(bits);
    const std::uint64_t mask = (bits >> shift) & ((std::uint64_t{1} << widest) - 1);
    bits &= ~(mask << shift);
    std::fill_n(position.begin(), std::bit_ceil(mask + 1), 0u);
    for (std::size_t i = 0; i < n; ++i) ++position[(key(data[i]) >> shift) & mask];
    if (position[(key(data[0]) >> shift) & mask] == n) continue;  // one digit for all
    std::uint32_t sum = 0;
    for (std::uint64_t d = 0; d <= mask; ++d) {
      const std::uint32_t count = position[d];
      position[d] = sum;
      sum += count;
    }
    for (std::size_t i = 0; i < n; ++i)
      scratch[position[(key(data[i]) >> shift) & mask]++] = data[i];
    std::swap(data, scratch);
  }
  return data;
}

/// Sorts data[0, n) by key(record), keeping the order of equals, and calls block(first, last) for
/// disjoint ranges that cover it and do not split equal keys, concurrently, once each is sorted.
/// `scratch` holds n records too; its content is lost. What comes sorted is read once.
template <class T, class Key, class Block>
void parallel_radix_sort(T* data, T* scratch, std::size_t n, int workers, const Key& key,
                         const Block& block) {
  constexpr std::size_t kGrain = std::size_t{1} << 16;
  constexpr int kBucketBits = 10;
  if (n == 0) return;
  struct Seen {
    std::uint64_t varying = 0;  // bits of keys
    bool ascending = true;
  };
  const auto [varying, ascending] = parallel_reduce(
      workers, n, kGrain, Seen{},
      [&](std::size_t first, std::size_t last) {
        std::uint64_t bits = 0, descents = 0, before = key(data[first == 0 ? 0 : first - 1]);
        const std::uint64_t one = key(data[0]);
        for (std::size_t i = first; i < last; ++i) {
          const std::uint64_t k = key(data[i]);
          bits |= k ^ one;
          descents |= static_cast<std::uint64_t>(k < before);
          before = k;
        }
        return Seen{bits, descents == 0};
      },
      [](Seen a, Seen b) {
        return Seen{a.varying | b.varying, a.ascending && b.ascending};
      });
  if (ascending) {
    std::vector<std::size_t> border{0};
    while (border.back() < n) {
      std::size_t i = std::min(border.back() + kGrain, n);
      while (i < n && key(data[i]) == key(data[i - 1])) ++i;
      border.push_back(i);
    }
    parallel_each(workers, border.size() - 1,
                  [&](std::size_t b, int) { block(data + border[b], data + border[b + 1]); });
    return;
  }
  auto sort_in_place = [&](T* from, T* to, std::size_t size, std::uint64_t bits) {
    // `from` has the records; the result belongs into the part of `data`.
    T* sorted = radix_sort(from, from == to ? scratch : to, size, bits, key);
    if (sorted != to) std::copy_n(sorted, size, to);
    block(to, to + size);
  };
  if (n < kGrain) return sort_in_place(data, data, n, varying);

  const int shift = std::max(0, static_cast<int>(std::bit_width(varying)) - kBucketBits);
  const std::uint64_t mask = (std::uint64_t{1} << kBucketBits) - 1;
  const std::size_t buckets = mask + 1;
  const std::size_t pieces = static_cast<std::size_t>(workers);
  const std::size_t piece_size = (n + pieces - 1) / pieces;
  std::vector<std::size_t> position(pieces * buckets, 0), start(buckets + 1, 0);
  parallel_pieces(workers, n, piece_size, [&](std::size_t first, std::size_t last, int) {
    std::size_t* count = position.data() + first / piece_size * buckets;
    for (std::size_t i = first; i < last; ++i) ++count[(key(data[i]) >> shift) & mask];
  });
  std::size_t sum = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    start[b] = sum;
    for (std::size_t p = 0; p < pieces; ++p) {
      const std::size_t count = position[p * buckets + b];
      position[p * buckets + b] = sum;
      sum += count;
    }
  }
  start[buckets] = n;
  parallel_pieces(workers, n, piece_size, [&](std::size_t first, std::size_t last, int) {
    std::size_t* at = position.data() + first / piece_size * buckets;
    for (std::size_t i = first; i < last; ++i)
      scratch[at[(key(data[i]) >> shift) & mask]++] = data[i];
  });
  const std::uint64_t low = varying & ((std::uint64_t{1} << shift) - 1);
  parallel_each(workers, buckets, [&](std::size_t b, int) {
    sort_in_place(scratch + start[b], data + start[b], start[b + 1] - start[b], low);
  });
}

}  // namespace fathom::graph
