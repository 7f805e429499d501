#include <limits>

#include "fathom/algorithms/sssp/sssp.hpp"
#include "tests/cpu/follow/outgrown.hpp"
#include "tests/reference/dijkstra.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/incremental_reference.hpp"
#include "tests/suites/incremental_suite.hpp"

namespace fathom::testing {
namespace {

Context sssp_context() {
  CpuOptions cpu;
  cpu.threads = 2;
  return Context::cpu(cpu);
}

/// Distances from `source`, compared after every batch with those of sssp() and of Dijkstra's
/// algorithm: bit by bit.
class WatchedDistances {
 public:
  WatchedDistances(DynamicGraph& graph, const Context& ctx, VertexId source)
      : graph_(graph), ctx_(ctx), source_(source), followed_(graph, source) {}

  void exchange(const std::vector<EdgeUpdate>& updates, VertexId fresh = 0) {
    update(graph_.apply_recorded({fresh, updates, {}}));
  }
  void update(const AppliedBatch& batch) {
    followed_.update(batch);
    expect_right();
  }
  void expect_right() {
    const std::vector<Weight> mine = followed_.distances();
    EXPECT_EQ(mine, reference::dijkstra_float(reference_of(graph_), source_));
    const SsspResult known = sssp(ctx_, graph_.graph(), source_);
    EXPECT_TRUE(std::ranges::equal(mine, known.distance));
    EXPECT_EQ(followed_.reached(), known.reached);
    Weight farthest = 0;
    for (const Weight d : known.distance)
      if (d < kInfinity) farthest = std::max(farthest, d);
    EXPECT_EQ(followed_.max_distance(), farthest);
    EXPECT_EQ(followed_.distance(0), known.distance[0]);
  }
  IncrementalSssp& followed() { return followed_; }

 private:
  DynamicGraph& graph_;
  const Context& ctx_;
  VertexId source_;
  IncrementalSssp followed_;
};

class DistancesThatFollow : public ::testing::TestWithParam<FollowedGraph> {};

TEST_P(DistancesThatFollow, are_those_of_a_search) {
  Following f(sssp_context(), GetParam(), 21);
  WatchedDistances watched(f.graph(), f.context(), 3);
  for (std::uint32_t b = 0; b < GetParam().batches && !HasFailure(); ++b) {
    SCOPED_TRACE(b);
    watched.update(f.step());
  }
}

TEST_P(DistancesThatFollow, are_right_after_batches_that_were_not_recorded) {
  Following f(sssp_context(), GetParam(), 22);
  WatchedDistances watched(f.graph(), f.context(), 17);
  for (int round = 0; round < 10 && !HasFailure(); ++round) {
    f.step();
    watched.update(f.step());
    watched.update(f.graph().apply_recorded({}));
  }
}

std::vector<FollowedGraph> weighted_graphs() {
  std::vector<FollowedGraph> all = followed_graphs();
  for (FollowedGraph s : followed_graphs()) {
    s.name += "_weighted";
    s.weighted = true;
    all.push_back(s);
    if (s.duplicates == DuplicatePolicy::Keep) continue;
    s.name += "_and_overwritten";
    s.duplicates = DuplicatePolicy::Overwrite;
    all.push_back(s);
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Graphs, DistancesThatFollow, ::testing::ValuesIn(weighted_graphs()),
                         [](const auto& param) { return param.param.name; });

DynamicGraphOptions overwritten(bool directed, VertexId most) {
  DynamicGraphOptions options;
  options.directed = directed;
  options.edges = EdgeKind::Weighted;
  options.duplicates = DuplicatePolicy::Overwrite;
  options.memory = std::size_t{1} << 25;
  options.most_vertices = most;
  return options;
}

/// Sums that edges do not change, 0 or too short beside 1e8, tie vertices to each other in circles:
/// cut off, they have no path.
TEST(IncrementalSssp, circles_of_edges_that_add_nothing_do_not_hold_each_other) {
  for (const bool directed : {true, false})
    for (const Weight nothing : {0.F, 1.F}) {
      SCOPED_TRACE(nothing);
      const Context ctx = sssp_context();
      DynamicGraph graph(ctx, overwritten(directed, 10));
      graph.apply({6,
                   std::vector<EdgeUpdate>{
                       EdgeUpdate::insert(0, 1, 1e8F), EdgeUpdate::insert(1, 2, nothing),
                       EdgeUpdate::insert(2, 3, nothing), EdgeUpdate::insert(3, 1, nothing),
                       EdgeUpdate::insert(3, 4, 2e8F), EdgeUpdate::insert(0, 5, 3e8F)},
                   {}});
      WatchedDistances watched(graph, ctx, 0);
      EXPECT_EQ(watched.followed().distance(4), 3e8F);
      watched.exchange({EdgeUpdate::remove(0, 1)});
      EXPECT_EQ(watched.followed().distance(2), kInfinity);
      watched.exchange({EdgeUpdate::insert(5, 2, nothing)});
      EXPECT_EQ(watched.followed().distance(1), 3e8F);
      watched.exchange({EdgeUpdate::insert(0, 3, 7), EdgeUpdate::insert(5, 2, 1)});
      watched.exchange({EdgeUpdate::insert(0, 3, 3e8F)});
      watched.exchange(
          {EdgeUpdate::remove(5, 2), EdgeUpdate::remove(2, 3), EdgeUpdate::remove(3, 1)});
    }
}

TEST(IncrementalSssp, a_weight_may_rise_and_fall_and_a_deleted_edge_come_back_in_one_batch) {
  const Context ctx = sssp_context();
  DynamicGraph graph(ctx, overwritten(true, 10));
  graph.apply({4,
               std::vector<EdgeUpdate>{EdgeUpdate::insert(0, 1, 1), EdgeUpdate::insert(1, 2, 1),
                                       EdgeUpdate::insert(0, 2, 5)},
               {}});
  WatchedDistances watched(graph, ctx, 0);
  watched.exchange({EdgeUpdate::insert(1, 2, 10)});
  EXPECT_EQ(watched.followed().distance(2), 5);
  watched.exchange({EdgeUpdate::remove(0, 1), EdgeUpdate::insert(0, 1, 1),
                    EdgeUpdate::insert(1, 2, 9), EdgeUpdate::insert(1, 2, 2)});
  EXPECT_EQ(watched.followed().distance(2), 3);
  watched.exchange(
      {EdgeUpdate::insert(0, 1, 2), EdgeUpdate::insert(0, 0, 0), EdgeUpdate::insert(1, 1, 4)});
  EXPECT_EQ(watched.followed().distance(2), 4);
}

TEST(IncrementalSssp, searches_anew_where_repairs_take_long) {
  constexpr VertexId kPath = 40000;
  const Context ctx = sssp_context();
  DynamicGraph graph(ctx, overwritten(false, kPath + 2));
  std::vector<EdgeUpdate> path;
  for (VertexId v = 0; v + 1 < kPath; ++v) path.push_back(EdgeUpdate::insert(v, v + 1, .5F));
  graph.apply({kPath, path, {}});
  WatchedDistances watched(graph, ctx, 0);
  watched.exchange({EdgeUpdate::remove(100, 101)});
  EXPECT_EQ(watched.followed().reached(), 101u);
  watched.exchange({EdgeUpdate::insert(100, 101, 3), EdgeUpdate::insert(kPath, 7, 2)}, 2);
  watched.exchange({EdgeUpdate::insert(0, kPath - 1, 1)});
  for (VertexId round = 0; round < 20; ++round) {
    watched.exchange({EdgeUpdate::insert(200 + round, 201 + round, 9)});
    watched.exchange(
        {EdgeUpdate::insert(200 + round, 201 + round, .25F), EdgeUpdate::insert(0, kPath - 1, 2)});
    watched.exchange({EdgeUpdate::insert(kPath - 5, kPath - 4, 1)});
  }
  std::vector<EdgeUpdate> all;
  for (VertexId v = 0; v + 1 < kPath; v += 3) all.push_back(EdgeUpdate::insert(v, v + 1, 2));
  watched.exchange(all);
}

TEST(IncrementalSssp, refuses_weights_that_a_search_refuses_where_they_are_in_reach) {
  for (const Weight bad : {-1.F, std::numeric_limits<Weight>::quiet_NaN()}) {
    const Context ctx = sssp_context();
    DynamicGraph graph(ctx, overwritten(true, 10));
    graph.apply({5, std::vector<EdgeUpdate>{EdgeUpdate::insert(0, 1, 1)}, {}});
    WatchedDistances watched(graph, ctx, 0);
    IncrementalSssp& followed = watched.followed();
    followed.update(
        graph.apply_recorded({0, std::vector<EdgeUpdate>{EdgeUpdate::insert(2, 3, bad)}, {}}));
    EXPECT_EQ(followed.reached(), 2u);
    const std::vector<EdgeUpdate> leads[] = {{EdgeUpdate::insert(1, 2, 1)},
                                             {EdgeUpdate::insert(3, 4, 1)}};
    for (const std::vector<EdgeUpdate>& lead : leads) {
      const AppliedBatch batch = graph.apply_recorded({0, lead, {}});
      expect_error(
          ErrorCode::BadInput, [&] { followed.update(batch); }, "from vertex 2 to vertex 3");
      expect_error(
          ErrorCode::Usage, [&] { followed.distances(); }, "could not be followed");
    }
    watched.exchange({EdgeUpdate::insert(2, 3, 1)});
    EXPECT_EQ(followed.distance(4), 4);
    const AppliedBatch worse = graph.apply_recorded(
        {0,
         std::vector<EdgeUpdate>{EdgeUpdate::insert(1, 2, bad), EdgeUpdate::insert(0, 4, 1)},
         {}});
    expect_error(
        ErrorCode::BadInput, [&] { followed.update(worse); }, "from vertex 1 to vertex 2");
    watched.exchange({EdgeUpdate::remove(1, 2)});
  }
}

TEST(IncrementalSssp, refuses_what_it_cannot_follow) {
  Following one_way(sssp_context(), {.name = "", .directed = true, .in_edges = false}, 1);
  expect_error(
      ErrorCode::Usage, [&] { IncrementalSssp(one_way.graph(), 0); }, "in-edges");
  Following f(sssp_context(), {.name = ""}, 1), other(sssp_context(), {.name = ""}, 2);
  expect_error(
      ErrorCode::Usage, [&] { IncrementalSssp(f.graph(), 70000); }, "70000");
  IncrementalSssp followed(f.graph(), 3);
  expect_error(
      ErrorCode::Usage, [&] { followed.update(other.step()); }, "another graph");
}

TEST(IncrementalSssp, has_no_result_after_an_update_that_did_not_fit_and_finds_it_again) {
  OutgrownGraph outgrown(2 * OutgrownGraph::kVertices);
  IncrementalSssp followed(outgrown.graph, 0);
  const AppliedBatch batch = outgrown.outgrow();
  expect_recovery(
      followed, outgrown.graph, outgrown.ctx.host_memory(), batch,
      [&] { return followed.distances(); },
      [&](const Graph& now) {
        const SsspResult found = sssp(outgrown.ctx, now, 0);
        return std::vector<Weight>(found.distance.begin(), found.distance.end());
      });
}

}  // namespace
}  // namespace fathom::testing
