#include "fathom/algorithms/components.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

#include "fathom/algorithms/components_functors.hpp"
#include "fathom/core/random.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

using Components = VertexArray<VertexId, MergeLinks>;

// Neighbours of each vertex that are linked before the giant component is looked for (the paper's
// choice, section IV), and labels drawn to find it.
constexpr EdgeId kSampledNeighbours = 2;
constexpr int kSamples = 1024;

/// The most frequent label of a sample.
VertexId probable_giant(const Components& component) {
  const RandomStream random(1, 0);
  std::unordered_map<VertexId, int> count;
  VertexId giant = 0;
  for (int i = 0; i < kSamples; ++i) {
    const auto v = bounded(random.at(static_cast<std::uint64_t>(i)), component.size());
    const VertexId label = component.get(static_cast<std::size_t>(v));
    if (++count[label] > count[giant]) giant = label;
  }
  return giant;
}

/// The number of vertices v for which wanted(v).
template <class Wanted>
VertexId count_vertices(const Context& ctx, std::size_t n, const Wanted& wanted) {
  return parallel_reduce(
      ctx.threads(), n, std::size_t{1} << 16, VertexId{0},
      [&](std::size_t first, std::size_t last) {
        VertexId count = 0;
        for (std::size_t v = first; v < last; ++v) count += wanted(v) ? 1 : 0;
        return count;
      },
      std::plus<>());
}

/// `giant`: the label that is likely to be the most frequent one. When it covers half of the
/// vertices there is nothing else to count.
VertexId largest_class(const Context& ctx, const Array<VertexId>& label, VertexId giant) {
  const VertexId size =
      count_vertices(ctx, label.size(), [&](std::size_t v) { return label[v] == giant; });
  if (size >= label.size() - size) return size;
  Array<VertexId> count(label.size(), 0, ctx.host_memory());
  for (const VertexId l : label) ++count[l];
  return *std::max_element(count.begin(), count.end());
}

}  // namespace

ComponentsResult connected_components(const Context& ctx, const Graph& graph) {
  const VertexId n = graph.vertices();
  Recorder record(ctx);
  ComponentsResult result;
  Components component(ctx, n);
  Frontier all(ctx, n);
  all.fill();
  auto compress = [&](const Frontier& which) {
    compute(ctx, which, [&](const Device& d) { return Compress{component.on(d)}; });
  };
  auto link_edges = [&](EdgeSource& edges, Frontier& of, EdgeId first = kWholeList) {
    advance(
        ctx, edges, of, nullptr, [&](const Device& d) { return LinkEnds{component.on(d)}; },
        Emit::Once, first);
    merge(component);
  };

  // 1. Link a few neighbours of every vertex, which joins most of a giant component.
  compute(ctx, n, [&](const Device& d) {
    return [components = component.on(d)](VertexId v) { components[v] = v; };
  });
  advance(
      ctx, graph.out(), all, nullptr, [&](const Device& d) { return HookFirst{component.on(d)}; },
      Emit::Once, 1);
  merge(component);
  link_edges(graph.out(), all, kSampledNeighbours);
  compress(all);
  record.step(n, std::min(graph.edges(), kSampledNeighbours * n), "sample", graph.traffic());

  // 2. Link the other edges, but for those between vertices of the giant component: an edge that
  //    leaves it is seen from its other end.
  VertexId giant = n == 0 ? 0 : probable_giant(component);
  Frontier rest(ctx, n);
  rest.fill();
  if (graph.has_in() && n > 0)
    filter(ctx, all, rest, [&](const Device& d) {
      return [components = component.on(d), giant](VertexId v) { return components[v] != giant; };
    });
  link_edges(graph.out(), rest);
  EdgeId edges = graph.out().degree_sum(ctx, rest);
  if (graph.directed() && graph.has_in()) {
    link_edges(graph.in(), rest);
    edges += graph.in().degree_sum(ctx, rest);
  }
  const bool giant_kept_label = n > 0 && component.get(giant) == giant;
  compress(giant_kept_label ? rest : all);
  record.step(rest.size(), edges, "link", graph.traffic());

  if (n > 0) giant = component.get(giant);
  result.label = std::move(component).take();
  result.components = count_vertices(ctx, n, [&](std::size_t v) { return result.label[v] == v; });
  result.largest = n == 0 ? 0 : largest_class(ctx, result.label, giant);
  result.report = record.finish();
  return result;
}

}  // namespace fathom
