// Shortest paths in double: sums that a float rounds, and weights that it does not hold.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "fathom/algorithms/sssp/sssp.hpp"
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

constexpr double kFar = std::numeric_limits<double>::infinity();

SsspOptions in_double(double delta = 0) {
  return {.delta = delta, .precision = SsspPrecision::Double};
}

using SsspDoubleZoo = testing::AlgorithmSuite;

TEST_P(SsspDoubleZoo, EqualsDijkstraForEveryDeltaAndIsVerified) {
  if (raw().vertices == 0) return;
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  for (const VertexId source : {VertexId{0}, VertexId{raw().vertices / 2}}) {
    const std::vector<double> expected =
        found_by<reference::dijkstra>(std::vector<reference::Vertex>{source});
    for (const double delta : {0., 0.75, 1e30}) {
      const SsspResult result = sssp(ctx, graph, source, in_double(delta));
      EXPECT_EQ(to_vector(result.double_distance), expected)
          << "source " << source << " delta " << delta;
      EXPECT_TRUE(result.distance.empty());
      EXPECT_EQ(static_cast<long>(result.reached),
                std::count_if(expected.begin(), expected.end(), [](double d) { return d < kFar; }));
      if (delta == 0) verify_sssp(ctx, graph, source, result);
    }
  }
}

std::vector<zoo::RawGraph> rounding_graphs() {
  std::vector<zoo::RawGraph> all = zoo::all_graphs();
  all.push_back(zoo::long_steps());
  for (const zoo::RawGraph& raw : {zoo::rmat(true), zoo::grid(), zoo::page_borders()})
    all.push_back(zoo::weighted(raw, zoo::Weights::Thirds));
  return all;
}

INSTANTIATE_TEST_SUITE_P(Zoo, SsspDoubleZoo, testing::each_in_each(rounding_graphs()),
                         testing::suite_name);

TEST(SsspDouble, KeepsWhatAFloatRounds) {
  const PlacedGraph placed(plain_host(), zoo::long_steps());
  const SsspResult wide = sssp(placed.ctx, placed.graph, 0, in_double());
  EXPECT_EQ(wide.double_distance[3], 0x1p24 + 2);
  EXPECT_EQ(wide.double_distance[4], 0x1p24 + 2.5);
  const SsspResult narrow = sssp(placed.ctx, placed.graph, 0);
  EXPECT_EQ(narrow.distance[4], 0x1p24f);
}

TEST(SsspDouble, AddsUpAMillionTenths) {
  constexpr std::uint32_t kLength = 1'000'000;
  zoo::RawGraph raw{"Tenths", kLength + 1, true, {}, {}};
  for (std::uint32_t v = 0; v < kLength; ++v) {
    raw.edges.emplace_back(v, v + 1);
    raw.weights.push_back(0.1f);
  }
  const PlacedGraph placed(plain_host(), raw);
  const double exact = double{0.1f} * kLength;
  EXPECT_NEAR(sssp(placed.ctx, placed.graph, 0, in_double()).double_distance[kLength], exact, 1e-5);
  EXPECT_GT(std::abs(sssp(placed.ctx, placed.graph, 0).distance[kLength] - exact), 100);
}

TEST(SsspDouble, HoldsAPathThatOverflowsAFloat) {
  const zoo::RawGraph raw{"Far", 3, true, {{0, 1}, {1, 2}}, {3e38f, 3e38f}};
  for (const Configuration& configuration : testing::cpu_configurations()) {
    const PlacedGraph placed(configuration, raw);
    const SsspResult result = sssp(placed.ctx, placed.graph, 0, in_double());
    EXPECT_EQ(to_vector(result.double_distance),
              (std::vector<double>{0, double{3e38f}, 2 * double{3e38f}}));
    EXPECT_NO_THROW(verify_sssp(placed.ctx, placed.graph, 0, result));
  }
}

TEST(SsspDouble, RefusesNegativeWeightsAndNaN) {
  for (const Weight bad : {-1.0f, std::numeric_limits<float>::quiet_NaN()})
    for (const Configuration& configuration : testing::cpu_configurations()) {
      graph::BuiltGraph built = zoo::build(zoo::long_steps());
      built.out.weight[3] = bad;
      const PlacedGraph placed(configuration, std::move(built), true);
      expect_error(ErrorCode::BadInput, [&] { sssp(placed.ctx, placed.graph, 0, in_double()); });
    }
}

RC_GTEST_PROP(SsspDoubleProperty, EqualsDijkstraOnRandomGraphs, ()) {
  const zoo::RawGraph raw = zoo::random_graph(true, 1.0f / 3);
  const auto source = *rc::gen::inRange<std::uint32_t>(0, raw.vertices);
  const double delta = *rc::gen::element(0.0, 0.1, 3.0);
  const std::vector<double> expected = reference::dijkstra(zoo::to_reference(raw), {source});
  for (const Configuration& configuration : testing::cpu_configurations()) {
    const PlacedGraph placed(configuration, raw);
    const SsspResult result = sssp(placed.ctx, placed.graph, source, in_double(delta));
    RC_ASSERT(to_vector(result.double_distance) == expected);
  }
}

zoo::RawGraph fine_triangle() {
  return {"TriangleWithTail", 5, true, {{0, 1}, {1, 2}, {0, 2}, {2, 3}}, {1, 2, 5, 0x1p-30f}};
}

class CorruptedSsspDouble : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::function<void(SsspResult&)>& corrupt) {
    const PlacedGraph placed(GetParam(), fine_triangle());
    SsspResult result = sssp(placed.ctx, placed.graph, 0, in_double());
    ASSERT_NO_THROW(verify_sssp(placed.ctx, placed.graph, 0, result));
    corrupt(result);
    expect_error(ErrorCode::VerificationFailed,
                 [&] { verify_sssp(placed.ctx, placed.graph, 0, result, in_double()); });
  }
};

TEST_P(CorruptedSsspDouble, IsRefutedWhenADistanceIsTooLarge) {
  expect_refuted([](SsspResult& r) { r.double_distance[3] = 3 + 0x1p-29; });
}
TEST_P(CorruptedSsspDouble, IsRefutedWhenADistanceIsTooSmall) {
  expect_refuted([](SsspResult& r) { r.double_distance[3] = 3; });  // which is it in float
}
TEST_P(CorruptedSsspDouble, IsRefutedWhenTheSourceIsAway) {
  expect_refuted([](SsspResult& r) { r.double_distance[0] = 1e-300; });
}
TEST_P(CorruptedSsspDouble, IsRefutedWhenADistanceIsNegativeOrNoNumber) {
  for (const double bad : {-1., std::numeric_limits<double>::quiet_NaN()})
    expect_refuted([bad](SsspResult& r) { r.double_distance[4] = bad; });
}
TEST_P(CorruptedSsspDouble, IsRefutedWhenReachedAndUnreachedAreMistaken) {
  expect_refuted([](SsspResult& r) {
    r.double_distance[4] = 7;
    ++r.reached;
  });
  expect_refuted([](SsspResult& r) {
    r.double_distance[3] = kFar;
    --r.reached;
  });
  expect_refuted([](SsspResult& r) { ++r.reached; });
}
TEST_P(CorruptedSsspDouble, IsRefutedWhenThereAreNoDistances) {
  expect_refuted([](SsspResult& r) { r.double_distance = {}; });
}

INSTANTIATE_TEST_SUITE_P(Everywhere, CorruptedSsspDouble,
                         ::testing::ValuesIn(testing::cpu_configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
