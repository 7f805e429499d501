// What the search by weight and its certificate share.
#pragma once

#include <type_traits>

#include "fathom/algorithms/sssp/sssp.hpp"

namespace fathom {

/// The distances of a result in one precision.
template <class Length, class Result>
auto& distances_of(Result& result) {
  if constexpr (std::is_same_v<Length, double>)
    return result.double_distance;
  else
    return result.distance;
}

/// That weights of the caller are one per edge, and the lists in an order that the caller knows.
/// @throws Error(Usage)
void check_callers_weights(const Context& ctx, const Graph& graph, const SsspOptions& options);

}  // namespace fathom
