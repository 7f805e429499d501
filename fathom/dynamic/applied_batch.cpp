#include "fathom/dynamic/applied_batch.hpp"

#include <algorithm>

#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/dynamic_state.hpp"
#include "fathom/dynamic/list_walk.hpp"
#include "fathom/graph/radix_sort.hpp"

namespace fathom {
namespace {

constexpr std::size_t kTraceGrain = 512;

/// Every pair that the batch may change, once, without its counts.
class TouchedPairs {
 public:
  TouchedPairs(const DynamicGraph::State& graph, const GraphBatch& batch) : graph_(graph) {
    for (const EdgeUpdate& e : batch.edges) put(e.source, e.target);
    if (!batch.deleted_vertices.empty()) put_lists_of(batch.deleted_vertices);
    const int threads = graph.threads();
    std::vector<ChangedEdge> scratch(pair_.size());
    graph::parallel_radix_sort(
        pair_.data(), scratch.data(), pair_.size(), threads,
        [](const ChangedEdge& e) { return static_cast<std::uint64_t>(e.source) << 32 | e.target; },
        [](const ChangedEdge*, const ChangedEdge*) {});
    pair_.erase(std::unique(pair_.begin(), pair_.end(),
                            [](const ChangedEdge& a, const ChangedEdge& b) {
                              return a.source == b.source && a.target == b.target;
                            }),
                pair_.end());
  }
  std::vector<ChangedEdge> take() && { return std::move(pair_); }

 private:
  void put(VertexId u, VertexId v) {
    pair_.push_back({u, v, 0, 0});
    if (!graph_.options.directed && u != v) pair_.push_back({v, u, 0, 0});
  }
  void put_lists_of(std::span<const VertexId> vertices) {
    const DynamicEdges out = graph_.out.view();
    std::vector<bool> goes(graph_.out.vertices(), false);
    for (const VertexId v : vertices) {
      if (v >= goes.size()) continue;
      goes[v] = true;
      dynamic::each_target(out, v, [&](VertexId t) { put(v, t); });
      if (graph_.in) dynamic::each_target(graph_.in->view(), v, [&](VertexId s) { put(s, v); });
    }
    if (!graph_.options.directed || graph_.in) return;
    for (VertexId u = 0; u < graph_.out.vertices(); ++u)
      dynamic::each_target(out, u, [&](VertexId t) {
        if (goes[t]) put(u, t);
      });
  }

  const DynamicGraph::State& graph_;
  std::vector<ChangedEdge> pair_;
};

/// Counts edges of every pair into `member`.
void count_edges(const DynamicGraph::State& graph, std::vector<ChangedEdge>& pairs,
                 std::uint32_t ChangedEdge::*member) {
  const DynamicEdges out = graph.out.view();
  const VertexId vertices = graph.out.vertices();
  parallel_for(graph.threads(), pairs.size(), kTraceGrain, [&](std::size_t a, std::size_t b, int) {
    for (std::size_t i = a; i < b; ++i)
      if (pairs[i].source < vertices)
        pairs[i].*member = dynamic::count_edges(out, pairs[i].source, pairs[i].target);
  });
}

}  // namespace

AppliedBatch DynamicGraph::apply_recorded(const GraphBatch& batch) {
  if (state_->gpu)
    throw Error(ErrorCode::Usage, "batches are recorded of graphs in host memory only");
  AppliedBatch applied;
  applied.edge = TouchedPairs(*state_, batch).take();
  count_edges(*state_, applied.edge, &ChangedEdge::before);
  applied.report = apply(batch);
  count_edges(*state_, applied.edge, &ChangedEdge::after);
  std::erase_if(applied.edge, [](const ChangedEdge& e) { return e.before == e.after; });
  for (std::size_t i = 0; i < applied.edge.size(); ++i) {
    const ChangedEdge& e = applied.edge[i];
    if (applied.list.empty() || applied.list.back().source != e.source) {
      const std::uint32_t size = state_->out.records()[e.source].size;
      applied.list.push_back({e.source, size, size, i, i});
    }
    ChangedList& its = applied.list.back();
    its.before = its.before + e.before - e.after;
    its.last = i + 1;
  }
  return applied;
}

}  // namespace fathom
