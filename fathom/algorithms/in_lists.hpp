// In-edges of a graph that may lack them.
#pragma once

#include <memory>

#include "fathom/algorithms/refute.hpp"
#include "fathom/core/random.hpp"
#include "fathom/residency/graph_parts.hpp"

namespace fathom::detail {

/// The in-lists of a directed graph: its own, or built for a run. Of an undirected one none, which
/// are its out-lists.
class InLists {
 public:
  /// @throws Error(DoesNotFit)
  explicit InLists(const Graph& graph) : graph_(graph) {
    if (graph.directed() && !graph.has_in()) built_ = open_reverse(graph);
  }

  /// Null: undirected.
  EdgeSource* get() const {
    if (!graph_.directed()) return nullptr;
    return built_ ? built_.get() : &graph_.in();
  }
  /// Of the graph, and of what was built.
  Traffic traffic() const {
    return built_ ? graph_.traffic() + built_->traffic() : graph_.traffic();
  }

  /// For certificates: that lists which were built are the out-lists reversed, by a sum of hashes.
  /// @throws Error(VerificationFailed) in the name of `algorithm`.
  void check(const char* algorithm) const {
    if (!built_) return;
    if (sum_of_edges(graph_.out(), false) != sum_of_edges(*built_, true))
      refute(algorithm, "in-edges that were built are not the out-edges reversed");
  }

 private:
  /// Over the edges, which go from u to v or, reversed, from v to u.
  static std::uint64_t sum_of_edges(EdgeSource& source, bool reversed) {
    const RandomStream random(11, 0);
    const std::unique_ptr<ListReader> lists = source.read_lists();
    std::uint64_t sum = 0;
    for (VertexId u = 0; u < source.vertices(); ++u)
      lists->read(u, [&](const PlainSpan& span) {
        for (std::uint32_t i = 0; i < span.size; ++i)
          sum += reversed ? random.at(span.target(i), u) : random.at(u, span.target(i));
      });
    return sum;
  }

  const Graph& graph_;
  std::unique_ptr<EdgeSource> built_;
};

}  // namespace fathom::detail
