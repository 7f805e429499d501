// What edge_betweenness() and its certificate share.
#pragma once

#include "fathom/algorithms/edge_betweenness/edge_betweenness.hpp"

namespace fathom {

/// The factor of every value.
double edge_betweenness_scale(const Graph& graph, const BetweennessOptions& options,
                              std::size_t sources);

}  // namespace fathom
