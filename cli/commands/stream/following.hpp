// Results that follow a graph from batch to batch: `fathom stream --incremental`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/stream/results.hpp"
#include "fathom/dynamic/follow/incremental.hpp"

namespace fathom::cli {

/// cc, pagerank, bfs:LABEL and, of a graph in host memory, sssp:LABEL, tc and kcore of those that
/// were asked for, without deleted vertices.
class FollowedResults {
 public:
  FollowedResults(const std::vector<StreamedAlgorithm>& algorithms, const DynamicGraph& graph,
                  const dynamic::VertexLabels& labels, bool on_gpu);

  /// Takes the batch that has just been applied to the graph and the labels. What finds no result
  /// in the graph as it is, which the next batch may mend, begins again with that.
  void update(const AppliedBatch& batch);

  /// As StreamedResult::run() has it; seconds: of the updates since it was asked last. None for an
  /// algorithm that is not followed, or has found no result.
  std::optional<Json> run(const StreamedAlgorithm& algorithm);

 private:
  template <class Result>
  struct Search {
    std::optional<Result> result;  // while its source exists, and edges let it
    VertexId source = 0;
  };
  template <class Result>
  void follow_source(const std::string& label, Search<Result>& search, const AppliedBatch* batch);
  Json components() const;
  Json ranks() const;
  Json levels(const std::string& label) const;
  Json distances(const std::string& label) const;

  const DynamicGraph& graph_;
  const dynamic::VertexLabels& labels_;
  std::optional<IncrementalComponents> components_;
  std::optional<IncrementalPagerank> ranks_;
  std::optional<IncrementalTriangles> triangles_;
  std::optional<IncrementalCores> cores_;
  std::map<std::string, Search<IncrementalBfs>> levels_;
  std::map<std::string, Search<IncrementalSssp>> distances_;
  std::map<std::string, double> seconds_;  // by algorithm and source
};

}  // namespace fathom::cli
