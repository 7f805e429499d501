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
  const double share = count / (few ? double{kFewSearches} : double{kBatchSearches});
  const double whole = few ? 1 : batches;
  return {.kind = Reads::Kind::Traversal,
          .least = 0,
          .most = kEdgesOfBatch * batches,
          .rate = few ? kFewRate : kBatchRate,
          .least_work = std::min(share, whole),
          .most_work = std::max(share, whole)};
}

}  // namespace fathom
