// What estimating radii shares with its certificate.
#pragma once

#include <span>

#include "fathom/algorithms/radius/radius.hpp"

namespace fathom {

/// How far a score may be below another one and still stand for the quantile of it: estimates are
/// proportional to 2^(score / sketches).
std::uint32_t score_slack(const RadiusOptions& options);

/// Hops within which the quantile of the last entry of `pairs` is, interpolated.
double effective_diameter(std::span<const double> pairs, double quantile);

}  // namespace fathom
