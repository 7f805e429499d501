// A graph that changes as it is written to a file: the vertices that exist, in the order of their
// labels.
#pragma once

#include <string>
#include <vector>

#include "fathom/dynamic/dynamic_graph.hpp"
#include "fathom/dynamic/vertex_labels.hpp"
#include "fathom/store/save.hpp"

namespace fathom::dynamic {

struct ListsByLabel {
  Csr out;                       // of new ids
  Array<EdgeFields> fields;      // of its edges, in a semantic graph
  std::vector<VertexId> vertex;  // [new id]: the index in the graph
};

/// Every vertex that exists has a label. Cost: twice the memory of the out lists and their fields.
FATHOM_API ListsByLabel by_label(const DynamicGraph& graph, const VertexLabels& labels);

/// Writes the graph to `path`, which appears whole or not at all. Labels that all are integers in
/// decimal are stored as such. Everything that edges and vertices have is stored. @throws what
/// store::save does.
FATHOM_API store::Header save(const DynamicGraph& graph, const VertexLabels& labels,
                              const std::string& path, const std::string& provenance,
                              const Task& task);

}  // namespace fathom::dynamic
