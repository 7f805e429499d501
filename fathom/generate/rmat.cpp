#include "fathom/generate/rmat.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace fathom::generate {
namespace {

constexpr double kColumn = 1u << 22;  // coin values per column

/// Probability of each outcome: the product over the levels of its quadrants' probabilities.
std::vector<double> outcome_probabilities(const std::array<double, 4>& quadrant) {
  std::vector<double> p(RmatTable::kOutcomes, 1.0);
  for (std::uint32_t o = 0; o < RmatTable::kOutcomes; ++o)
    for (int level = 0; level < RmatTable::kLevels; ++level) {
      const std::uint32_t row = (o >> (RmatTable::kLevels + level)) & 1;
      const std::uint32_t column = (o >> level) & 1;
      p[o] *= quadrant[2 * row + column];
    }
  return p;
}

}  // namespace

RmatTable::RmatTable(double a, double b, double c) {
  std::vector<double> p = outcome_probabilities({a, b, c, std::max(0.0, 1.0 - a - b - c)});
  std::vector<std::uint32_t> poor, rich;  // columns with less, with more than their share
  for (std::uint32_t o = 0; o < kOutcomes; ++o) {
    p[o] *= kOutcomes;
    (p[o] < 1.0 ? poor : rich).push_back(o);
    entry_[o] = o;  // a full column is its own alias, whatever the threshold
  }
  while (!poor.empty() && !rich.empty()) {
    const std::uint32_t small = poor.back(), large = rich.back();
    poor.pop_back();
    const double threshold = std::min(std::nearbyint(p[small] * kColumn), kColumn - 1);
    entry_[small] = static_cast<std::uint32_t>(threshold) << 10 | large;
    p[large] -= 1.0 - p[small];
    if (p[large] < 1.0) {
      rich.pop_back();
      poor.push_back(large);
    }
  }
}

double RmatTable::probability(std::uint32_t outcome) const {
  double coins = 0;
  for (std::uint32_t column = 0; column < kOutcomes; ++column) {
    const double kept = entry_[column] >> 10;
    if (column == outcome) coins += kept;
    if (entry_[column] % kOutcomes == outcome) coins += kColumn - kept;
  }
  return coins / (kColumn * kOutcomes);
}

}  // namespace fathom::generate
