// Edges that go because they are old: those whose first timestamp is further behind the newest one
// of the graph than a window is wide.
//
// What goes depends on the graph as it is alone: whoever stops after a batch, or loses what came
// after it, has the same edges go when he goes on.
#pragma once

#include <cstdint>
#include <vector>

#include "fathom/dynamic/dynamic_graph.hpp"

namespace fathom::dynamic {

/// Updates that remove the old edges of a graph.
struct ExpiredEdges {
  std::uint64_t count = 0;         // edges that go; of an undirected graph each once
  std::vector<EdgeUpdate> edges;   // deletions, then insertions of what deletions take along
  std::vector<EdgeFields> fields;  // of `edges`

  GraphBatch batch() const { return {0, edges, {}, false, fields, {}}; }
};

class FATHOM_API Expiry {
 public:
  /// An edge goes when t1 + window < newest, where newest is the largest t1 of the graph's edges.
  explicit Expiry(std::uint64_t window) : window_(window) {}

  /// What is to be removed of a semantic graph in host memory, after a batch (or none: at first).
  /// Where several edges lead from u to v, and some of them go, all are deleted and the others
  /// inserted again: they stay several with DuplicatePolicy::Keep alone.
  /// Cost: two reads of the timestamps of all edges; none where the batch, and what was seen of
  /// others, tell that nothing can be old.
  ExpiredEdges find(const DynamicGraph& graph, const GraphBatch& batch, int threads);

 private:
  bool may_be_old() const {
    return bound_.newest > window_ && bound_.oldest < bound_.newest - window_;
  }

  /// Of the edges of the graph, between which their t1 are; exact after they were looked at.
  struct Bound {
    std::uint64_t oldest = 0, newest = ~std::uint64_t{0};
  };
  static Bound bound_of(const DynamicEdges& edges, VertexId vertices, int threads);

  std::uint64_t window_;
  Bound bound_;
};

}  // namespace fathom::dynamic
