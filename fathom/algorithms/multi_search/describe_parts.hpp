// What algorithms that search in batches say alike of what they read.
#pragma once

#include <cstdint>
#include <string_view>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/multi_search/multi_search.hpp"

namespace fathom {

// Runs that were measured, of closeness: a batch, and one of few searches, which have less in
// common.
inline constexpr std::string_view kBatchRate = "closeness", kFewRate = "closeness --k 8";
inline constexpr std::uint64_t kBatchSearches = MultiSearch::kMost, kFewSearches = 8;

/// Of a batch up to three and a half times the edges, on R-MAT and uniform graphs; one that is not
/// full takes as long as a full one at most, and its share of that at least.
/// @param searches  0: from every vertex.
Reads reads_in_batches(const Algorithm::Where& where, std::uint64_t searches);

}  // namespace fathom
