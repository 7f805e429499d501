#include "fathom/algorithms/triangles/triangles.hpp"
#include "tests/cpu/follow/outgrown.hpp"
#include "tests/reference/triangles.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/incremental_reference.hpp"
#include "tests/suites/incremental_suite.hpp"

namespace fathom::testing {
namespace {

Context triangles_context() {
  CpuOptions cpu;
  cpu.threads = 2;
  return Context::cpu(cpu);
}

void expect_triangles_of(const IncrementalTriangles& followed, const Context& ctx,
                         const DynamicGraph& graph) {
  const reference::Triangles expected = reference::count_triangles(reference_of(graph));
  EXPECT_EQ(followed.total(), expected.total);
  EXPECT_EQ(followed.per_vertex(), expected.per_vertex);
  EXPECT_EQ(count_triangles(ctx, graph.graph()).total, expected.total);
}

class TrianglesThatFollow : public ::testing::TestWithParam<FollowedGraph> {};

TEST_P(TrianglesThatFollow, are_those_of_a_count) {
  Following f(triangles_context(), GetParam(), 31);
  IncrementalTriangles counts(f.graph(), {.per_vertex = true}), total(f.graph());
  for (std::uint32_t b = 0; b < GetParam().batches && !HasFailure(); ++b) {
    SCOPED_TRACE(b);
    const AppliedBatch batch = b % 9 == 8 ? (f.step(), f.step()) : f.step();
    counts.update(batch);
    total.update(batch);
    expect_triangles_of(counts, f.context(), f.graph());
    EXPECT_EQ(total.total(), counts.total());
    EXPECT_TRUE(total.per_vertex().empty());
  }
}

/// Dense enough for changed edges to share triangles, and large enough for lists to be searched.
std::vector<FollowedGraph> graphs_with_triangles() {
  std::vector<FollowedGraph> all = followed_graphs();
  all.push_back({.name = "dense", .vertices = 24, .edges = 400, .updates = 7});
  all.push_back({.name = "dense_directed",
                 .directed = true,
                 .vertices = 24,
                 .edges = 500,
                 .updates = 12,
                 .batches = 100});
  all.push_back({.name = "dense_linked_pages",
                 .layout = DynamicLayoutKind::Aim,
                 .directed = true,
                 .duplicates = DuplicatePolicy::Keep,
                 .vertices = 24,
                 .edges = 400,
                 .updates = 10,
                 .batches = 100});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Graphs, TrianglesThatFollow, ::testing::ValuesIn(graphs_with_triangles()),
                         [](const auto& param) { return param.param.name; });

/// A clique among many vertices in a circle, and a hub that has loops and is near everything.
TEST(IncrementalTriangles, of_which_a_batch_brings_and_takes_every_edge_count_once) {
  using U = EdgeUpdate;
  constexpr VertexId kVertices = 600, kHub = 599;
  for (const bool directed : {false, true}) {
    const Context ctx = triangles_context();
    DynamicGraph graph(ctx,
                       {.directed = directed, .memory = 1 << 22, .most_vertices = kVertices + 10});
    std::vector<U> first{U::insert(kHub, kHub)}, clique, gone;
    for (VertexId v = 0; v + 1 < kVertices; ++v) {
      first.push_back(U::insert(v, (v + 1) % (kVertices - 1)));
      first.push_back(U::insert(v, kHub));
    }
    graph.apply({kVertices, first, {}});
    IncrementalTriangles followed(graph, {.per_vertex = true});
    EXPECT_EQ(followed.total(), kVertices - 1);
    for (VertexId u = 100; u < 105; ++u)
      for (VertexId v = 100; v < 105; ++v)
        if (u != v) clique.push_back(U::insert(u, v)), gone.push_back(U::remove(u, v));
    const auto exchange = [&](const std::vector<U>& updates,
                              const std::vector<VertexId>& deleted = {}) {
      const AppliedBatch batch = graph.apply_recorded({0, updates, deleted});
      ASSERT_LE(batch.changed_edges(), 256u);  // else it is counted anew
      followed.update(batch);
      expect_triangles_of(followed, ctx, graph);
    };
    exchange(clique);
    EXPECT_EQ(followed.total(), kVertices - 1 + 10 + 6);  // with each other, and with the hub
    exchange(gone);
    EXPECT_EQ(followed.total(), kVertices - 1 - 4);
    exchange(clique);
    exchange({U::remove(100, 101), U::remove(101, 100), U::insert(100, 200), U::insert(200, 101)});
    exchange({U::insert(100, 101), U::insert(100, 101)});
    exchange({U::insert(101, 100)});  // the other way
    exchange({U::remove(101, 100)});
    exchange({}, {102});
    exchange({U::remove(300, kHub)});  // whose list is searched
    exchange({U::insert(300, kHub)});
    const std::vector<U> both{U::remove(400, kHub), U::remove(401, kHub), U::remove(400, 401)};
    exchange(both);
    exchange({U::insert(400, kHub), U::insert(401, kHub), U::insert(400, 401)});
    exchange({U::remove(400, kHub), U::insert(402, 400), U::remove(402, kHub)});
  }
}

TEST(IncrementalTriangles, refuse_what_they_cannot_follow) {
  Following one_way(triangles_context(), {.name = "", .directed = true, .in_edges = false}, 1);
  expect_error(
      ErrorCode::Usage, [&] { IncrementalTriangles(one_way.graph()); }, "in-edges");
  Following f(triangles_context(), {.name = ""}, 1), other(triangles_context(), {.name = ""}, 2);
  IncrementalTriangles followed(f.graph());
  expect_error(
      ErrorCode::Usage, [&] { followed.update(other.step()); }, "another graph");
}

TEST(IncrementalTriangles, are_none_after_an_update_that_did_not_fit_and_are_counted_again) {
  OutgrownGraph outgrown(4 * OutgrownGraph::kVertices, OutgrownGraph::kVertices / 8);
  IncrementalTriangles followed(outgrown.graph, {.per_vertex = true});
  const AppliedBatch batch = outgrown.outgrow();
  expect_recovery(
      followed, outgrown.graph, outgrown.ctx.host_memory(), batch,
      [&] { return followed.per_vertex(); },
      [&](const Graph& now) {
        const TrianglesResult found = count_triangles(outgrown.ctx, now, {.per_vertex = true});
        EXPECT_EQ(followed.total(), found.total);
        return std::vector<std::uint64_t>(found.per_vertex.begin(), found.per_vertex.end());
      });
}

}  // namespace
}  // namespace fathom::testing
