// A result that follows a graph that changes from batch to batch.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "algorithms.hpp"
#include "dynamic.hpp"
#include "fathom/dynamic/follow/incremental.hpp"

namespace fathom::python {

/// bfs, sssp, cc, pagerank, tc or kcore. Belongs to its graph, whose calls take turns with all of
/// it.
class Following {
 public:
  /// `source`: the label, of bfs and sssp, as text.
  Following(std::shared_ptr<PyDynamic> graph, const std::string& algorithm, std::string source,
            double alpha, double tolerance);
  Following(const Following&) = delete;
  Following& operator=(const Following&) = delete;

  /// Computes, for the first time. Alone.
  void begin() { compute(); }
  /// Takes a batch. Does not throw: where it fails the result is computed anew when it is asked
  /// for. Alone.
  void update(const AppliedBatch& batch) noexcept;

  /// The result of a graph as it was after so many batches.
  struct Shown {
    std::shared_ptr<PyResult> result;
    std::shared_ptr<const LabelRows> rows;
    std::uint64_t batches = 0;
  };
  /// Of the graph as it is. @throws what computing anew does.
  Shown result();
  const std::shared_ptr<PyDynamic>& graph() const { return graph_; }

 private:
  using Levels = IncrementalBfs;
  using Distances = IncrementalSssp;
  using Components = IncrementalComponents;
  using Ranks = IncrementalPagerank;
  using Triangles = IncrementalTriangles;
  using Cores = IncrementalCores;

  void compute();
  /// The vertex of the label; kNoVertex while there is none.
  VertexId source() const;
  std::shared_ptr<Answer> answer(const LabelRows& rows) const;
  void answer_levels(Answer& answer) const;
  void answer_distances(Answer& answer) const;
  void answer_components(const Components& components, const LabelRows& rows, Answer& answer) const;
  static void answer_cores(const Cores& cores, const LabelRows& rows, Answer& answer);
  static void answer_triangles(const Triangles& triangles, Answer& answer);
  void answer_ranks(const Ranks& ranks, const LabelRows& rows, Answer& answer) const;

  std::shared_ptr<PyDynamic> graph_;
  const Algorithm& algorithm_;
  std::string label_;
  IncrementalPagerankOptions options_;
  /// Nothing: to be computed.
  std::variant<std::monostate, Levels, Distances, Components, Ranks, Triangles, Cores> its_;
  VertexId source_ = kNoVertex;  // of Levels and Distances
  double seconds_ = 0;           // since the result was asked for
  Shown shown_;                  // of the last batch asked for
};

}  // namespace fathom::python
