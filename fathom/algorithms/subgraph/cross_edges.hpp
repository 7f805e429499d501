// Edges between given sets of vertices.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

/// The set of a vertex that is in none.
inline constexpr std::uint32_t kNoSet = ~std::uint32_t{0};

struct SetPair {
  std::uint32_t from = 0, to = 0;
  EdgeId edges = 0;
  friend bool operator==(const SetPair&, const SetPair&) = default;
};

struct CrossEdgesResult {
  std::vector<SetPair> pairs;  // with at least one edge, ascending by (from, to)
  EdgeId edges = 0;            // between different sets
  RunReport report;
};

/// Called for every edge between two sets, by ascending (u, v, w).
using CrossEdgeConsumer = std::function<void(VertexId u, VertexId v, Weight w)>;

/// Counts the edges from each set to each other one, and shows them to `consume`, if given. Of an
/// undirected graph an edge counts once, from the set of smaller number to the other.
///
/// @param set  [vertices]: the number of the set, kNoSet for none.
/// @return     unique and deterministic.
/// @throws Error(Usage) for another number of values; Error(DoesNotFit); Error(Interrupted).
/// Cost: two reads of the edges of the vertices in sets; 28 bytes per vertex and device, 8 MiB for
/// a batch of edges.
FATHOM_API CrossEdgesResult cross_edges(const Context& ctx, const Graph& graph,
                                        std::span<const std::uint32_t> set,
                                        const CrossEdgeConsumer& consume = nullptr);

/// Checks a result by one sweep over all edges that adds up a hash of each one's pair of sets
/// (wrong counts go unnoticed with a probability of 2^-64).
/// @throws Error(VerificationFailed) saying what is wrong.
/// Cost: one read of each edge; 20 bytes per vertex and device.
FATHOM_API void verify_cross_edges(const Context& ctx, const Graph& graph,
                                   std::span<const std::uint32_t> set,
                                   const CrossEdgesResult& result);

}  // namespace fathom
