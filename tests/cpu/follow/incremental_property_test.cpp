// Distances, triangles and core numbers that follow whatever batches there are, of graphs of every
// kind, against the serial references.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "fathom/dynamic/follow/incremental.hpp"
#include "tests/reference/dijkstra.hpp"
#include "tests/reference/kcore.hpp"
#include "tests/reference/triangles.hpp"
#include "tests/suites/incremental_reference.hpp"

namespace fathom::testing {
namespace {

DynamicGraphOptions any_followed_options() {
  DynamicGraphOptions options;
  options.layout =
      *rc::gen::element(DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim, DynamicLayoutKind::Aim);
  options.sorted_links = options.layout == DynamicLayoutKind::Faim && *rc::gen::arbitrary<bool>();
  options.page_bytes = 64;
  options.directed = *rc::gen::arbitrary<bool>();
  options.edges = *rc::gen::element(EdgeKind::Simple, EdgeKind::Weighted, EdgeKind::Semantic);
  options.duplicates =
      *rc::gen::element(DuplicatePolicy::Ignore, DuplicatePolicy::Overwrite, DuplicatePolicy::Keep);
  options.memory = std::size_t{1} << 20;
  options.most_vertices = 256;
  return options;
}

/// A batch that the graph takes; its parts live as long as this.
struct AnyBatch {
  explicit AnyBatch(const DynamicGraph& graph) {
    fresh = *rc::gen::inRange<VertexId>(0, 3);
    std::vector<VertexId> there = graph.next_vertices(fresh);
    for (VertexId v = 0; v < graph.vertices(); ++v)
      if (graph.exists(v)) there.push_back(v);
    if (there.empty()) return;
    const auto vertex = [&] { return *rc::gen::elementOf(there); };
    const auto size = *rc::gen::inRange(0, 9);
    for (int i = 0; i < size; ++i) {
      const VertexId u = vertex(), v = vertex();
      const auto weight = static_cast<Weight>(*rc::gen::inRange(0, 4));
      updates.push_back({u, v, weight, *rc::gen::inRange(0, 3) == 0});
    }
    if (*rc::gen::inRange(0, 4) == 0) gone.push_back(vertex());
  }
  GraphBatch batch() const { return {fresh, updates, gone}; }

  VertexId fresh = 0;
  std::vector<EdgeUpdate> updates;
  std::vector<VertexId> gone;
};

RC_GTEST_PROP(FollowingResults, are_those_of_the_references_after_any_batches, ()) {
  const Context ctx = Context::cpu();
  DynamicGraph graph(ctx, any_followed_options());
  graph.apply({*rc::gen::inRange<VertexId>(1, 9), {}, {}});
  graph.apply(AnyBatch(graph).batch());
  IncrementalSssp distances(graph, 0);
  IncrementalTriangles triangles(graph, {.per_vertex = true});
  IncrementalCores cores(graph);
  const auto batches = *rc::gen::inRange(1, 12);
  for (int b = 0; b < batches; ++b) {
    const AnyBatch any(graph);
    const AppliedBatch applied = graph.apply_recorded(any.batch());
    distances.update(applied);
    triangles.update(applied);
    cores.update(applied);
    const reference::Graph now = reference_of(graph);
    RC_ASSERT(distances.distances() == reference::dijkstra_float(now, 0));
    const reference::Triangles counted = reference::count_triangles(now);
    RC_ASSERT(triangles.total() == counted.total);
    RC_ASSERT(triangles.per_vertex() == counted.per_vertex);
    RC_ASSERT(cores.cores() == reference::core_numbers(now).core);
  }
}

}  // namespace
}  // namespace fathom::testing
