// A graph that changes as it is written to a file, the vertices that exist in the order of their
// labels, and as it is read from one.
#pragma once

#include <string>
#include <vector>

#include "fathom/dynamic/dynamic_graph.hpp"
#include "fathom/dynamic/labels/vertex_labels.hpp"
#include "fathom/store/make/save.hpp"

namespace fathom::dynamic {

struct ListsByLabel {
  Csr out;                       // of new ids
  Array<EdgeFields> fields;      // of its edges, in a semantic graph
  std::vector<VertexId> vertex;  // [new id]: the index in the graph
};

/// Every vertex that exists has a label. Cost: twice the memory of the out lists and their fields.
FATHOM_API ListsByLabel by_label(const DynamicGraph& graph, const VertexLabels& labels);

/// Writes the graph to `path`, which appears whole or not at all, with labels as
/// VertexLabels::stored_as_strings() says. Everything that edges and vertices have is stored.
/// @throws what store::save does.
FATHOM_API store::Header save(const DynamicGraph& graph, const VertexLabels& labels,
                              const std::string& path, const std::string& provenance,
                              const Task& task);

/// Writes a snapshot in the same way. `vertex`: those that have a label, in the order of labels;
/// `options` have these labels, by place in `vertex`. Direction and fields are the graph's.
FATHOM_API store::Header save(const Snapshot& snapshot, std::vector<VertexId> vertex,
                              AtomicFile output, store::SaveOptions options);

struct ChangingGraph {
  DynamicGraph graph;
  VertexLabels labels;
};

/// The graph of a store, with everything that its edges and vertices have. Direction and kind of
/// edges are the store's, but for options that ask for semantic ones. `any_labels`: as
/// VertexLabels takes it. Vertices have their ids. Verifies the store in full.
/// @throws Error(BadInput); Error(DoesNotFit); Error(Interrupted)
FATHOM_API DynamicGraph load_lists(const Context& ctx, store::Store& store,
                                   DynamicGraphOptions options);
FATHOM_API ChangingGraph load(const Context& ctx, store::Store& store, DynamicGraphOptions options,
                              bool any_labels);

}  // namespace fathom::dynamic
