#include "fathom/algorithms/bfs/bfs.hpp"

#include <algorithm>

#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/follow/incremental_parts.hpp"
#include "fathom/dynamic/follow/search_forest.hpp"

namespace fathom {

namespace {

/// On the host, with parents.
struct HostLevels final : dynamic::FollowingLevels {
  HostLevels(const DynamicGraph& g, std::span<const VertexId> from)
      : FollowingLevels(g), source(from.begin(), from.end()), forest(most(), pool()) {}

  void start(const Graph& now) override {
    const Context& ctx = *graph->ctx;
    const BfsResult found = bfs(ctx, now, source, {.parents = true});
    forest.start_anew();
    forest.grow_to(vertices());
    parallel_for(ctx.threads(), vertices(), dynamic::kCopiedAtOnce,
                 [&](std::size_t a, std::size_t b, int) {
                   for (auto v = static_cast<VertexId>(a); v < b; ++v)
                     forest.set(v, found.depth[v], found.parent[v]);
                 });
  }
  void repair(const AppliedBatch& batch) override {
    const std::size_t changed = batch.changed_edges();
    const auto settled = [&] {
      // A look at as many vertices as there are takes about as long as two threads do to search
      // anew (grids and roads of 65,536).
      forest.allow(std::max<std::size_t>(vertices(), dynamic::kAlwaysLookedAt));
      settle(batch);
      return !forest.gave_up();
    };
    if (is_large(batch) || too_large.holds(changed) || !try_repair(changed, settled))
      compute_anew([&] { start(dynamic::graph_of(graph)); });
  }
  void settle(const AppliedBatch& batch) {
    forest.grow_to(vertices());
    for (const ChangedEdge& e : batch.edges())
      if (e.after == 0 && e.source != e.target && forest.parent(e.target) == e.source)
        forest.orphan(e.target);
    const auto from = [lists = in()](VertexId v, const auto& visit) {
      dynamic::each_target(lists, v, visit);
    };
    const auto to = [lists = out()](VertexId v, const auto& visit) {
      dynamic::each_target(lists, v, visit);
    };
    const std::vector<VertexId> lost = forest.adopt(from, to);
    if (forest.gave_up()) return;
    for (const VertexId v : lost)
      from(v, [&](VertexId x) {
        forest.offer(x, v);
        return true;
      });
    for (const ChangedEdge& e : batch.edges())
      if (e.before == 0) forest.offer(e.source, e.target);
    forest.relax(true, to);
  }

  std::uint32_t depth(VertexId v) const override { return forest.level(v); }
  std::vector<std::uint32_t> depths() const override {
    std::vector<std::uint32_t> all(forest.vertices());
    for (VertexId v = 0; v < all.size(); ++v) all[v] = depth(v);
    return all;
  }

  std::vector<VertexId> source;
  dynamic::SearchForest forest;
};

}  // namespace

IncrementalBfs::IncrementalBfs(const DynamicGraph& graph, std::span<const VertexId> sources,
                               FollowBy by) {
  if (dynamic::by_operators(graph, by))
    its_ = dynamic::levels_by_operators(graph, sources);
  else
    its_ = std::make_unique<HostLevels>(graph, sources);
  its_->begin(graph.graph());
}
IncrementalBfs::IncrementalBfs(IncrementalBfs&&) noexcept = default;
IncrementalBfs& IncrementalBfs::operator=(IncrementalBfs&&) noexcept = default;
IncrementalBfs::~IncrementalBfs() = default;

void IncrementalBfs::update(const AppliedBatch& batch) {
  its_->follow(batch);
}

std::uint32_t IncrementalBfs::depth(VertexId v) const {
  return dynamic::whole(its_).depth(v);
}
std::vector<std::uint32_t> IncrementalBfs::depths() const {
  return dynamic::whole(its_).depths();
}
VertexId IncrementalBfs::reached() const {
  VertexId count = 0;
  for (const std::uint32_t depth : depths()) count += depth != kUnreached ? 1 : 0;
  return count;
}
std::uint32_t IncrementalBfs::max_depth() const {
  std::uint32_t deepest = 0;
  for (const std::uint32_t depth : depths())
    if (depth != kUnreached) deepest = std::max(deepest, depth);
  return deepest;
}

}  // namespace fathom
