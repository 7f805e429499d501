// Degrees, and how they are distributed.
#pragma once

#include <cstdint>
#include <vector>

#include "fathom/algorithms/degrees/power_law.hpp"
#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct DegreesResult {
  Array<EdgeId> out;  // [vertices]
  Array<EdgeId> in;   // [vertices]; empty when the graph is undirected: the same as out
  RunReport report;

  /// Of v, in both directions; for an undirected graph the length of its list.
  EdgeId degree(VertexId v) const { return out[v] + (in.empty() ? 0 : in[v]); }
};

/// The number of edges of each vertex. Parallel edges count each; a loop of an undirected graph
/// counts once, as it is stored.
///
/// @throws Error(DoesNotFit); Error(Interrupted).
/// Cost: no edge is read; without the in-edges of a directed graph, each once. 16 bytes per vertex
/// and device (8 when undirected). Deterministic.
FATHOM_API DegreesResult degrees(const Context& ctx, const Graph& graph);

/// How many vertices have each degree that occurs, ascending.
FATHOM_API std::vector<DegreeFrequency> degree_distribution(std::span<const EdgeId> degrees);

/// Checks a result by counting the ends of all edges.
/// @throws Error(VerificationFailed) naming the vertex and what is wrong.
/// Cost: one read of each edge; 32 bytes per vertex and device.
FATHOM_API void verify_degrees(const Context& ctx, const Graph& graph, const DegreesResult& result);

}  // namespace fathom
