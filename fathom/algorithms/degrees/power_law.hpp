// Whether degrees follow a power law: the discrete maximum-likelihood fit of the tail.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "fathom/core/platform.hpp"

namespace fathom {

/// So many vertices have this degree.
struct DegreeFrequency {
  std::uint64_t degree = 0, vertices = 0;
  friend bool operator==(const DegreeFrequency&, const DegreeFrequency&) = default;
};

/// P(degree = x) is proportional to x^-alpha for x >= minimum.
struct PowerLaw {
  double alpha = 0;
  double error = 0;           // standard error of alpha, (alpha - 1) / sqrt(tail)
  std::uint64_t minimum = 0;  // where the tail begins
  std::uint64_t tail = 0;     // vertices in it
  double distance = 0;        // largest difference of the cumulative distributions
                              // (Kolmogorov-Smirnov) of tail and fit, in [0, 1]
};

/// The power law that is nearest to a tail of the distribution, of all the tails with at least 50
/// vertices and two degrees (of 64 of them, spread evenly over the logarithm, when there are more);
/// nothing when there is no such tail. Says how near it is, not whether another law were nearer.
///
/// @param distribution  ascending by degree, each once; degree 0 is left out.
/// Cost: 64 times the number of distinct degrees.
/// Source: Clauset, Shalizi and Newman, "Power-law distributions in empirical data", SIAM Review
/// 51(4), 2009, sections 3.1 (discrete case) and 3.3.
FATHOM_API std::optional<PowerLaw> fit_power_law(std::span<const DegreeFrequency> distribution);

/// The sum over k >= 0 of (q + k)^-s, for s > 1 and q >= 1; relative error below 1e-12.
FATHOM_API double hurwitz_zeta(double s, double q);

}  // namespace fathom
