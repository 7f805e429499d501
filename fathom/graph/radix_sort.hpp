// Stable least-significant-digit radix sort of records by an integer key: the kernel of every
// sort of edges. Meant for blocks that stay in a core's cache; larger ones are split first.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace fathom::graph {

// 11 bits: the counters (8 KiB) and the open output lines stay in a 32 KiB first-level cache.
inline constexpr int kDigitBits = 11;
// Below these sizes clearing the counters costs more than the sort saves (measured on Zen 3).
inline constexpr std::size_t kSmallDigitBelow = 3000;
inline constexpr std::size_t kInsertionBelow = 40;

/// Sorts data[0, n) by bits [first_bit, last_bit) of key(record), keeping the order of equals.
/// `scratch` holds n records too. Returns the array that has the result: `data` or `scratch`.
template <class T, class Key>
T* radix_sort(T* data, T* scratch, std::size_t n, int first_bit, int last_bit, const Key& key) {
  if (n < 2 || last_bit <= first_bit) return data;
  if (n < kInsertionBelow) {
    // Bits outside [first_bit, last_bit) must not influence the order.
    const std::uint64_t mask =
        (last_bit >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << last_bit) - 1);
    for (std::size_t i = 1; i < n; ++i) {
      const T record = data[i];
      const std::uint64_t k = (key(record) & mask) >> first_bit;
      std::size_t at = i;
      for (; at > 0 && (key(data[at - 1]) & mask) >> first_bit > k; --at) data[at] = data[at - 1];
      data[at] = record;
    }
    return data;
  }
  const int widest = n < kSmallDigitBelow ? 8 : kDigitBits;
  const int passes = (last_bit - first_bit + widest - 1) / widest;
  const int width = (last_bit - first_bit + passes - 1) / passes;
  std::array<std::size_t, std::size_t{1} << kDigitBits> position;
  for (int bit = first_bit; bit < last_bit; bit += width) {
    const int digit_bits = std::min(width, last_bit - bit);
    const std::uint64_t mask = (std::uint64_t{1} << digit_bits) - 1;
    const std::size_t digits = std::size_t{1} << digit_bits;
    std::fill_n(position.begin(), digits, std::size_t{0});
    for (std::size_t i = 0; i < n; ++i) ++position[(key(data[i]) >> bit) & mask];
    if (position[(key(data[0]) >> bit) & mask] == n) continue;  // one digit for all
    std::size_t sum = 0;
    for (std::size_t d = 0; d < digits; ++d) {
      const std::size_t count = position[d];
      position[d] = sum;
      sum += count;
    }
    for (std::size_t i = 0; i < n; ++i) scratch[position[(key(data[i]) >> bit) & mask]++] = data[i];
    std::swap(data, scratch);
  }
  return data;
}

}  // namespace fathom::graph
