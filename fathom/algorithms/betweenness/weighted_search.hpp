// Betweenness by weight, one source at a time: lengths by delta-stepping; then path counts along
// the shortest-path edges, a vertex taking its turn when all of its entries have delivered.
#pragma once

#include "fathom/algorithms/betweenness/functors.hpp"
#include "fathom/algorithms/betweenness/parts.hpp"

namespace fathom {

/// A search from one source.
class WeightedSearch {
 public:
  WeightedSearch(const Context& ctx, const Graph& graph, const Targets& targets, VertexId source,
                 Recorder& record);
  /// Adds the dependencies of the source. Once.
  void run(Scores& score);

  // After the run.
  ShortestEdges shortest_edges(const Device& d) const {
    return {length_.on(d), has_free_edges_ ? free_edges_.on(d) : nullptr};
  }
  const double* paths(const Device& d) const { return paths_.on(d); }
  const double* coefficients(const Device& d) const { return coefficient_.on(d); }

 private:
  void measure();
  /// Only when there are edges that add nothing: how many of them each vertex's best path has.
  void count_free_edges();
  void count_paths();
  void add_dependencies(Scores& score);

  const Context& ctx_;
  const Graph& graph_;
  const Targets& targets_;
  VertexId n_;
  VertexId source_;
  Recorder& record_;
  VertexArray<double, MergeMin> length_;
  VertexArray<std::uint32_t, MergeMin> free_edges_;
  VertexArray<std::uint32_t, MergeSum> waiting_;  // shortest-path edges yet to deliver
  VertexArray<std::uint32_t, MergeSum> arrived_;
  VertexArray<double> paths_;
  VertexArray<double, MergeSum> gain_;  // zero between supersteps
  VertexArray<double> coefficient_;     // (1 + dependency) / paths; 0 where nothing was reached
  Levels levels_;
  bool has_free_edges_ = false;
};

}  // namespace fathom
