#include "fathom/algorithms/bfs.hpp"

#include <algorithm>

#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/incremental_parts.hpp"
#include "fathom/dynamic/search_forest.hpp"

namespace fathom {

struct IncrementalBfs::State : dynamic::Followed {
  State(const DynamicGraph& g, std::span<const VertexId> from)
      : Followed(g), source(from.begin(), from.end()), forest(most(), pool()) {
    need_in_edges();
  }

  std::vector<VertexId> source;
  dynamic::SearchForest forest;

  void search(const Graph& now) {
    const Context& ctx = *graph->ctx;
    const BfsResult found = bfs(ctx, now, source, {.parents = true});
    forest.grow_to(vertices());
    for (VertexId v = 0; v < vertices(); ++v) forest.set(v, found.depth[v], found.parent[v]);
  }

  void repair(const AppliedBatch& batch) {
    forest.grow_to(vertices());
    for (const ChangedEdge& e : batch.edge)
      if (e.after == 0 && e.source != e.target && forest.parent(e.target) == e.source)
        forest.orphan(e.target);
    const auto from = [lists = in()](VertexId v, const auto& visit) {
      dynamic::each_target(lists, v, visit);
    };
    const auto to = [lists = out()](VertexId v, const auto& visit) {
      dynamic::each_target(lists, v, visit);
    };
    for (const VertexId v : forest.adopt(from, to))
      from(v, [&](VertexId x) {
        forest.offer(x, v);
        return true;
      });
    for (const ChangedEdge& e : batch.edge)
      if (e.before == 0) forest.offer(e.source, e.target);
    forest.relax(true, to);
  }
};

IncrementalBfs::IncrementalBfs(const DynamicGraph& graph, std::span<const VertexId> sources)
    : state_(std::make_unique<State>(graph, sources)) {
  state_->search(graph.graph());
}
IncrementalBfs::IncrementalBfs(IncrementalBfs&&) noexcept = default;
IncrementalBfs& IncrementalBfs::operator=(IncrementalBfs&&) noexcept = default;
IncrementalBfs::~IncrementalBfs() = default;

void IncrementalBfs::update(const AppliedBatch& batch) {
  state_->check_next(batch);
  if (batch.edge.size() > state_->graph->out.edges() / 8)
    state_->search(dynamic::graph_of(state_->graph));
  else
    state_->repair(batch);
  state_->batches = batch.report.number;
}

std::uint32_t IncrementalBfs::depth(VertexId v) const {
  return state_->forest.level(v);
}
std::vector<std::uint32_t> IncrementalBfs::depths() const {
  std::vector<std::uint32_t> all(state_->forest.vertices());
  for (VertexId v = 0; v < all.size(); ++v) all[v] = depth(v);
  return all;
}
VertexId IncrementalBfs::reached() const {
  VertexId count = 0;
  for (VertexId v = 0; v < state_->forest.vertices(); ++v)
    count += state_->forest.reached(v) ? 1 : 0;
  return count;
}
std::uint32_t IncrementalBfs::max_depth() const {
  std::uint32_t deepest = 0;
  for (VertexId v = 0; v < state_->forest.vertices(); ++v)
    if (state_->forest.reached(v)) deepest = std::max(deepest, depth(v));
  return deepest;
}

}  // namespace fathom
