#include "fathom/algorithms/triangles/triangles.hpp"

#include <memory>
#include <utility>

#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/algorithms/triangles/functors.hpp"
#include "fathom/ops/intersect.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {

TrianglesResult count_triangles(const Context& ctx, const Graph& graph,
                                const TrianglesOptions& options) {
  graph.prepare_oriented();
  Recorder record(ctx, graph.traffic());
  // An edge is in the list of one of its ends, and no path of oriented edges returns: the corners
  // of a triangle have one order u, v, w in which it is found.
  const std::shared_ptr<EdgeSource> held = graph.oriented();
  EdgeSource& oriented = *held;
  const RunLists lists(ctx, triangles_state(options.per_vertex), {{oriented}});
  record.step(graph.vertices(), 0, "orient", graph.traffic());

  TrianglesResult result;
  if (options.per_vertex) {
    VertexArray<std::uint64_t, MergeSum> triangles(ctx, graph.vertices(), 0);
    result.total =
        intersect(ctx, oriented, [&](const Device& d) { return CountPerVertex{triangles.on(d)}; });
    merge(triangles);
    record.step(graph.vertices(), oriented.edges(), "intersect", graph.traffic());
    result.report = record.finish();
    result.per_vertex = std::move(triangles).take();
  } else {
    result.total = intersect(ctx, oriented, [](const Device&) { return CountTotal{}; });
    record.step(graph.vertices(), oriented.edges(), "intersect", graph.traffic());
    result.report = record.finish();
  }
  return result;
}

}  // namespace fathom
