// Core numbers: in which dense parts of a graph each vertex holds out.
#pragma once

#include <cstdint>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

/// The layer of vertices that were not peeled, and the limit that is none.
inline constexpr std::uint32_t kUnpeeled = ~std::uint32_t{0};

struct KcoreOptions {
  /// Stop once only the vertices of this core are left; their core number is then given as this,
  /// although it may be larger.
  std::uint32_t limit = kUnpeeled;
};

struct KcoreResult {
  Array<std::uint32_t> core;     // [vertices], at most KcoreOptions::limit
  Array<std::uint32_t> layer;    // [vertices]: the round, from 1 on, in which it was peeled off;
                                 // kUnpeeled when the limit came first
  std::uint32_t degeneracy = 0;  // the largest core number
  std::uint32_t layers = 0;      // rounds
  RunReport report;
};

/// The largest k for which each vertex belongs to the k-core, the largest subgraph in which all
/// degrees are at least k; and its layer of the onion decomposition.
///
/// The degree of a vertex is the number of its edges in either direction: an edge and its reverse
/// in a directed graph count two (as in NetworkX and igraph), and so do parallel edges. Loops do
/// not count.
///
/// @return  unique and deterministic.
/// @throws Error(DoesNotFit), also for a vertex of more than 2^32 - 2 edges (in-edges that are not
///         stored are not checked); Error(Interrupted).
/// Cost: two reads of each edge, from both its ends; without the in-edges of a directed graph, one
/// read per round of all lists of vertices that are left. 8 bytes per vertex and device (12 with
/// several devices) plus frontiers.
/// Source: Matula and Beck, "Smallest-last ordering", J. ACM 30(3), 1983, peeling all vertices of
/// too small a degree at once; layers: Hebert-Dufresne, Grochow and Allard, Sci. Rep. 6, 2016.
FATHOM_API KcoreResult kcore(const Context& ctx, const Graph& graph,
                             const KcoreOptions& options = {});

/// Checks a result without peeling again. Each vertex has as many edges to vertices of no smaller
/// core number as its own says: numbers are not too large. And it has no more edges than that to
/// vertices of its own and later layers, while numbers do not fall from layer to layer: whatever
/// contains it, the first vertex of that to be peeled had no larger degree, so that numbers are not
/// too small. Layers are as early as they can be.
/// @throws Error(VerificationFailed) naming the vertex and what is wrong.
/// Cost: one read of each edge; 24 bytes per vertex and device.
FATHOM_API void verify_kcore(const Context& ctx, const Graph& graph, const KcoreOptions& options,
                             const KcoreResult& result);

}  // namespace fathom
