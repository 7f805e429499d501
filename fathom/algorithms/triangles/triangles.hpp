// Triangle counting.
#pragma once

#include <cstdint>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct TrianglesOptions {
  bool per_vertex = false;
};

struct TrianglesResult {
  std::uint64_t total = 0;
  Array<std::uint64_t> per_vertex;  // [vertices] when asked for, else empty: triangles that contain
                                    // the vertex; sums to 3 * total
  RunReport report;
};

/// The triangles of the underlying undirected simple graph: direction, loops and multiplicity of
/// edges do not matter.
///
/// @return  exact and deterministic.
/// @throws Error(DoesNotFit) also when the longest degree-oriented list, at most sqrt(2 * edges)
///         entries, does not fit half of the page frames; Error(Interrupted).
/// Cost: one read of v's oriented list for each oriented edge (u, v), at most edges ^ 1.5 entries
/// in all; a bit per vertex and worker of a host, with counts 4 bytes more, and 8 per vertex.
/// Builds the oriented lists (4 bytes per edge of the simple graph) where the store lacks them: a
/// GPU in its own memory where it has room for them (docs/adr/0025), else the host. One host leaves
/// the lists of an undirected graph as they are where they are short, as those of road networks
/// and meshes: one read of v's list for each edge, and no bits. Source: Chiba and Nishizeki,
/// "Arboricity and subgraph listing algorithms", SIAM J. Comput. 14(1), 1985.
FATHOM_API TrianglesResult count_triangles(const Context& ctx, const Graph& graph,
                                           const TrianglesOptions& options = {});

/// Checks a result by another method: the degree-oriented lists hold the graph's edges (compared as
/// sets of hashes: one missing or foreign edge goes unnoticed with a probability of 2^-4), each
/// once and without directed cycles; and merging each pair of lists counts as many triangles.
/// @throws Error(VerificationFailed) saying what is wrong.
/// Cost: reads of both lists for each oriented edge; 2 bytes per edge and 16 per vertex and device.
FATHOM_API void verify_triangles(const Context& ctx, const Graph& graph,
                                 const TrianglesResult& result);

}  // namespace fathom
