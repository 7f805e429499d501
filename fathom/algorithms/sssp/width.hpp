// What searches by weight share: the width of a bucket, and the check of weights.
#pragma once

#include <span>

#include "fathom/exec/split.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

/// The width of a bucket for delta-stepping: kWidthFactor * (mean weight) / (mean degree), from a
/// sample; 1 for a graph without weights. Meyer and Sanders show that a width of the order of
/// (largest weight) / degree keeps the work linear on random weights.
Weight automatic_delta(Split& split, const Graph& graph);
/// The same by weights of the caller, one per edge.
double automatic_delta(std::span<const double> weights, VertexId vertices);

/// @throws Error(BadInput) naming an edge, when a search set the flag of Relax.
void check_weights(VertexArray<std::uint32_t, MergeOr>& bad_weight, const Graph& graph);
/// The same by weights of the caller.
void check_given_weights(VertexArray<std::uint32_t, MergeOr>& bad_weight);

}  // namespace fathom
