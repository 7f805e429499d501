#include "fathom/algorithms/bellman_ford/bellman_ford.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <set>

#include "tests/reference/structure/bellman_ford.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/random_graphs.hpp"

namespace fathom {
namespace {

using testing::AlgorithmSuite;
using testing::Configuration;
using testing::cpu_configurations;
using testing::expect_error;
using testing::PlacedGraph;
using testing::to_vector;

constexpr BellmanFordOptions kInDouble{SsspPrecision::Double};

/// What is wrong with the cycles; empty: nothing.
std::string check_negative_cycles(const reference::Graph& g, const BellmanFordResult& result) {
  std::set<VertexId> named;
  for (const std::vector<VertexId>& cycle : result.cycles) {
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      if (i > 0 && cycle[i] <= cycle[0]) return "does not begin with its smallest vertex";
      if (!named.insert(cycle[i]).second) return "goes through a vertex twice";
      if (!reference::has_edge(g, cycle[i], cycle[(i + 1) % cycle.size()])) return "lacks an edge";
    }
    if (!(reference::cycle_weight(g, cycle) < 0)) return "is not negative";
  }
  return "";
}

/// Weights of both signs. With heights no cycle is negative: what an edge climbs is added.
zoo::RawGraph with_both_signs(zoo::RawGraph g, bool heights, float unit = 0.25f) {
  g.name += heights ? "Heights" : "Signs";
  zoo::Dice dice(17);
  std::vector<float> height(g.vertices);
  for (float& h : height) h = static_cast<float>(dice.roll(200));
  g.weights.clear();
  for (const auto& [u, v] : g.edges) {
    const auto step = static_cast<float>(dice.roll(20));
    g.weights.push_back(unit * (heights ? step + height[v] - height[u] : step - 2));
  }
  return g;
}

class BellmanFord : public AlgorithmSuite {
 protected:
  void expect_right(VertexId source, bool in_edges) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const BellmanFordResult result = bellman_ford(ctx, graph, source);
    const std::vector<float> expected = found_by<reference::bellman_ford_float>(source);
    EXPECT_EQ(to_vector(result.distance), expected);
    EXPECT_EQ(
        static_cast<std::int64_t>(result.reached),
        std::count_if(expected.begin(), expected.end(), [](float d) { return d < kInfinity; }));
    EXPECT_EQ(static_cast<std::int64_t>(result.without),
              std::count(expected.begin(), expected.end(), -kInfinity));
    EXPECT_EQ(result.has_distances(), result.without == 0);
    EXPECT_EQ(check_negative_cycles(reference_graph(), result), "");
    EXPECT_NO_THROW(verify_bellman_ford(ctx, graph, source, result));
    expect_same_on_a_host(source, result);

    const BellmanFordResult wide = bellman_ford(ctx, graph, source, kInDouble);
    EXPECT_EQ(to_vector(wide.double_distance), found_by<reference::bellman_ford_double>(source));
    EXPECT_NO_THROW(verify_bellman_ford(ctx, graph, source, wide));
  }

 private:
  void expect_same_on_a_host(VertexId source, const BellmanFordResult& result) const {
    const Graph elsewhere = testing::place(host_, testing::plain_host(), raw());
    const BellmanFordResult there = bellman_ford(host_, elsewhere, source);
    EXPECT_EQ(result.cycles, there.cycles);
    EXPECT_EQ(result.cycle_weight, there.cycle_weight);
    EXPECT_EQ(result.report.iterations, there.report.iterations);
  }

  const Context host_ = testing::plain_host().context();
};

TEST_P(BellmanFord, EqualsTheReferenceAndIsVerified) {
  if (raw().vertices == 0) return;
  expect_right(0, true);
  if (raw().vertices > 3) expect_right(raw().vertices / 2 + 1, true);
}
TEST_P(BellmanFord, DoesNotNeedInEdges) {
  if (raw().vertices > 0) expect_right(0, false);
}

std::vector<zoo::RawGraph> graphs_with_both_signs() {
  std::vector<zoo::RawGraph> all{zoo::empty_graph(), zoo::no_edges(), zoo::path()};
  for (const zoo::RawGraph& g : {zoo::weighted(zoo::rmat(true), zoo::Weights::WithZero),
                                 zoo::weighted(zoo::grid(), zoo::Weights::Positive)})
    all.push_back(g);
  for (zoo::RawGraph g : {zoo::one_loop(), zoo::self_loops(), zoo::multi_edges(), zoo::rmat(true),
                          zoo::uniform(true), zoo::directed_acyclic(), zoo::cycle(true),
                          zoo::disconnected_pieces(), zoo::page_borders(), zoo::grid()}) {
    g.directed = true;
    all.push_back(with_both_signs(g, true));
    all.push_back(with_both_signs(g, false));
  }
  all.push_back(with_both_signs(zoo::grid(), false));
  all.back().name = "EdgesBothWays";
  zoo::RawGraph thirds = with_both_signs(zoo::directed_acyclic(), false, 1 / 3.0f);
  thirds.name = "Thirds";
  all.push_back(thirds);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Zoo, BellmanFord, testing::each_in_each(graphs_with_both_signs()),
                         testing::suite_name);

RC_GTEST_PROP(BellmanFordProperty, EqualsTheReferenceOnRandomGraphs, ()) {
  zoo::RawGraph raw = zoo::random_graph(true);
  const int lowest = *rc::gen::inRange(0, 12);
  for (float& w : raw.weights)
    if (*rc::gen::inRange(0, 12) < lowest) w = 1 - w;
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const PlacedGraph placed(where, raw);
  const BellmanFordResult result = bellman_ford(placed.ctx, placed.graph, 0);
  const reference::Graph oracle = zoo::to_reference(raw);
  RC_ASSERT(to_vector(result.distance) == reference::bellman_ford_float(oracle, 0));
  RC_ASSERT(check_negative_cycles(oracle, result) == "");
  verify_bellman_ford(placed.ctx, placed.graph, 0, result);
}

zoo::RawGraph cycle_before_a_long_path(std::uint32_t vertices) {
  zoo::RawGraph raw{"Early", vertices + 3, true, zoo::path_edges(vertices), {}};
  raw.weights.assign(raw.edges.size(), 1);
  for (const zoo::Pair& e : {zoo::Pair{0, vertices},
                             {vertices, vertices + 1},
                             {vertices + 1, vertices + 2},
                             {vertices + 2, vertices}})
    raw.edges.push_back(e);
  raw.weights.insert(raw.weights.end(), {1, 1, 1, -3});
  return raw;
}

TEST(BellmanFordRun, FindsACycleLongBeforeThereWereAsManyRoundsAsVertices) {
  constexpr std::uint32_t kPath = 4000;
  zoo::RawGraph raw = cycle_before_a_long_path(kPath);
  for (const Configuration& configuration : cpu_configurations()) {
    const PlacedGraph placed(configuration, raw);
    const BellmanFordResult result = bellman_ford(placed.ctx, placed.graph, kPath);
    EXPECT_EQ(result.cycles, (std::vector<std::vector<VertexId>>{{kPath, kPath + 1, kPath + 2}}));
    EXPECT_EQ(result.cycle_weight, -1);
    EXPECT_LT(result.report.iterations, 100u);
  }
}

TEST(BellmanFordRun, GoesOnBehindACycleAndBesideIt) {
  constexpr std::uint32_t kPath = 300;
  zoo::RawGraph raw = cycle_before_a_long_path(kPath);
  raw.weights[10] = -0.5f;
  const PlacedGraph placed(testing::plain_host(), raw);
  const BellmanFordResult result = bellman_ford(placed.ctx, placed.graph, 0);
  EXPECT_EQ(result.without, 3u);
  EXPECT_EQ(result.distance[kPath - 1], kPath - 2.5f);
}

TEST(BellmanFordRun, TellsANegativeCycleFromOneWhoseSumOnlyRounds) {
  // Around it a float that has come to 2^24 loses 1, and gains nothing.
  const zoo::RawGraph raw{
      "Rounds", 4, true, {{0, 1}, {1, 2}, {2, 3}, {3, 1}}, {0x1p24f, 0.4f, 0.4f, -0.6f}};
  const PlacedGraph placed(testing::plain_host(), raw);
  expect_error(
      ErrorCode::BadInput, [&] { bellman_ford(placed.ctx, placed.graph, 0); }, "precision");
  const BellmanFordResult result = bellman_ford(placed.ctx, placed.graph, 0, kInDouble);
  EXPECT_TRUE(result.has_distances());
  EXPECT_EQ(result.double_distance[1], 0x1p24);
}

TEST(BellmanFordRun, TellsACycleFromAPathWhoseLengthOverflows) {
  const zoo::RawGraph path{"Deep", 3, true, {{0, 1}, {1, 2}}, {-3e38f, -3e38f}};
  zoo::RawGraph cycle = path;
  cycle.edges.emplace_back(2, 0);
  cycle.weights.push_back(1);
  for (const Configuration& configuration : cpu_configurations()) {
    const PlacedGraph deep(configuration, path), round(configuration, cycle);
    expect_error(
        ErrorCode::BadInput, [&] { bellman_ford(deep.ctx, deep.graph, 0); }, "range");
    EXPECT_EQ(bellman_ford(deep.ctx, deep.graph, 0, kInDouble).double_distance[2],
              2 * static_cast<double>(-3e38f));
    const BellmanFordResult result = bellman_ford(round.ctx, round.graph, 0);
    EXPECT_EQ(to_vector(result.distance), std::vector<float>(3, -kInfinity));
    EXPECT_EQ(result.cycles, (std::vector<std::vector<VertexId>>{{0, 1, 2}}));
  }
}

TEST(BellmanFordRun, CountsAPathWhoseSumOverflowsAsNone) {
  const zoo::RawGraph raw{"Far", 4, true, {{0, 1}, {1, 2}, {2, 3}}, {3e38f, 3e38f, -3e38f}};
  const PlacedGraph placed(testing::plain_host(), raw);
  const BellmanFordResult result = bellman_ford(placed.ctx, placed.graph, 0);
  EXPECT_EQ(to_vector(result.distance), (std::vector<float>{0, 3e38f, kInfinity, kInfinity}));
  EXPECT_NO_THROW(verify_bellman_ford(placed.ctx, placed.graph, 0, result));
}

TEST(BellmanFordRun, RefusesASourceOutOfRangeAndWeightsThatAreNotFinite) {
  const zoo::RawGraph raw{"Two", 2, true, {{0, 1}}, {1}};
  for (const Weight bad : {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN()}) {
    graph::BuiltGraph built = zoo::build(raw);
    built.out.weight[0] = bad;  // the builder itself refuses it
    const PlacedGraph placed(testing::plain_host(), std::move(built), true);
    expect_error(
        ErrorCode::BadInput, [&] { bellman_ford(placed.ctx, placed.graph, 0); },
        "from vertex 0 to vertex 1 is ");
    expect_error(ErrorCode::Usage, [&] { bellman_ford(placed.ctx, placed.graph, 2); });
  }
}

TEST(BellmanFordRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::directed_acyclic()), true);
  expect_error(ErrorCode::Interrupted, [&] { bellman_ford(ctx, graph, 0); });
}

/// 0 to 2 along two ways; from 1 to the cycle 3 - 4 - 5 - 3 and 6 behind it; 7 - 8 - 7 is negative
/// and not reached.
class BellmanFordCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_bellman_ford(ctx_, graph_, 0, result_); },
        reason);
  }

  const Context ctx_ = GetParam().context();
  const Graph graph_ = testing::place(
      ctx_, GetParam(),
      {"Mixed",
       9,
       true,
       {{0, 1}, {1, 2}, {0, 2}, {1, 3}, {3, 4}, {4, 5}, {5, 3}, {5, 6}, {7, 8}, {8, 7}, {4, 3}},
       {4, -3, 2, 1, 2, -4, 1, 7, -1, -1, 0}});
  BellmanFordResult result_ = bellman_ford(ctx_, graph_, 0);
};

TEST_P(BellmanFordCertificate, HoldsForWhatWasComputed) {
  constexpr float kNone = -kInfinity;
  EXPECT_EQ(to_vector(result_.distance),
            (std::vector<float>{0, 4, 1, kNone, kNone, kNone, kNone, kInfinity, kInfinity}));
  EXPECT_EQ(result_.cycles, (std::vector<std::vector<VertexId>>{{3, 4, 5}}));
  EXPECT_EQ(result_.cycle_weight, -1);
  EXPECT_NO_THROW(verify_bellman_ford(ctx_, graph_, 0, result_));
}
TEST_P(BellmanFordCertificate, RefutesTooFewDistances) {
  result_.distance = Array<Weight>(8, 0);
  expect_refuted("per vertex");
}
TEST_P(BellmanFordCertificate, RefutesASourceElsewhere) {
  result_.distance[0] = -1;
  expect_refuted("vertex 0 is the source");
}
TEST_P(BellmanFordCertificate, RefutesNoNumber) {
  result_.distance[2] = std::numeric_limits<float>::quiet_NaN();
  expect_refuted("vertex 2 has a distance that is no number");
}
TEST_P(BellmanFordCertificate, RefutesWrongCounts) {
  ++result_.reached;
  expect_refuted("said to be reached");
  --result_.reached;
  ++result_.without;
  expect_refuted("4 vertices have no distance, not 5");
}
TEST_P(BellmanFordCertificate, RefutesADistanceThatIsTooLarge) {
  result_.distance[2] = 2;
  expect_refuted("vertex 2 has a neighbour that offers a shorter path");
}
TEST_P(BellmanFordCertificate, RefutesADistanceThatIsTooSmall) {
  result_.distance[2] = 0;
  expect_refuted("vertex 2 has a distance that no path from the source has");
}
TEST_P(BellmanFordCertificate, RefutesADistanceBehindACycle) {
  result_.distance[6] = 0;
  --result_.without;
  expect_refuted("vertex 6 has a neighbour that offers a shorter path");
}
TEST_P(BellmanFordCertificate, RefutesVerticesWithoutDistanceForNoReason) {
  result_.distance[2] = -kInfinity;
  ++result_.without;
  expect_refuted("vertex 2 has no distance, but is behind no cycle");
}
TEST_P(BellmanFordCertificate, RefutesACycleThatTheSourceDoesNotReach) {
  result_.distance[7] = result_.distance[8] = -kInfinity;
  result_.reached += 2;
  result_.without += 2;
  result_.cycles.push_back({7, 8});
  expect_refuted("vertex 7 has no distance, but is not reached");
}
TEST_P(BellmanFordCertificate, RefutesACycleThatIsNotNamed) {
  result_.cycles.clear();
  expect_refuted("no cycle is named");
}
TEST_P(BellmanFordCertificate, RefutesACycleThatIsNotNegative) {
  result_.cycles[0] = {3, 4};
  expect_refuted("vertex 3 is on a cycle that is not negative");
}
TEST_P(BellmanFordCertificate, RefutesACycleWithoutAnEdge) {
  result_.cycles[0] = {3, 5, 4};
  expect_refuted("vertex 3 is on a cycle that lacks an edge");
}
TEST_P(BellmanFordCertificate, RefutesAnotherWeightOfTheCycle) {
  result_.cycle_weight = -2;
  expect_refuted("the first cycle weighs");
}
TEST_P(BellmanFordCertificate, RefutesACycleOfVerticesWithDistances) {
  result_.cycles[0] = {1, 3, 4, 5};
  expect_refuted("vertex 1 is on a negative cycle and has a distance");
}
TEST_P(BellmanFordCertificate, RefutesVerticesThatAreNamedTwice) {
  result_.cycles.push_back(result_.cycles[0]);
  expect_refuted("vertex 3 is named twice");
}

INSTANTIATE_TEST_SUITE_P(Cpu, BellmanFordCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
