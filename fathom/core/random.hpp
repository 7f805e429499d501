// Counter-based randomness: the i-th number of a stream is a pure function of (seed, stream, i), so
// nothing has to be generated in order. The mixer is SplitMix64's (Steele, Lea, Flood, "Fast
// splittable pseudorandom number generators", OOPSLA 2014).
#pragma once

#include "fathom/core/platform.hpp"

namespace fathom {

/// A bijection of 64-bit words in which every input bit reaches every output bit.
FATHOM_HD constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Random access to 2^64 independent-looking 64-bit words. Streams of one seed do not correlate.
class RandomStream {
 public:
  FATHOM_HD constexpr RandomStream(std::uint64_t seed, std::uint64_t stream)
      : key_(mix64(mix64(seed + kGolden) + (stream + 1) * kGolden)) {}

  FATHOM_HD constexpr std::uint64_t at(std::uint64_t i) const { return mix64(key_ + i * kGolden); }

  /// A word for an ordered pair.
  FATHOM_HD constexpr std::uint64_t at(std::uint64_t i, std::uint64_t j) const {
    return mix64(at(i) + j * kGolden);
  }

 private:
  static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;  // odd, so i -> i * kGolden is 1:1
  std::uint64_t key_;
};

/// Maps a random word to [0, n), n > 0, with a bias below n / 2^64 (Lemire's multiply-shift).
FATHOM_HD constexpr std::uint64_t bounded(std::uint64_t word, std::uint64_t n) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(word) * n) >> 64);
}

/// Maps a random word to [0, 1), in steps of 2^-53.
FATHOM_HD constexpr double unit_interval(std::uint64_t word) {
  return static_cast<double>(word >> 11) * 0x1p-53;
}

}  // namespace fathom
