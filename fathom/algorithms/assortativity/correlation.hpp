// The correlation of two integers that pairs have, from exact sums.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace fathom::detail {

__extension__ using WideCount = unsigned __int128;

/// Of pairs (a, b): sums over all of them.
struct PairSums {
  WideCount pairs = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  bool operator==(const PairSums&) const = default;
};

/// x y - z w, which products of sums are far too large for, but a few bits below.
inline double difference_of_products(WideCount x, WideCount y, WideCount z, WideCount w) {
  __extension__ using Real = __float128;  // 113 bits
  const auto real = [](WideCount value) { return static_cast<Real>(value); };
  return static_cast<double>(real(x) * real(y) - real(z) * real(w));
}

/// -1 to 1; NaN where all a or all b are the same.
inline double correlation(const PairSums& sums) {
  const double joint = difference_of_products(sums.pairs, sums.ab, sums.a, sums.b);
  const double of_a = difference_of_products(sums.pairs, sums.aa, sums.a, sums.a);
  const double of_b = difference_of_products(sums.pairs, sums.bb, sums.b, sums.b);
  if (!(of_a > 0 && of_b > 0)) return std::numeric_limits<double>::quiet_NaN();
  return joint / (std::sqrt(of_a) * std::sqrt(of_b));
}

}  // namespace fathom::detail
