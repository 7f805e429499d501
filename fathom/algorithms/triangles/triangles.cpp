#include "fathom/algorithms/triangles/triangles.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/algorithms/triangles/functors.hpp"
#include "fathom/algorithms/triangles/short_lists.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/intersect.hpp"
#include "fathom/residency/graph_parts.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {

namespace {

using detail::short_lists;

// Mean degree of an edge's end up to which lists are compared as they are: to order them by degree
// takes longer than what shorter lists save (grids have 4, road networks 3).
constexpr EdgeId kShortLists = 10;

struct SquaredDegree {
  const EdgeId* offset;
  EdgeId operator()(VertexId v) const {
    const EdgeId degree = offset[v + 1] - offset[v];
    return degree * degree;
  }
};

}  // namespace

std::optional<FlatEdges> detail::short_lists(const Context& ctx, const Graph& graph) {
  if (graph.directed() || ctx.on_gpu() || graph.state()->kind != ResidencyOptions::Kind::Auto)
    return std::nullopt;
  const auto whole = graph.out().whole({});
  const FlatEdges* const edges = whole ? std::get_if<FlatEdges>(&*whole) : nullptr;
  if (!edges) return std::nullopt;
  const EdgeId squares = reduce(
      ctx, graph.vertices(), EdgeId{0}, [&](const Device&) { return SquaredDegree{edges->offset}; },
      std::plus<EdgeId>());
  if (squares > kShortLists * graph.edges()) return std::nullopt;
  return *edges;
}

namespace {

/// Counts by make(device)'s credits; notes one superstep.
template <class Make>
std::uint64_t count_and_note(const Context& ctx, const Graph& graph,
                             const std::optional<FlatEdges>& as_they_are, EdgeSource* oriented,
                             Recorder& record, const Make& make) {
  const std::uint64_t total =
      as_they_are
          ? cpu::count_in_short_lists(ctx, *as_they_are, graph.vertices(), make(ctx.devices()[0]))
          : intersect(ctx, *oriented, make);
  record.step(graph.vertices(), as_they_are ? graph.edges() : oriented->edges(), "intersect",
              graph.traffic());
  return total;
}

}  // namespace

TrianglesResult count_triangles(const Context& ctx, const Graph& graph,
                                const TrianglesOptions& options) {
  const std::optional<FlatEdges> as_they_are = short_lists(ctx, graph);
  if (!as_they_are) graph.prepare_oriented();
  Recorder record(ctx, graph.traffic());
  // An edge is in the list of one of its ends, and no path of oriented edges returns: the corners
  // of a triangle have one order u, v, w in which it is found.
  const std::shared_ptr<EdgeSource> oriented = as_they_are ? nullptr : graph.oriented();
  const RunLists lists(ctx, triangles_state(options.per_vertex),
                       {{as_they_are ? graph.out() : *oriented}});
  if (oriented) record.step(graph.vertices(), 0, "orient", graph.traffic());

  TrianglesResult result;
  const auto count = [&](const auto& make) {
    result.total = count_and_note(ctx, graph, as_they_are, oriented.get(), record, make);
  };
  if (options.per_vertex) {
    VertexArray<std::uint64_t, MergeSum> triangles(ctx, graph.vertices(), 0);
    count([&](const Device& d) { return CountPerVertex{triangles.on(d)}; });
    merge(triangles);
    result.report = record.finish();
    result.per_vertex = std::move(triangles).take();
  } else {
    count([](const Device&) { return CountTotal{}; });
    result.report = record.finish();
  }
  return result;
}

}  // namespace fathom
