// Every algorithm on a graph that changes: as on the same graph at rest, and right by its
// certificate.
#include <gtest/gtest.h>

#include <algorithm>

#include "fathom/dynamic/live/live_changes.hpp"
#include "fathom/fathom.hpp"
#include "tests/suites/dynamic_model.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/sampling_suite.hpp"
#include "tests/suites/zoo_csr.hpp"

namespace fathom::testing {
namespace {

class DynamicAlgorithms : public ::testing::TestWithParam<zoo::RawGraph> {};

std::vector<zoo::RawGraph> graphs() {
  std::vector<zoo::RawGraph> some;
  for (const zoo::RawGraph& g : zoo::all_graphs())
    if (g.vertices > 0) some.push_back(g);
  return some;
}

TEST(DynamicWeights, are_refused_beside_a_graph_that_changes) {
  const Context ctx = Context::cpu();
  const DynamicGraph changing = grown(ctx, zoo::grid(), {});
  const std::vector<double> weights(changing.graph().edges(), 0.1);
  const SsspOptions options{.precision = SsspPrecision::Double, .weights = weights};
  for (const Graph& graph : {changing.graph(), changing.snapshot().graph()})
    expect_error(
        ErrorCode::Usage, [&] { sssp(ctx, graph, 0, options); }, "changes");
}

TEST_P(DynamicAlgorithms, give_what_they_give_on_the_same_graph_at_rest) {
  CpuOptions cpu;
  cpu.threads = 3;
  const Context ctx = Context::cpu(cpu);
  const DynamicGraph changing = grown(ctx, GetParam(), {});
  zoo::RawGraph with_one_more = GetParam();
  ++with_one_more.vertices;
  const Graph still = make_graph(ctx, zoo::build(with_one_more), GetParam().directed);
  const Snapshot shot = changing.snapshot();
  for (const Graph& graph : {changing.graph(), shot.graph()}) {
    ASSERT_EQ(graph.edges(), still.edges());
    const BfsResult hops = bfs(ctx, graph, {{0}});
    EXPECT_TRUE(std::ranges::equal(hops.depth, bfs(ctx, still, {{0}}).depth));
    const SsspResult paths = sssp(ctx, graph, 0);
    EXPECT_TRUE(std::ranges::equal(paths.distance, sssp(ctx, still, 0).distance));
    verify_sssp(ctx, graph, 0, paths);
    const ComponentsResult parts = connected_components(ctx, graph);
    EXPECT_TRUE(std::ranges::equal(parts.label, connected_components(ctx, still).label));
    verify_components(ctx, graph, parts);
    const TrianglesResult corners = count_triangles(ctx, graph);
    EXPECT_EQ(corners.total, count_triangles(ctx, still).total);
    verify_triangles(ctx, graph, corners);
    EXPECT_TRUE(std::ranges::equal(kcore(ctx, graph).core, kcore(ctx, still).core));
    const PagerankResult rank = pagerank(ctx, graph), known = pagerank(ctx, still);
    BetweennessOptions some;
    some.samples = std::min<VertexId>(4, graph.vertices());
    const BetweennessResult between = betweenness(ctx, graph, some);
    const BetweennessResult known_between = betweenness(ctx, still, some);
    for (VertexId v = 0; v < graph.vertices(); ++v) {
      ASSERT_NEAR(rank.rank[v], known.rank[v], 1e-6);
      ASSERT_NEAR(between.centrality[v], known_between.centrality[v], 1e-6);
    }
  }
}

/// Whose lists are in an order of their own.
TEST_P(DynamicAlgorithms, count_paths_along_the_edges_that_they_have_at_rest) {
  const Context ctx = Context::cpu();
  zoo::RawGraph with_one_more = GetParam();
  ++with_one_more.vertices;
  const Graph still = make_graph(ctx, zoo::build(with_one_more), GetParam().directed);
  EdgeBetweennessOptions options;
  options.samples = std::min<VertexId>(3, still.vertices());
  options.weighted = true;
  const EdgeBetweennessResult known = edge_betweenness(ctx, still, options);
  using enum DynamicLayoutKind;
  for (const DynamicLayoutKind layout : {Ouro, Faim, Aim}) {
    const DynamicGraph changing = grown(ctx, GetParam(), {.layout = layout});
    const EdgeBetweennessResult found = edge_betweenness(ctx, changing.graph(), options);
    ASSERT_EQ(found.rows, known.rows);
    for (std::size_t i = 0; i < found.rows; ++i) {
      ASSERT_EQ(found.u[i], known.u[i]);
      ASSERT_EQ(found.v[i], known.v[i]);
      ASSERT_NEAR(found.centrality[i], known.centrality[i], 1e-9);
    }
    verify_edge_betweenness(ctx, changing.graph(), options, found, 1);
  }
}

TEST_P(DynamicAlgorithms, sample_the_neighbors_that_they_sample_at_rest) {
  const Context ctx = Context::cpu();
  zoo::RawGraph with_one_more = GetParam();
  ++with_one_more.vertices;
  const Graph still = make_graph(ctx, zoo::build(with_one_more), GetParam().directed);
  using enum DynamicLayoutKind;
  for (const DynamicLayoutKind layout : {Ouro, Faim, Aim}) {
    const DynamicGraph changing = grown(ctx, GetParam(), {.layout = layout});
    const Snapshot shot = changing.snapshot();
    for (const SamplingCase& its : sampling_cases(still.weighted())) {
      SampledCase here(its, still);
      // Linked lists are in no order, nor are parallel edges by weight: draws are others then.
      const bool ordered = layout == Ouro && !its.options.weighted;
      const auto expected = here.run(ctx, ordered ? still : changing.graph(), SampleReads::Host);
      for (const Graph& graph : {changing.graph(), shot.graph()})
        for (const SampleReads reads : {SampleReads::Host, SampleReads::Operators})
          EXPECT_TRUE(here.run(ctx, graph, reads) == expected) << its.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, DynamicAlgorithms, ::testing::ValuesIn(graphs()),
                         [](const auto& param) { return param.param.name; });

TEST(DynamicAlgorithmsOnDevices, run_on_a_copy_where_memories_are_separate) {
  CpuOptions cpu;
  cpu.devices = 2;
  const Context ctx = Context::cpu(cpu);
  DynamicGraph graph(ctx, {.directed = false, .memory = 1 << 20, .most_vertices = 100});
  const std::vector<EdgeUpdate> updates{EdgeUpdate::insert(0, 1), EdgeUpdate::insert(1, 2)};
  graph.apply({4, updates, {}});
  EXPECT_EQ(connected_components(ctx, graph.graph()).components, 2u);
}

class ViewsOfAChangingGraph : public ::testing::TestWithParam<int> {
 protected:
  static Context context() {
    CpuOptions cpu;
    cpu.devices = GetParam();
    return Context::cpu(cpu);
  }
  static void expect_refused(const Context& ctx, const Graph& old) {
    const std::string why = "has changed since";
    expect_error(
        ErrorCode::Usage, [&] { bfs(ctx, old, {{0}}); }, why);
    expect_error(
        ErrorCode::Usage, [&] { connected_components(ctx, old); }, why);
    expect_error(
        ErrorCode::Usage, [&] { pagerank(ctx, old); }, why);
    expect_error(
        ErrorCode::Usage, [&] { count_triangles(ctx, old); }, why);
  }
};

TEST_P(ViewsOfAChangingGraph, are_refused_after_a_batch_or_a_phase_whatever_was_read_before) {
  const Context ctx = context();
  DynamicGraph graph(ctx, {.memory = 1 << 24, .most_vertices = 100});
  const std::vector<EdgeUpdate> updates{EdgeUpdate::insert(0, 1), EdgeUpdate::insert(1, 2)};
  graph.apply({4, updates, {}});
  const Graph unread = graph.graph(), read = graph.graph();
  const Snapshot shot = graph.snapshot();
  bfs(ctx, read, {{0}});
  connected_components(ctx, read);
  EXPECT_EQ(count_triangles(ctx, read).total, 0u);
  const std::vector<EdgeUpdate> more{EdgeUpdate::insert(2, 0)};
  graph.apply({0, more, {}});
  expect_refused(ctx, unread);
  expect_refused(ctx, read);
  const Graph next = graph.graph();
  EXPECT_EQ(count_triangles(ctx, next).total, 1u);
  graph.change_in_kernels({}).finish();
  expect_refused(ctx, next);
  EXPECT_EQ(count_triangles(ctx, shot.graph()).total, 0u);
}
INSTANTIATE_TEST_SUITE_P(Devices, ViewsOfAChangingGraph, ::testing::Values(0, 1, 2),
                         [](const auto& param) { return std::to_string(param.param); });

}  // namespace
}  // namespace fathom::testing
