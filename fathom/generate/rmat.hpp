// R-MAT (Chakrabarti, Zhan, Faloutsos, "R-MAT: a recursive model for graph mining", SDM 2004), as
// Graph500 uses it: one choice among four quadrants per bit of the vertex id. Five levels are
// resolved at once by one look-up in an alias table (Walker 1977; Vose 1991) of 4^5 outcomes.
#pragma once

#include <array>

#include "fathom/core/platform.hpp"

namespace fathom::generate {

/// Draws five R-MAT levels from 32 random bits: 10 pick a column, 22 decide between it and its
/// alias. Thresholds are rounded to 2^-22 of a column, so the probability of any set of outcomes,
/// a quadrant at some level among them, is off by less than 2^-23 (1.2e-7).
class FATHOM_API RmatTable {
 public:
  static constexpr int kLevels = 5;
  static constexpr std::uint32_t kOutcomes = 1u << (2 * kLevels);

  RmatTable(double a, double b, double c);

  /// Five row bits above five column bits; the highest of each is the first level.
  std::uint32_t draw(std::uint32_t random) const {
    const std::uint32_t column = random % kOutcomes;
    const std::uint32_t entry = entry_[column];
    const std::uint32_t take_alias =
        0u - static_cast<std::uint32_t>((random >> 10) >= (entry >> 10));
    return column ^ ((column ^ entry) & take_alias & (kOutcomes - 1));  // no branch: it is a coin
  }

  /// The probability with which draw() returns `outcome` for uniform input; exact.
  double probability(std::uint32_t outcome) const;

 private:
  std::array<std::uint32_t, kOutcomes> entry_;  // threshold << 10 | alias
};

}  // namespace fathom::generate
