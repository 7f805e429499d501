#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/dynamic/follow/incremental_parts.hpp"
#include "tests/cpu/follow/outgrown.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/incremental_suite.hpp"

namespace fathom::testing {
namespace {

Context two_threads() {
  CpuOptions cpu;
  cpu.threads = 2;
  return Context::cpu(cpu);
}

class Incremental : public ::testing::TestWithParam<FollowedGraph> {};

TEST_P(Incremental, breadth_first_levels_are_those_of_a_search) {
  Following f(two_threads(), GetParam(), 11);
  expect_levels_of_a_search(f, GetParam());
}

TEST_P(Incremental, components_are_those_of_a_search) {
  Following f(two_threads(), GetParam(), 12);
  expect_components_of_a_search(f, GetParam());
}

TEST_P(Incremental, ranks_are_within_the_tolerance_of_an_exact_iteration) {
  Following f(two_threads(), GetParam(), 13);
  expect_ranks_within_tolerance(f, GetParam());
}

std::vector<FollowedGraph> settings() {
  std::vector<FollowedGraph> all = followed_graphs();
  for (FollowedGraph s : followed_graphs()) {
    s.name += "_by_operators";
    s.by = FollowBy::Operators;
    all.push_back(s);
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Graphs, Incremental, ::testing::ValuesIn(settings()),
                         [](const auto& param) { return param.param.name; });

TEST(IncrementalResults, take_the_last_batch_once_and_none_that_others_followed) {
  Following f(two_threads(), {.name = "", .directed = true}, 1);
  const std::vector<VertexId> source{0};
  IncrementalBfs levels(f.graph(), source);
  const AppliedBatch first = f.step(), second = f.step();
  expect_error(
      ErrorCode::Usage, [&] { levels.update(first); }, "not what follows");
  levels.update(second);  // anew, as it has not seen the first one
  EXPECT_TRUE(
      std::ranges::equal(levels.depths(), bfs(f.context(), f.graph().graph(), source).depth));
  expect_error(
      ErrorCode::Usage, [&] { levels.update(second); }, "not what follows");
  const AppliedBatch third = f.step();
  LiveChanges changing = f.graph().change_in_kernels({});
  expect_error(
      ErrorCode::Usage, [&] { levels.update(third); }, "not what follows");
  changing.finish();
  expect_error(
      ErrorCode::Usage, [&] { levels.update(third); }, "not what follows");
}

TEST(IncrementalResults, refuse_a_batch_of_another_graph_of_the_same_number) {
  Following f(two_threads(), {.name = "", .directed = true}, 1);
  Following other(two_threads(), {.name = "", .directed = true}, 2);
  AllResults results(f, FollowBy::Auto);
  f.step();  // not the next one: the batch of the other graph would have them computed anew
  other.step();
  const AppliedBatch mine = f.step(), theirs = other.step();
  ASSERT_EQ(mine.report.number, theirs.report.number);
  results.expect_refused(theirs, "another graph");
  results.update(mine);
  results.expect_right();
  AppliedBatch of_none = mine;
  of_none.graph = 0;
  results.expect_refused(of_none, "another graph");
  DynamicGraph again = f.graph().rebuilt(f.context(), {});
  results.expect_refused(again.apply_recorded({}), "another graph");
}

/// One after the other, by this thread.
void change_alone(const LiveLists& lists, const std::vector<EdgeUpdate>& edges) {
  for (const EdgeUpdate& e : edges) {
    if (e.deletion)
      lists.erase(OneLane{}, e.source, e.target);
    else
      lists.insert(OneLane{}, e.source, e.target);
  }
}

TEST_P(Incremental, results_are_right_after_phases_and_batches_that_were_not_recorded) {
  Following f(two_threads(), GetParam(), 14);
  expect_right_results_after_what_is_not_recorded(f, GetParam().by, change_alone);
}

/// Each component is named by the batch after those that it becomes one with: without care for
/// their sizes a chain of as many links as there are edges.
TEST(IncrementalComponents, a_batch_may_join_a_million_components_one_after_the_other) {
  constexpr VertexId kVertices = 1'000'000;
  const Context ctx = two_threads();
  DynamicGraph graph(ctx, {.memory = std::size_t{1} << 27, .most_vertices = kVertices});
  graph.apply({.new_vertices = kVertices});
  IncrementalComponents parts(graph);
  std::vector<EdgeUpdate> chain;
  for (VertexId v = 1; v < kVertices; ++v) chain.push_back(EdgeUpdate::insert(v, v - 1));
  parts.update(graph.apply_recorded({.edges = chain}));
  EXPECT_EQ(parts.components(), 1u);
  EXPECT_EQ(parts.largest(), kVertices);
  EXPECT_EQ(parts.label(kVertices - 1), 0u);
}

TEST(IncrementalResults, refuse_what_they_cannot_follow) {
  Following f(two_threads(), {.name = "", .directed = true, .in_edges = false}, 1);
  const std::vector<VertexId> source{0}, none, far{70000};
  expect_error(
      ErrorCode::Usage, [&] { IncrementalBfs(f.graph(), source); }, "in-edges");
  expect_error(
      ErrorCode::Usage, [&] { IncrementalComponents(f.graph()); }, "in-edges");
  Following undirected(two_threads(), {.name = ""}, 1);
  expect_error(
      ErrorCode::Usage, [&] { IncrementalBfs(undirected.graph(), none); }, "");
  expect_error(
      ErrorCode::Usage, [&] { IncrementalBfs(undirected.graph(), far); }, "");
  for (const double bad : {-.1, 1.0})
    expect_error(
        ErrorCode::Usage, [&] { IncrementalPagerank(f.graph(), {.alpha = bad}); }, "alpha");
  IncrementalPagerank ranks(f.graph());  // needs out-edges only
  ranks.update(f.step());
}

TEST(IncrementalResults, refuse_operators_where_the_graph_is_copied_for_them) {
  CpuOptions emulated;
  emulated.devices = 1;
  Following f(Context::cpu(emulated), {.name = ""}, 1);
  const std::vector<VertexId> source{0};
  expect_error(
      ErrorCode::Usage, [&] { IncrementalBfs(f.graph(), source, FollowBy::Operators); },
      "in host memory");
  expect_error(
      ErrorCode::Usage, [&] { IncrementalComponents(f.graph(), FollowBy::Operators); },
      "in host memory");
  IncrementalComponents parts(f.graph());
  parts.update(f.step());
}

TEST(IncrementalResults, grow_with_a_graph_that_begins_without_vertices) {
  for (const FollowBy by : {FollowBy::Host, FollowBy::Operators}) {
    const Context ctx = two_threads();
    DynamicGraph graph(ctx, {.directed = false, .memory = 1 << 20, .most_vertices = 5000});
    IncrementalComponents parts(graph, by);
    IncrementalPagerank ranks(graph, {.by = by});
    EXPECT_EQ(parts.components(), 0u);
    EXPECT_EQ(parts.largest(), 0u);
    EXPECT_TRUE(ranks.ranks().empty());
    for (VertexId n = 0; n < 3000; n += 1000) {
      std::vector<EdgeUpdate> path;
      for (VertexId v = n; v + 1 < n + 1000; ++v) path.push_back(EdgeUpdate::insert(v, v + 1));
      const AppliedBatch batch = graph.apply_recorded({1000, path, {}});
      parts.update(batch);
      ranks.update(batch);
      EXPECT_EQ(parts.components(), n / 1000 + 1);
      EXPECT_EQ(parts.largest(), 1000u);
      EXPECT_EQ(parts.label(n + 999), n);
      EXPECT_EQ(ranks.ranks().size(), n + 1000);
    }
  }
}

class AnewWhereLong : public ::testing::TestWithParam<FollowBy> {};

TEST_P(AnewWhereLong, results_of_a_path_are_right) {
  expect_right_results_of_a_path(two_threads(), GetParam());
}
TEST_P(AnewWhereLong, results_of_a_wheel_that_loses_spokes_are_right) {
  expect_right_results_of_a_wheel(two_threads(), GetParam());
}
TEST_P(AnewWhereLong, results_of_many_vertices_that_become_one_are_right) {
  expect_right_results_of_joined_vertices(two_threads(), GetParam());
}
INSTANTIATE_TEST_SUITE_P(By, AnewWhereLong, ::testing::Values(FollowBy::Host, FollowBy::Operators),
                         [](const auto& param) {
                           return param.param == FollowBy::Host ? "host" : "operators";
                         });

TEST(IncrementalResults, end_at_a_tolerance_below_rounding_with_ranks_as_exact_as_that_lets) {
  for (const FollowBy by : {FollowBy::Host, FollowBy::Operators}) {
    const FollowedGraph small{.name = "", .vertices = 40, .edges = 150};
    Following f(two_threads(), small, 5);
    IncrementalPagerank ranks(f.graph(), {.tolerance = 1e-30, .by = by});
    for (int b = 0; b < 3; ++b) ranks.update(f.step());
    PagerankOptions exact;
    exact.tolerance = 1e-13;
    exact.max_iterations = 1000;
    const PagerankResult known = pagerank(f.context(), f.graph().graph(), exact);
    const std::vector<double> mine = ranks.ranks();
    for (std::size_t v = 0; v < mine.size(); ++v) EXPECT_NEAR(mine[v], known.rank[v], 1e-12);
  }
}

TEST(IncrementalResults, are_none_after_an_update_that_did_not_fit_and_are_found_again) {
  for (const FollowBy by : {FollowBy::Host, FollowBy::Operators}) {
    OutgrownGraph outgrown(OutgrownGraph::kVertices);
    const Context& ctx = outgrown.ctx;
    DynamicGraph& graph = outgrown.graph;
    const std::vector<VertexId> source{0};
    IncrementalBfs levels(graph, source, by);
    IncrementalComponents parts(graph, by);
    IncrementalPagerank ranks(graph, {.by = by});
    const AppliedBatch batch = outgrown.outgrow();
    const auto& pool = ctx.host_memory();
    expect_recovery(
        levels, graph, pool, batch, [&] { return levels.depths(); },
        [&](const Graph& now) {
          const BfsResult found = bfs(ctx, now, source);
          return std::vector<std::uint32_t>(found.depth.begin(), found.depth.end());
        });
    expect_recovery(
        parts, graph, pool, batch, [&] { return parts.labels(); },
        [&](const Graph& now) {
          const ComponentsResult found = connected_components(ctx, now);
          EXPECT_EQ(parts.components(), found.components);
          EXPECT_EQ(parts.largest(), found.largest);
          return std::vector<VertexId>(found.label.begin(), found.label.end());
        });
    expect_recovery(
        ranks, graph, pool, batch,
        [&] {
          const std::vector<double> rank = ranks.ranks();
          const PagerankResult found = pagerank(ctx, graph.graph());
          double apart = 0;
          for (std::size_t v = 0; v < rank.size(); ++v) apart += std::abs(rank[v] - found.rank[v]);
          return apart < 2e-5;
        },
        [](const Graph&) { return true; });
  }
}

TEST(IncrementalPagerank, vertices_without_edges_that_become_pairs_are_settled_at_once) {
  const Context ctx = two_threads();
  constexpr VertexId kRing = 1000, kAlone = 2000;
  DynamicGraph graph(ctx, {.directed = false});
  std::vector<EdgeUpdate> ring, pairs;
  for (VertexId v = 0; v < kRing; ++v) ring.push_back(EdgeUpdate::insert(v, (v + 1) % kRing));
  graph.apply({kRing + kAlone, ring, {}});
  IncrementalPagerank ranks(graph);
  for (VertexId v = kRing; v < kRing + 200; v += 2) pairs.push_back(EdgeUpdate::insert(v, v + 1));
  pairs.push_back(EdgeUpdate::insert(kRing + kAlone - 1, kRing + kAlone - 1));  // to itself
  ranks.update(graph.apply_recorded({0, pairs, {}}));
  EXPECT_LE(ranks.pushes(), 402u);  // twice each: what their edges give comes from two threads
  PagerankOptions exact;
  exact.tolerance = 1e-12;
  const PagerankResult expected = pagerank(ctx, graph.graph(), exact);
  double apart = 0;
  const std::vector<double> mine = ranks.ranks();
  for (VertexId v = 0; v < kRing + kAlone; ++v) apart += std::abs(mine[v] - expected.rank[v]);
  EXPECT_LE(apart, 1e-6 * .85 / .15);
}

/// Triangles go from beside a path, so that the sum that ranks are shares of falls to a seventh.
double apart_after_triangles_have_gone(bool directed, FollowBy by) {
  const Context ctx = two_threads();
  constexpr VertexId kPath = 30, kAll = 3030, kEachTime = 60;
  DynamicGraphOptions options;
  options.directed = directed;
  options.in_edges = false;
  DynamicGraph graph(ctx, options);
  std::vector<EdgeUpdate> first;
  const auto tie = [&](std::vector<EdgeUpdate>& to, VertexId u, VertexId v, bool gone) {
    to.push_back({u, v, 1, gone});
    if (directed) to.push_back({v, u, 1, gone});
  };
  const auto triangle = [&](std::vector<EdgeUpdate>& to, VertexId v, bool gone) {
    for (VertexId i = 0; i < 3; ++i) tie(to, v + i, v + (i + 1) % 3, gone);
  };
  for (VertexId v = 0; v + 1 < kPath; ++v) tie(first, v, v + 1, false);
  for (VertexId v = kPath; v < kAll; v += 3) triangle(first, v, false);
  graph.apply({kAll, first, {}});
  IncrementalPagerank ranks(graph, {.alpha = .95, .tolerance = 1e-8, .by = by});
  for (VertexId v = kPath; v < kAll; v += kEachTime) {
    std::vector<EdgeUpdate> batch;
    for (VertexId each = v; each < v + kEachTime; each += 3) triangle(batch, each, true);
    ranks.update(graph.apply_recorded({0, batch, {}}));
  }
  PagerankOptions exact;
  exact.alpha = .95;
  exact.tolerance = 1e-14;
  exact.max_iterations = 10000;
  const PagerankResult expected = pagerank(ctx, graph.graph(), exact);
  double apart = 0;
  const std::vector<double> mine = ranks.ranks();
  for (VertexId v = 0; v < kAll; ++v) apart += std::abs(mine[v] - expected.rank[v]);
  return apart;
}

TEST(IncrementalPagerank, is_within_its_tolerance_when_most_edges_have_gone) {
  for (const bool directed : {false, true})
    for (const FollowBy by : {FollowBy::Host, FollowBy::Operators})
      EXPECT_LE(apart_after_triangles_have_gone(directed, by), 1e-8 * .95 / .05) << directed;
}

TEST(IncrementalResults, say_which_smallest_weights_a_batch_changed) {
  constexpr Weight kNone = kInfinity;
  for (const DynamicLayoutKind layout : {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim}) {
    const Context ctx = two_threads();
    using U = EdgeUpdate;
    const std::vector<U> first{U::insert(0, 1, 2), U::insert(0, 2, 5), U::insert(1, 2, 7),
                               U::insert(2, 0, 1)};
    const std::vector<U> second{U::insert(0, 1, 3), U::insert(0, 2, 4), U::remove(2, 0),
                                U::insert(2, 3, 6), U::insert(1, 2, 7)};
    const auto changed = [&](DuplicatePolicy duplicates, EdgeKind edges) {
      DynamicGraph graph(ctx, {.layout = layout,
                               .edges = edges,
                               .duplicates = duplicates,
                               .memory = 1 << 20,
                               .most_vertices = 100});
      graph.apply({3, first, {}});
      std::vector<std::vector<Weight>> all;
      const AppliedBatch applied = graph.apply_recorded({1, second, {}});
      for (const ChangedWeight& w : applied.weights())
        all.push_back(
            {static_cast<Weight>(w.source), static_cast<Weight>(w.target), w.before, w.after});
      return all;
    };
    using Rows = std::vector<std::vector<Weight>>;
    EXPECT_EQ(changed(DuplicatePolicy::Overwrite, EdgeKind::Weighted),
              (Rows{{0, 1, 2, 3}, {0, 2, 5, 4}, {2, 0, 1, kNone}, {2, 3, kNone, 6}}));
    EXPECT_EQ(changed(DuplicatePolicy::Keep, EdgeKind::Semantic),
              (Rows{{0, 2, 5, 4}, {2, 0, 1, kNone}, {2, 3, kNone, 6}}));
    EXPECT_EQ(changed(DuplicatePolicy::Ignore, EdgeKind::Weighted),
              (Rows{{2, 0, 1, kNone}, {2, 3, kNone, 6}}));
    EXPECT_EQ(changed(DuplicatePolicy::Overwrite, EdgeKind::Simple), Rows{});
  }
}

TEST(IncrementalResults, say_exactly_what_a_batch_changed) {
  const Context ctx = Context::cpu();
  DynamicGraph graph(ctx, {.directed = false, .memory = 1 << 20, .most_vertices = 100});
  using U = EdgeUpdate;
  const std::vector<U> first{U::insert(0, 1), U::insert(1, 2), U::insert(2, 2), U::insert(3, 0)};
  graph.apply({4, first, {}});
  const std::vector<U> updates{U::insert(0, 1), U::remove(2, 1), U::insert(1, 2),
                               U::insert(4, 1), U::remove(0, 3), U::remove(0, 2)};
  const std::vector<VertexId> gone{2};
  const AppliedBatch applied = graph.apply_recorded({1, updates, gone});
  std::vector<std::vector<VertexId>> edges, lists;
  for (const ChangedEdge& e : applied.edges())
    edges.push_back({e.source, e.target, e.before, e.after});
  for (const ChangedList& l : applied.lists())
    lists.push_back({l.source, l.before, l.after, VertexId(l.first), VertexId(l.last)});
  EXPECT_EQ(edges, (std::vector<std::vector<VertexId>>{{0, 3, 1, 0},
                                                       {1, 2, 1, 0},
                                                       {1, 4, 0, 1},
                                                       {2, 1, 1, 0},
                                                       {2, 2, 1, 0},
                                                       {3, 0, 1, 0},
                                                       {4, 1, 0, 1}}));
  EXPECT_EQ(
      lists,
      (std::vector<std::vector<VertexId>>{
          {0, 2, 1, 0, 1}, {1, 2, 2, 1, 3}, {2, 2, 0, 3, 5}, {3, 1, 0, 5, 6}, {4, 0, 1, 6, 7}}));
  EXPECT_EQ(applied.report.number, 2u);
}

}  // namespace
}  // namespace fathom::testing
