#include "fathom/algorithms/pagerank/describe_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fathom/algorithms/pagerank/walk.hpp"
#include "fathom/algorithms/state_sizes.hpp"

namespace fathom {

using Kind = OptionInfo::Kind;

OptionInfo tolerance_option(std::string_view meaning, double standard) {
  return {.name = "tol",
          .kind = Kind::Real,
          .value = "X",
          .meaning = meaning,
          .shows_default = true,
          .real = standard,
          .planned = true};
}

OptionInfo max_iterations_option(std::uint32_t standard) {
  return {.name = "max-iter",
          .kind = Kind::Count,
          .value = "N",
          .meaning = "Give up after so many (exit status 7)",
          .most = OptionInfo::kMost32,
          .positive = true,
          .count = standard,
          .shows_default = true,
          .planned = true};
}

OptionInfo weighted_walk_option() {
  return {.name = "weighted",
          .meaning = "Follow edges in proportion to their weights",
          .planned = true};
}

OptionInfo counted_weights_option() {
  return {.name = "weighted", .meaning = "Count edges by their weights", .planned = true};
}

std::string walk_end(const RunReport& report, double residual) {
  return fmt::format("{} after {} iterations, last change {:.3g}\n",
                     report.converged ? "converged" : "not converged", report.iterations, residual);
}

std::uint32_t most_iterations(double alpha, double tolerance, std::uint32_t limit) {
  if (!(alpha > 0 && alpha < 1) || !(tolerance > 0)) return limit;
  if (tolerance >= 2) return std::min<std::uint32_t>(1, limit);
  const double bound = std::ceil(std::log(tolerance / 2) / std::log(alpha));
  return bound < limit ? static_cast<std::uint32_t>(bound) : limit;
}

bool PlannedWalk::in_place(const Algorithm::Where& where) const {
  return !plain && where.in_reach && where.has_in;
}

bool PlannedWalk::conjugate(const Algorithm::Where& where) const {
  return !plain && !where.scarce && is_symmetric_system(where.directed, alpha, tolerance) &&
         !in_place(where);
}

StateSize walk_state(const Algorithm::Where& where, const PlannedWalk& walk) {
  return pagerank_state({.share_bytes = walk.tolerance >= kFloatShareTolerance ? 4. : 8.,
                         .weights = walk.weighted && where.weighted,
                         .personalized = walk.personalized,
                         .in_place = walk.in_place(where),
                         .conjugate = walk.conjugate(where)});
}

double walk_bound(const Algorithm::Where& where, const PlannedWalk& walk) {
  double shrinks = walk.alpha;
  if (walk.conjugate(where)) {
    const double root = std::sqrt((1 + walk.alpha) / (1 - walk.alpha));  // of the condition
    shrinks = (root - 1) / (root + 1);
  }
  return static_cast<double>(most_iterations(shrinks, walk.tolerance, ~0u));
}

}  // namespace fathom
