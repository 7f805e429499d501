// Edge list -> CSR, with explicit policies, within a memory bound.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "fathom/core/platform.hpp"
#include "fathom/core/task.hpp"
#include "fathom/graph/csr.hpp"

namespace fathom::graph {

/// What becomes of several edges between the same ordered pair.
enum class Duplicates { Min, Max, Sum, First, Keep };  // by weight; First: the first in input order
enum class Loops { Keep, Drop };

struct BuildOptions {
  bool undirected = false;   // store (v, u) for every (u, v), u != v
  bool half_stored = false;  // each input edge stands for both directions, directed graph or not
  bool in_edges = true;      // also build the transpose of a directed graph
  Duplicates duplicates = Duplicates::Min;
  Loops loops = Loops::Keep;
  bool weighted = false;
  int threads = 0;                            // 0: all processors
  std::size_t memory = std::size_t{4} << 30;  // bytes; what does not fit is sorted on disk
  std::string temp_directory;                 // empty: $TMPDIR or /tmp
  std::string input;                          // what messages call the edges' origin; may be empty
  Task task;
};

/// What the policies did; kept in the file and shown by `fathom info`.
struct BuildReport {
  EdgeId input_edges = 0;
  EdgeId loops_seen = 0, loops_dropped = 0;
  EdgeId duplicates_merged = 0;
  EdgeId reverse_edges_added = 0;
  EdgeId missing_weights = 0;      // edges that got weight 1
  bool happens_symmetric = false;  // every (u, v) has its (v, u), with equal weight
};

/// Calls the given consumer with batches of edges (weights empty or of the same size).
using EdgeProducer =
    std::function<void(const std::function<void(std::span<const Edge>, std::span<const Weight>)>&)>;

struct BuiltGraph {
  Csr out;
  std::optional<Csr> in;  // absent when undirected (the same as out) or not asked for
  BuildReport report;
};

/// Builds in memory. Peak: at most 2.2 times the bytes of the result. Deterministic: independent
/// of the number of threads.
/// @throws Error(BadInput) for an endpoint >= vertices; Error(DoesNotFit); Error(Interrupted).
FATHOM_API BuiltGraph build(VertexId vertices, const EdgeProducer& edges, const BuildOptions&);

/// In-edges of a CSR; lists ascending.
FATHOM_API Csr transpose(const CsrView&, int threads = 0);

/// The CSR triangles are counted on: the underlying undirected simple graph with each edge kept
/// once, from the endpoint of lower (degree, id) to the higher. `in` is null for symmetric graphs.
/// Lists ascending; no list is longer than sqrt(2 * edges). Unweighted.
FATHOM_API Csr orient_by_degree(const CsrView& out, const CsrView* in, int threads = 0);

/// The same lists of a graph whose triangles say where a directed one has edges both ways: with n
/// vertices, 0 to n - 1 have an edge between them for each two that are mutual, and each n + v has
/// one to every neighbour of v, whatever its direction. The triangles of n + v are the pairs of v's
/// neighbours with edges both ways. 2 * n vertices, at most twice as many edges.
FATHOM_API Csr orient_mutual(const CsrView& out, const CsrView& in, int threads = 0);

}  // namespace fathom::graph
