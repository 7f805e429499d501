// Cycles among parents, and what they weigh.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom::detail {

/// The cycles that are arrived at going back from parent to parent, from smaller vertices first;
/// each along edges, its smallest vertex first. kNoVertex: no parent. Cost: a step per vertex.
std::vector<std::vector<VertexId>> cycles_among(Array<VertexId> parent);

/// The sum of the lightest edges from each vertex to the next and from the last to the first; its
/// sign is exact, its value as near as a few roundings. Nothing when an edge is missing.
std::optional<double> cycle_weight(const Graph& graph, std::span<const VertexId> cycle);

}  // namespace fathom::detail
