// Algorithms on a graph that changes, between two batches: what `fathom stream --every` prints.
#pragma once

#include <string>
#include <vector>

#include "cli/shared/report_json.hpp"
#include "fathom/dynamic/dynamic_graph.hpp"
#include "fathom/dynamic/labels/vertex_labels.hpp"

namespace fathom::cli {

/// An algorithm as it was asked for: cc, pagerank, tc, kcore, bfs:LABEL or sssp:LABEL.
struct StreamedAlgorithm {
  std::string name, source;
};

/// @throws Error(Usage) for anything else.
StreamedAlgorithm streamed_algorithm(const std::string& text);

/// What an algorithm finds of the graph as it is. Deleted vertices are not part of it.
class StreamedResult {
 public:
  StreamedResult(const Context& ctx, const DynamicGraph& graph,
                 const dynamic::VertexLabels& labels);

  /// Its values: algorithm, seconds, and what the algorithm has to say.
  Json run(const StreamedAlgorithm& algorithm) const;

 private:
  std::string label(VertexId v) const;
  Json search(const StreamedAlgorithm& algorithm) const;
  Json whole(const StreamedAlgorithm& algorithm) const;  // without a source

  const Context& ctx_;
  const dynamic::VertexLabels& labels_;
  std::vector<VertexId> vertex_;  // of the copy; empty: none was needed
  Graph graph_;
};

/// One line for people.
std::string line_of(const Json& result);

}  // namespace fathom::cli
