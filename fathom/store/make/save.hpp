// From lists in memory to a .fg file.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "fathom/core/atomic_file.hpp"
#include "fathom/graph/build.hpp"
#include "fathom/graph/fields.hpp"
#include "fathom/store/store.hpp"

namespace fathom::store {

struct SaveOptions {
  bool directed = true;  // false: the lists hold both directions of every edge
  bool in_edges = true;  // store the transpose of a directed graph too
  bool strings = false;  // whether labels are strings, else integers
  /// The label of a vertex; ascending (integers by value, strings bytewise). None: its id.
  std::function<std::string(VertexId)> label;
  /// Types and timestamps of the edges, whose lists have weights, and weights and types of the
  /// vertices, if they have them.
  std::optional<std::span<const EdgeFields>> edge_fields;
  std::span<const VertexFields> vertex_fields;
  std::string provenance;
  int threads = 0;
  Task task;
};

/// Writes `lists` to `path`, which appears whole or not at all.
/// @throws Error(Usage) for a label that is no integer where integers are promised, and for fields
///         that are not as many as edges or vertices; Error(Internal)
///         for labels that do not ascend; Error(Io); Error(Interrupted).
/// Cost: a directed graph with in-edges takes as much memory again.
FATHOM_API Header save(const CsrView& lists, const std::string& path, const SaveOptions& options);
FATHOM_API Header save(const CsrView& lists, AtomicFile output, const SaveOptions& options);

}  // namespace fathom::store
