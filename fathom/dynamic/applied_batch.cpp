#include "fathom/dynamic/applied_batch.hpp"

#include <algorithm>

#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/dynamic_state.hpp"
#include "fathom/dynamic/incremental_functors.hpp"
#include "fathom/graph/radix_sort.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

constexpr std::size_t kTraceGrain = 512;

/// Every pair that the batch may change, once, without its counts.
class TouchedPairs {
 public:
  TouchedPairs(const DynamicGraph::State& graph, const GraphBatch& batch) : graph_(graph) {
    for (const EdgeUpdate& e : updates_of(batch)) put(e.source, e.target);
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
  std::span<const EdgeUpdate> updates_of(const GraphBatch& batch) {
    if (!batch.edges_on_device) return batch.edges;
    copied_.resize(batch.edges.size());
    graph_.ctx->copy(copied_.data(), batch.edges.data(), batch.edges.size_bytes());
    return copied_;
  }
  void put(VertexId u, VertexId v) {
    pair_.push_back({u, v, 0, 0});
    if (!graph_.options.directed && u != v) pair_.push_back({v, u, 0, 0});
  }
  void put_lists_of(std::span<const VertexId> deleted) {
    std::vector<VertexId> gone;
    for (const VertexId v : deleted)
      if (v < graph_.vertices()) gone.push_back(v);
    const auto put_out = [&](VertexId v, VertexId t) { put(v, t); };
    each_edge_of(gone, false, put_out);
    if (graph_.both_directions())
      each_edge_of(gone, true, [&](VertexId v, VertexId s) { put(s, v); });
    if (!graph_.options.directed || graph_.both_directions()) return;
    std::vector<bool> goes(graph_.vertices(), false);
    for (const VertexId v : gone) goes[v] = true;
    const Csr all = graph_.to_csr(false);
    for (VertexId u = 0; u < graph_.vertices(); ++u)
      for (EdgeId e = all.offset[u]; e < all.offset[u + 1]; ++e)
        if (goes[all.target[e]]) put(u, all.target[e]);
  }
  template <class Visit>
  void each_edge_of(const std::vector<VertexId>& vertices, bool of_in, const Visit& visit) {
    if (vertices.empty()) return;
    if (graph_.gpu) {
      const Csr lists = graph_.gpu->neighbors(vertices, of_in, nullptr);
      for (std::size_t i = 0; i < vertices.size(); ++i)
        for (EdgeId e = lists.offset[i]; e < lists.offset[i + 1]; ++e)
          visit(vertices[i], lists.target[e]);
      return;
    }
    const DynamicEdges lists = graph_.view(of_in);
    for (const VertexId v : vertices)
      dynamic::each_target(lists, v, [&](VertexId t) { visit(v, t); });
  }

  const DynamicGraph::State& graph_;
  std::vector<EdgeUpdate> copied_;
  std::vector<ChangedEdge> pair_;
};

/// Counts edges of every pair, before the batch and after it: where the graph is, with memory there
/// that it has from the first count on, so that the second one does not lack it.
class PairCounts {
 public:
  PairCounts(const DynamicGraph::State& graph, std::vector<ChangedEdge>& pairs)
      : graph_(graph), pairs_(pairs) {
    if (graph.gpu) here_ = Array<ChangedEdge>(pairs.size(), graph.ctx->devices()[0].memory());
  }
  void count(bool after) {
    if (graph_.gpu) return count_on_gpu(after);
    const dynamic::CountPair one{graph_.view(false), graph_.vertices(), pairs_.data(), after};
    parallel_for(graph_.threads(), pairs_.size(), kTraceGrain,
                 [&](std::size_t a, std::size_t b, int) {
                   for (std::size_t i = a; i < b; ++i) one(static_cast<VertexId>(i));
                 });
  }

 private:
  void count_on_gpu(bool after) {
    const Context& ctx = *graph_.ctx;
    const std::size_t bytes = pairs_.size() * sizeof(ChangedEdge);
    ctx.copy(here_.data(), pairs_.data(), bytes);
    compute(ctx, static_cast<VertexId>(pairs_.size()), [&](const Device&) {
      return dynamic::CountPair{graph_.view(false), graph_.vertices(), here_.data(), after};
    });
    ctx.copy(pairs_.data(), here_.data(), bytes);
  }

  const DynamicGraph::State& graph_;
  std::vector<ChangedEdge>& pairs_;
  Array<ChangedEdge> here_;
};

/// The batch, and which edges have changed with it.
AppliedBatch apply_counted(DynamicGraph& graph, const DynamicGraph::State& state,
                           const GraphBatch& batch) {
  AppliedBatch applied;
  applied.graph = state.number;
  applied.edge = TouchedPairs(state, batch).take();
  PairCounts counts(state, applied.edge);
  counts.count(false);
  applied.report = graph.apply(batch);
  counts.count(true);
  return applied;
}

/// Edges of each of the lists, which exist.
void measure(const DynamicGraph::State& graph, std::vector<ChangedList>& lists) {
  if (!graph.gpu) {
    const DynamicEdges out = graph.view(false);
    for (ChangedList& its : lists) its.after = out.list[its.source].size;
    return;
  }
  std::vector<VertexId> source;
  source.reserve(lists.size());
  for (const ChangedList& its : lists) source.push_back(its.source);
  std::vector<EdgeId> degree(lists.size());
  graph.gpu->degrees(source, degree.data(), false);
  for (std::size_t i = 0; i < lists.size(); ++i)
    lists[i].after = static_cast<std::uint32_t>(degree[i]);
}

}  // namespace

AppliedBatch DynamicGraph::apply_recorded(const GraphBatch& batch) {
  state_->check_at_rest();
  if (batch.edges_on_device && !state_->gpu) apply(batch);  // which refuses it
  AppliedBatch applied = apply_counted(*this, *state_, batch);
  std::erase_if(applied.edge, [](const ChangedEdge& e) { return e.before == e.after; });
  for (std::size_t i = 0; i < applied.edge.size(); ++i) {
    const VertexId source = applied.edge[i].source;
    if (applied.list.empty() || applied.list.back().source != source)
      applied.list.push_back({source, 0, 0, i, i});
    applied.list.back().last = i + 1;
  }
  measure(*state_, applied.list);
  for (ChangedList& its : applied.list) {
    its.before = its.after;
    for (std::size_t i = its.first; i < its.last; ++i)
      its.before = its.before + applied.edge[i].before - applied.edge[i].after;
  }
  return applied;
}

}  // namespace fathom
