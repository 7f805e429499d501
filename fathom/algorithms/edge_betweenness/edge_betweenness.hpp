// Betweenness centrality of edges: exact, from sampled sources or from given ones; hops or weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fathom/algorithms/betweenness/betweenness.hpp"
#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

/// Normalized values are divided by n (n - 1), the number of ordered pairs.
struct EdgeBetweennessOptions : BetweennessOptions {
  // [vertices]: the place of each vertex in the order of rows: distinct numbers below vertices.
  // Empty: ids are.
  std::span<const VertexId> row = {};
};

struct EdgeBetweennessResult {
  std::uint64_t rows = 0;
  Array<VertexId> u, v;           // [rows]: the ends of each edge
  Array<double> centrality;       // [rows], and what is behind them means nothing
  std::vector<VertexId> sources;  // that were used
  int batch = 1;                  // most sources that were searched from at once
  RunReport report;
};

/// For each edge the sum, over ordered pairs (s, t) of different vertices, of the share of shortest
/// s-t paths that go along it; s a source, t a target.
///
/// Scaling is that of NetworkX: normalized values are divided by n (n - 1), others by 2 when the
/// graph is undirected; with k of n vertices as sources all are multiplied by n / k, unless targets
/// are given.
///
/// @param graph  directed or not. Of an undirected one an edge has one row, from the end that comes
///               first, and counts paths both ways. Parallel edges that the build policy kept are
///               separate paths and have a row each; merged ones are one. A loop has a row, of 0.
/// @return  rows in the order of u, then of v; of parallel edges the greatest first.
/// Weighted, @throws: as betweenness() does; Error(Usage) also for a row that is no order.
/// Cost per batch of K sources: that of betweenness() and one more read of each edge. 36 K + 32
/// bytes per vertex and device (by weight 77); of the host 20 per vertex, 8 per entry of the lists
/// and two ids per row. Entries are added up on a device that has 8 bytes for each of them, else on
/// the host, as many at a time as there are vertices.
/// Deterministic up to the rounding of sums in another order (relative 1e-9).
/// Source: Brandes, "On variants of shortest-path betweenness centrality and their generic
/// computation", Social Networks 30(2), 2008, section 3.
FATHOM_API EdgeBetweennessResult edge_betweenness(const Context& ctx, const Graph& graph,
                                                  const EdgeBetweennessOptions& options = {});

/// Compares with a serial Brandes that shares no code with edge_betweenness(). With at most
/// `samples` sources the whole result is recomputed. With more, edge_betweenness() is checked on
/// `samples` of them by value, and the result by what must hold of it: it has the graph's edges,
/// every value is finite and at least the part that the sampled sources contribute. By hops, and
/// with all vertices as targets, paths have to flow: all values together are the distances from all
/// sources; and in a directed graph each vertex that is no source receives one path more than it
/// sends for each source that reaches it.
/// @throws Error(VerificationFailed) naming an edge or a vertex; Error(Usage) when the edges cannot
///         be read by the host.
/// Cost: that of the sampled sources by one thread; breadth-first searches from all sources, up to
/// 64 at once; a read of each edge by the host, and its list sorted. 8 bytes per row (by weight 12)
/// and about 60 per vertex.
FATHOM_API void verify_edge_betweenness(const Context& ctx, const Graph& graph,
                                        const EdgeBetweennessOptions& options,
                                        const EdgeBetweennessResult& result, VertexId samples = 8);

}  // namespace fathom
