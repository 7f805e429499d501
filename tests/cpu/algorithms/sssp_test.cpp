#include "fathom/algorithms/sssp/sssp.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "fathom/algorithms/state_sizes.hpp"
#include "tests/reference/dijkstra.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/random_graphs.hpp"

namespace fathom {
namespace {

using testing::Configuration;
using testing::expect_error;
using testing::PlacedGraph;
using testing::plain_host;
using testing::to_vector;

std::vector<VertexId> some_sources(const zoo::RawGraph& g) {
  if (g.vertices == 0) return {};
  std::vector<VertexId> sources{0};
  if (g.vertices > 3) sources.push_back(g.vertices / 2 + 1);
  return sources;
}

using SsspZoo = testing::AlgorithmSuite;

TEST_P(SsspZoo, EqualsDijkstraForEveryDeltaAndIsVerified) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  for (const VertexId source : some_sources(raw())) {
    const std::vector<float> expected = found_by<reference::dijkstra_float>(source);
    for (const Weight delta : {0.0f, 0.75f, 1e30f}) {
      const SsspResult result = sssp(ctx, graph, source, {.delta = delta});
      EXPECT_EQ(to_vector(result.distance), expected) << "source " << source << " delta " << delta;
      EXPECT_EQ(
          static_cast<long>(result.reached),
          std::count_if(expected.begin(), expected.end(), [](float d) { return d < kInfinity; }));
      EXPECT_GT(result.delta, 0);
      if (delta == 0) verify_sssp(ctx, graph, source, result);
    }
  }
}

TEST_P(SsspZoo, DoesNotNeedInEdges) {
  if (raw().vertices == 0) return;
  const Context ctx = configuration().context();
  const Graph graph = place(ctx, false);
  const SsspResult result = sssp(ctx, graph, 0);
  EXPECT_EQ(to_vector(result.distance), found_by<reference::dijkstra_float>(0));
  verify_sssp(ctx, graph, 0, result);
}

INSTANTIATE_TEST_SUITE_P(Zoo, SsspZoo, testing::each_in_each(zoo::all_graphs()),
                         testing::suite_name);

zoo::RawGraph triangle_with_tail() {
  return {"TriangleWithTail", 5, true, {{0, 1}, {1, 2}, {0, 2}, {2, 3}}, {1, 2, 5, 0.5f}};
}

TEST(Sssp, WidthsFarFromUsefulChangeNothing) {
  const zoo::RawGraph raw = zoo::weighted(zoo::rmat(true), zoo::Weights::Fraction);
  const std::vector<float> expected = reference::dijkstra_float(zoo::to_reference(raw), 1);
  for (const Configuration& configuration : testing::cpu_configurations()) {
    const PlacedGraph placed(configuration, raw);
    for (const Weight delta : {std::numeric_limits<float>::denorm_min(), 1e-6f, kInfinity})
      EXPECT_EQ(to_vector(sssp(placed.ctx, placed.graph, 1, {.delta = delta}).distance), expected)
          << delta;
  }
}

TEST(Sssp, UsesFewerSuperstepsTheWiderTheWindow) {
  const zoo::RawGraph raw = zoo::weighted(zoo::grid(), zoo::Weights::Positive);
  const PlacedGraph placed(plain_host(), raw);
  const auto steps = [&](Weight delta) {
    return sssp(placed.ctx, placed.graph, 0, {.delta = delta}).report.iterations;
  };
  EXPECT_GT(steps(1), 2 * steps(50));
}

TEST(Sssp, AnswersAlikeWithWhateverMemoryIsLeftForPendingVertices) {
  zoo::RawGraph raw{"Heavy", 20'000, true, zoo::random_edges(20'000, 200'000, 11), {}};
  zoo::Dice dice(5);
  for (std::size_t i = 0; i < raw.edges.size(); ++i)
    raw.weights.push_back(static_cast<float>(1 + dice.roll(254)));
  const std::vector<float> expected = reference::dijkstra_float(zoo::to_reference(raw), 0);
  for (const int threads : {1, 3}) {
    Configuration where;
    where.cpu.threads = threads;
    const auto run = [&](std::size_t budget) {
      where.cpu.host_memory = budget;
      const PlacedGraph placed(where, raw);
      EXPECT_EQ(to_vector(sssp(placed.ctx, placed.graph, 0, {.delta = 64}).distance), expected)
          << budget << " bytes, " << threads << " threads";
      return placed.ctx.host_memory()->peak();
    };
    const std::size_t most = run(MemoryPool::kUnlimited);
    const StateSize size = sssp_state();
    const auto least = static_cast<std::size_t>((size.whole + size.lists) * raw.vertices) + 4096;
    ASSERT_LT(least + (std::size_t{128} << 10), most) << "bins take next to nothing";
    for (std::size_t budget = least; budget < most; budget += (most - least) / 7 + 1) run(budget);
  }
}

TEST(Sssp, GoesBackToBinsWhenTheyHaveMemoryAgain) {
  constexpr std::uint32_t kLeaves = 60'000, kPath = 2'000;
  zoo::RawGraph raw{"Broom", kLeaves + kPath, true, {}, {}};
  zoo::Dice dice(3);
  for (std::uint32_t v = 1; v < kLeaves; ++v) {
    raw.edges.emplace_back(0, v);
    raw.weights.push_back(static_cast<float>(1 + dice.roll(254)));
  }
  for (std::uint32_t v = kLeaves; v < raw.vertices; ++v) {
    raw.edges.emplace_back(v - 1, v);
    raw.weights.push_back(2);
  }
  Configuration where;
  const StateSize size = sssp_state();
  where.cpu.host_memory = static_cast<std::size_t>((size.whole + size.lists) * raw.vertices) + 4096;
  const PlacedGraph placed(where, raw);
  const SsspResult result = sssp(placed.ctx, placed.graph, 0, {.delta = 1});
  EXPECT_EQ(to_vector(result.distance), reference::dijkstra_float(zoo::to_reference(raw), 0));
  for (const Superstep& step : result.report.supersteps) EXPECT_EQ(step.direction, "fused");
}

TEST(Sssp, CountsAPathWhoseSumOverflowsAsNone) {
  const zoo::RawGraph raw{"Far", 3, true, {{0, 1}, {1, 2}}, {3e38f, 3e38f}};
  for (const Configuration& configuration : testing::cpu_configurations()) {
    const PlacedGraph placed(configuration, raw);
    const SsspResult result = sssp(placed.ctx, placed.graph, 0);
    EXPECT_EQ(to_vector(result.distance), (std::vector<float>{0, 3e38f, kInfinity}));
    EXPECT_NO_THROW(verify_sssp(placed.ctx, placed.graph, 0, result));
  }
}

TEST(Sssp, RefusesASourceOutOfRangeAndAWidthThatIsNone) {
  const PlacedGraph placed(plain_host(), triangle_with_tail());
  expect_error(ErrorCode::Usage, [&] { sssp(placed.ctx, placed.graph, 5); });
  for (const Weight delta : {-1.0f, std::numeric_limits<float>::quiet_NaN()})
    expect_error(ErrorCode::Usage, [&] { sssp(placed.ctx, placed.graph, 0, {.delta = delta}); });
}

TEST(Sssp, RefusesNegativeWeightsAndNaNInsteadOfRunningForever) {
  for (const Weight bad : {-1.0f, std::numeric_limits<float>::quiet_NaN()})
    for (const Configuration& configuration : testing::cpu_configurations()) {
      graph::BuiltGraph built = zoo::build(triangle_with_tail());
      built.out.weight[3] = bad;  // of the edge from 2 to 3; the builder itself refuses NaN
      const PlacedGraph placed(configuration, std::move(built), true);
      expect_error(
          ErrorCode::BadInput, [&] { sssp(placed.ctx, placed.graph, 0); },
          "from vertex 2 to vertex 3 is " + std::string(bad < 0 ? "-1" : "nan"));
    }
}

TEST(Sssp, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  expect_error(ErrorCode::Interrupted, [&] { sssp(ctx, graph, 0); });
}

class CorruptedSssp : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const zoo::RawGraph& raw, const std::function<void(SsspResult&)>& corrupt) {
    const PlacedGraph placed(GetParam(), raw);
    SsspResult result = sssp(placed.ctx, placed.graph, 0);
    ASSERT_NO_THROW(verify_sssp(placed.ctx, placed.graph, 0, result));
    corrupt(result);
    expect_error(ErrorCode::VerificationFailed,
                 [&] { verify_sssp(placed.ctx, placed.graph, 0, result); });
  }
};

TEST_P(CorruptedSssp, IsRefutedWhenADistanceIsTooLarge) {
  expect_refuted(triangle_with_tail(), [](SsspResult& r) { r.distance[3] = 3.75f; });
}
TEST_P(CorruptedSssp, IsRefutedWhenADistanceIsTooSmall) {
  expect_refuted(triangle_with_tail(), [](SsspResult& r) { r.distance[3] = 3.25f; });
}
TEST_P(CorruptedSssp, IsRefutedWhenTheSourceIsAway) {
  expect_refuted(triangle_with_tail(), [](SsspResult& r) { r.distance[0] = 1; });
}
TEST_P(CorruptedSssp, IsRefutedWhenADistanceIsNegativeOrNoNumber) {
  expect_refuted(triangle_with_tail(), [](SsspResult& r) { r.distance[4] = -1; });
  expect_refuted(triangle_with_tail(),
                 [](SsspResult& r) { r.distance[4] = std::numeric_limits<float>::quiet_NaN(); });
}
TEST_P(CorruptedSssp, IsRefutedWhenAnUnreachedVertexIsSaidToBeReached) {
  expect_refuted(triangle_with_tail(), [](SsspResult& r) {
    r.distance[4] = 7;
    ++r.reached;
  });
}
TEST_P(CorruptedSssp, IsRefutedWhenAReachedVertexIsSaidToBeUnreached) {
  expect_refuted(triangle_with_tail(), [](SsspResult& r) {
    r.distance[3] = kInfinity;
    --r.reached;
  });
}
TEST_P(CorruptedSssp, IsRefutedWhenTheNumberReachedIsWrong) {
  expect_refuted(triangle_with_tail(), [](SsspResult& r) { ++r.reached; });
}
TEST_P(CorruptedSssp, IsRefutedWhenVerticesOnACycleOfZeroWeightVouchForEachOther) {
  const zoo::RawGraph raw{"ZeroCycle", 4, true, {{0, 1}, {1, 2}, {2, 3}, {3, 2}}, {1, 1, 0, 0}};
  expect_refuted(raw, [](SsspResult& r) { r.distance[2] = r.distance[3] = 1.5f; });
}

INSTANTIATE_TEST_SUITE_P(Everywhere, CorruptedSssp,
                         ::testing::ValuesIn(testing::cpu_configurations()),
                         [](const auto& configuration) { return configuration.param.name; });

RC_GTEST_PROP(SsspProperty, EqualsDijkstraInFloatOnRandomGraphs, ()) {
  // Thirds: sums round, differently along different paths.
  const zoo::RawGraph raw = zoo::random_graph(true, 1.0f / 3);
  const auto source = *rc::gen::inRange<std::uint32_t>(0, raw.vertices);
  const Weight delta = *rc::gen::element(0.0f, 0.1f, 3.0f);
  const std::vector<float> expected = reference::dijkstra_float(zoo::to_reference(raw), source);
  for (const Configuration& configuration : testing::cpu_configurations()) {
    const PlacedGraph placed(configuration, raw);
    RC_ASSERT(to_vector(sssp(placed.ctx, placed.graph, source, {.delta = delta}).distance) ==
              expected);
  }
}

}  // namespace
}  // namespace fathom
