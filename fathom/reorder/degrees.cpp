#include "fathom/reorder/degrees.hpp"

#include <utility>

#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/reorder/reorder_functors.hpp"

namespace fathom::reorder {
namespace {

Array<EdgeId> list_lengths(const Context& ctx, EdgeSource& lists) {
  VertexArray<EdgeId> degree(ctx, lists.vertices());
  compute(ctx, lists.vertices(), [&](const Device& d) {
    return DegreeOfOffsets{lists.offsets(d), degree.on(d)};
  });
  return std::move(degree).take();
}

}  // namespace

Array<EdgeId> in_degrees(const Context& ctx, const Graph& graph) {
  if (graph.has_in()) return list_lengths(ctx, graph.in());
  VertexArray<EdgeId, MergeSum> degree(ctx, graph.vertices(), 0);
  Frontier all(ctx, graph.vertices());
  all.fill();
  advance(ctx, graph.out(), all, nullptr,
          [&](const Device& d) { return CountInEdges{degree.on(d)}; });
  merge(degree);
  return std::move(degree).take();
}

Array<EdgeId> all_degrees(const Context& ctx, const Graph& graph) {
  Array<EdgeId> degree = list_lengths(ctx, graph.out());
  if (!graph.directed()) return degree;
  const Array<EdgeId> in = in_degrees(ctx, graph);
  for (std::size_t v = 0; v < degree.size(); ++v) degree[v] += in[v];
  return degree;
}

}  // namespace fathom::reorder
