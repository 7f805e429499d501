#include <algorithm>
#include <utility>
#include <vector>

#include "fathom/algorithms/multi_bfs.hpp"
#include "fathom/reorder/bisection.hpp"
#include "fathom/reorder/sorting.hpp"

namespace fathom::reorder {
namespace {

/// list(v, targets) for each vertex in order; parallel edges once.
template <class List>
void each_list(const Context& ctx, EdgeSource& lists, const List& list) {
  const auto reader = lists.read_lists();
  std::vector<VertexId> targets;
  for (VertexId v = 0; v < lists.vertices(); ++v) {
    if (v % kVertexGrain == 0) ctx.task().check();
    targets.clear();
    reader->read(v, [&](const PlainSpan& span) {
      for (std::uint32_t i = 0; i < span.size; ++i)
        if (targets.empty() || targets.back() != span.target(i)) targets.push_back(span.target(i));
    });
    list(v, targets);
  }
}

void add_up(Array<EdgeId>& offset) {
  for (std::size_t v = 1; v < offset.size(); ++v) offset[v] += offset[v - 1];
}

/// Of a directed graph without in-edges: entries are made from the other end.
QueryIndex transposed_queries(const Context& ctx, const Graph& graph) {
  const std::size_t n = graph.vertices();
  QueryIndex index{Array<EdgeId>(n + 1, 0, ctx.host_memory()), {}, graph.vertices()};
  each_list(ctx, graph.out(), [&](VertexId, const std::vector<VertexId>& targets) {
    for (const VertexId v : targets) ++index.offset[v + std::size_t{1}];
  });
  add_up(index.offset);
  index.query = Array<VertexId>(index.offset[n], ctx.host_memory());
  Array<EdgeId> at = Array<EdgeId>::copy_of(std::as_const(index.offset).span(), ctx.host_memory());
  each_list(ctx, graph.out(), [&](VertexId u, const std::vector<VertexId>& targets) {
    for (const VertexId v : targets) index.query[at[v]++] = u;
  });
  return index;
}

}  // namespace

QueryIndex neighbour_queries(const Context& ctx, const Graph& graph) {
  if (!graph.has_in()) return transposed_queries(ctx, graph);
  const std::size_t n = graph.vertices();
  QueryIndex index{Array<EdgeId>(n + 1, 0, ctx.host_memory()),
                   Array<VertexId>(graph.in().edges(), ctx.host_memory()), graph.vertices()};
  EdgeId filled = 0;
  each_list(ctx, graph.in(), [&](VertexId v, const std::vector<VertexId>& sources) {
    std::copy(sources.begin(), sources.end(), index.query.begin() + filled);
    filled += sources.size();
    index.offset[v + std::size_t{1}] = filled;
  });
  return index;
}

QueryIndex level_queries(const Context& ctx, const Graph& graph,
                         std::span<const VertexId> sources) {
  const std::size_t n = graph.vertices();
  QueryIndex index{Array<EdgeId>(n + 1, 0, ctx.host_memory()), {}, 0};
  std::vector<MultiBfsResult> batches;
  for (std::size_t first = 0; first < sources.size(); first += MultiSearch::kMost)
    batches.push_back(multi_bfs(
        ctx, graph, sources.subspan(first, std::min(MultiSearch::kMost, sources.size() - first))));
  // visit(depths of a search, its first query)
  const auto each_search = [&](const auto& visit) {
    VertexId query = 0;
    for (const MultiBfsResult& batch : batches)
      for (std::size_t i = 0; i < batch.reached.size(); ++i) {
        visit(batch.depths(i), query);
        query += batch.max_depth[i] + 1;
      }
    index.queries = query;
  };
  each_search([&](std::span<const std::uint32_t> depth, VertexId) {
    for (std::size_t v = 0; v < n; ++v) index.offset[v + 1] += depth[v] != kUnreached ? 1 : 0;
  });
  add_up(index.offset);
  index.query = Array<VertexId>(index.offset[n], ctx.host_memory());
  Array<EdgeId> at = Array<EdgeId>::copy_of(std::as_const(index.offset).span(), ctx.host_memory());
  each_search([&](std::span<const std::uint32_t> depth, VertexId query) {
    for (std::size_t v = 0; v < n; ++v)
      if (depth[v] != kUnreached) index.query[at[v]++] = query + depth[v];
  });
  return index;
}

}  // namespace fathom::reorder
