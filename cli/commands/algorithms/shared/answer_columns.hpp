// The columns of an answer under the caller's labels, and the best of the first one.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/commands/algorithms/shared/ranking.hpp"
#include "cli/shared/loaded_graph.hpp"
#include "fathom/algorithms/described/algorithm.hpp"

namespace fathom::cli {

/// A view: all of what it is made of outlives it.
class AnswerColumns {
 public:
  AnswerColumns(const Algorithm& algorithm, const Answer& answer, const LoadedGraph& graph);
  /// `label`: of a vertex, for those who write columns as text.
  AnswerColumns(const Algorithm& algorithm, const Answer& answer, const store::FirstOrder& order,
                std::function<std::string(VertexId)> label);
  AnswerColumns(const AnswerColumns&) = delete;
  AnswerColumns& operator=(const AnswerColumns&) = delete;

  /// Of pairs, u and v come first.
  std::span<const io::ResultColumn> shown() const { return shown_; }
  /// The `k` vertices, pairs, or sets of vertices, that --top lists.
  Ranking best(std::uint64_t k) const;

 private:
  void add_ends(const char* name, std::span<const VertexId> ids);
  std::span<const VertexId> firsts_of_sets(std::span<const VertexId> sets);

  const Algorithm& algorithm_;
  const Answer& answer_;
  const store::FirstOrder& order_;
  std::function<std::string(VertexId)> label_;
  std::vector<io::ResultColumn> shown_;
  std::vector<std::vector<VertexId>> firsts_;  // that were found
};

}  // namespace fathom::cli
