// What results have in common that follow a graph; nothing for users.
#pragma once

#include <string>

#include "fathom/core/error.hpp"
#include "fathom/dynamic/dynamic_state.hpp"
#include "fathom/dynamic/incremental.hpp"
#include "fathom/dynamic/list_walk.hpp"

namespace fathom::dynamic {

/// The graph that a result follows, and how far.
struct Followed {
  /// @throws Error(Usage) for a graph in a GPU's memory.
  explicit Followed(const DynamicGraph& g) : graph(g.state()), batches(graph->version.load()) {
    if (graph->gpu) throw Error(ErrorCode::Usage, "results follow graphs in host memory only");
  }

  std::shared_ptr<DynamicGraph::State> graph;
  std::uint64_t batches;

  VertexId vertices() const { return graph->out.vertices(); }
  DynamicEdges out() const { return graph->out.view(); }
  DynamicEdges in() const { return graph->in ? graph->in->view() : graph->out.view(); }
  const std::shared_ptr<MemoryPool>& pool() const { return graph->ctx->host_memory(); }
  VertexId most() const { return graph->options.most_vertices; }

  void need_in_edges() const {
    if (graph->options.directed && !graph->in)
      throw Error(ErrorCode::Usage,
                  "a result that follows a directed graph needs its in-edges (options.in_edges)");
  }
  /// @throws Error(Usage)
  void check_next(const AppliedBatch& batch) const {
    if (batch.report.number == batches + 1 && graph->version.load() == batch.report.number) return;
    throw Error(ErrorCode::Usage, "the result is up to batch " + std::to_string(batches) +
                                      " and the graph to batch " +
                                      std::to_string(graph->version.load()) + ": batch " +
                                      std::to_string(batch.report.number) + " is not what follows");
  }
};

}  // namespace fathom::dynamic
