// The algorithms that plans are made of: those that describe themselves, and some whose commands
// are written by hand, which say of themselves only what a plan needs (state, reads, planned
// options, and how a pilot runs them).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "fathom/algorithms/described/algorithm.hpp"

namespace fathom {

/// The option of an algorithm that works in batches: how many at a time, a power of 2; 0 for the
/// fewest. What is beyond its most means that. Plans choose it, as runs do, by the memory there is.
inline constexpr std::string_view kPlannedBatch = "batch";

/// In the order they are offered.
FATHOM_API std::vector<const Algorithm*> planned_descriptions();
/// Null: there is none.
FATHOM_API const Algorithm* find_planned(std::string_view name);

}  // namespace fathom
