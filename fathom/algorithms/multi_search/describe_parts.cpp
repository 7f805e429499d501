#include "fathom/algorithms/multi_search/describe_parts.hpp"

#include <algorithm>
#include <cmath>

namespace fathom {

Reads reads_in_batches(const Algorithm::Where& where, std::uint64_t searches) {
  constexpr double kEdgesOfBatch = 3.5;
  if (searches == 0) searches = where.vertices;
  const auto count = static_cast<double>(searches);
  const double batches = std::max(1., std::ceil(count / double{kBatchSearches}));
  // The nearer of both.
  const bool few = searches * searches < kFewSearches * kBatchSearches;
  const double measured = few ? double{kFewSearches} : double{kBatchSearches};
  const auto [least, most] = std::minmax(count / measured, few ? 1. : batches);
  return {.kind = Reads::Kind::Traversal,
          .least = 0,
          .most = kEdgesOfBatch * batches,
          .rate = few ? kFewRate : kBatchRate,
          .least_work = least,
          .most_work = most};
}

}  // namespace fathom
