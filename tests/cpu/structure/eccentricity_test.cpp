#include "fathom/algorithms/eccentricity/eccentricity.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "tests/reference/structure/eccentricities.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/random_graphs.hpp"

namespace fathom {
namespace {

using testing::AlgorithmSuite;
using testing::Configuration;
using testing::cpu_configurations;
using testing::expect_error;
using testing::to_vector;

/// Those that summaries are about.
std::vector<std::uint32_t> values_that_count(const reference::Graph& g) {
  const std::vector<std::uint32_t> all = reference::eccentricities(g);
  const std::vector<bool> inside = reference::largest_component(g);
  std::vector<std::uint32_t> values;
  for (std::size_t v = 0; v < all.size(); ++v)
    if (g.directed || inside[v]) values.push_back(all[v]);
  return values;
}

/// What is wrong with what is said of the whole graph; empty: nothing.
std::string check_extremes(const reference::Graph& g, const EccentricityResult& result,
                           bool diameter_only) {
  const std::vector<std::uint32_t> values = values_that_count(g);
  if (values.empty()) return result.far == kNoVertex && result.near == kNoVertex ? "" : "vertices";
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (result.radius != *least || result.diameter != *most) return "diameter or radius";
  const auto right = [&](VertexId count, std::uint32_t of) {
    return count == static_cast<VertexId>(std::count(values.begin(), values.end(), of)) ||
           (diameter_only && count == kNoVertex);
  };
  if (!right(result.center, *least) || !right(result.periphery, *most)) return "counts";
  const std::vector<std::uint32_t> all = reference::eccentricities(g);
  return all[result.far] == *most && all[result.near] == *least ? "" : "who has them";
}

class Eccentricity : public AlgorithmSuite {
 protected:
  void expect_right(bool in_edges) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const EccentricityResult result = eccentricities(ctx, graph);
    EXPECT_EQ(to_vector(result.eccentricity), found_by<reference::eccentricities>());
    EXPECT_EQ(check_extremes(reference_graph(), result, false), "");
    EXPECT_NO_THROW(verify_eccentricities(ctx, graph, {}, result));
  }
};

TEST_P(Eccentricity, EqualsTheReference) {
  expect_right(true);
}
TEST_P(Eccentricity, DoesNotNeedInEdges) {
  if (raw().directed) expect_right(false);
}
TEST_P(Eccentricity, OfTheWholeGraphAloneEqualsTheReference) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx, true);
  const EccentricityOptions options{.diameter_only = true};
  const EccentricityResult result = eccentricities(ctx, graph, options);
  EXPECT_EQ(result.eccentricity.size(), 0u);
  EXPECT_EQ(check_extremes(reference_graph(), result, true), "");
  EXPECT_NO_THROW(verify_eccentricities(ctx, graph, options, result));
}

INSTANTIATE_TEST_SUITE_P(Zoo, Eccentricity, testing::each_in_each(zoo::unweighted_graphs()),
                         testing::suite_name);

RC_GTEST_PROP(EccentricityProperty, EqualsTheReferenceOnRandomGraphs, ()) {
  const zoo::RawGraph raw = zoo::random_graph(false);
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw, *rc::gen::arbitrary<bool>());
  const EccentricityOptions options{*rc::gen::arbitrary<bool>()};
  const EccentricityResult result = eccentricities(ctx, graph, options);
  const reference::Graph g = zoo::to_reference(raw);
  RC_ASSERT(check_extremes(g, result, options.diameter_only) == "");
  RC_ASSERT(options.diameter_only ||
            to_vector(result.eccentricity) == reference::eccentricities(g));
  verify_eccentricities(ctx, graph, options, result);
}

/// Depths beyond a byte in some components, and every kind of component: a path of 600, a cycle of
/// 301, a star, a clique of the most that are searched from all together, pairs and loners.
zoo::RawGraph many_components() {
  zoo::RawGraph g{"ManyComponents", 0, false, {}, {}};
  const auto add = [&](std::uint32_t size, auto edge) {
    for (std::uint32_t i = 0; i < size; ++i)
      for (std::uint32_t j = i + 1; j < size; ++j)
        if (edge(i, j)) g.edges.push_back({g.vertices + i, g.vertices + j});
    g.vertices += size;
  };
  const auto next = [](std::uint32_t i, std::uint32_t j) { return j == i + 1; };
  add(2, next);
  add(600, next);
  add(301, [&](std::uint32_t i, std::uint32_t j) { return next(i, j) || (i == 0 && j == 300); });
  add(1, next);
  add(70, [](std::uint32_t i, std::uint32_t) { return i == 0; });
  add(64, [](std::uint32_t, std::uint32_t) { return true; });
  for (int i = 0; i < 9; ++i) add(2, next);
  return g;
}

TEST(EccentricityRun, IsRightInComponentsOfEveryKind) {
  const zoo::RawGraph raw = many_components();
  for (const Configuration& where : cpu_configurations()) {
    const Context ctx = where.context();
    const Graph graph = testing::place(ctx, where, raw);
    const EccentricityResult result = eccentricities(ctx, graph);
    EXPECT_EQ(to_vector(result.eccentricity), reference::eccentricities(zoo::to_reference(raw)));
    EXPECT_EQ(result.diameter, 599u);
    EXPECT_EQ(result.radius, 300u);
    EXPECT_EQ(result.center, 2u);
    EXPECT_NO_THROW(verify_eccentricities(ctx, graph, {}, result));
  }
}
TEST(EccentricityRun, TakesFewSearchesOfAGrid) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  EXPECT_LT(eccentricities(ctx, graph).searches, graph.vertices() / 8);
  EXPECT_LT(eccentricities(ctx, graph, {true}).searches, graph.vertices() / 8);
}
TEST(EccentricityRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  expect_error(ErrorCode::Interrupted, [&] { eccentricities(ctx, graph); });
}

class EccentricityCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed,
        [&] { verify_eccentricities(ctx_, graph_, options_, result_); }, reason);
  }
  void diameter_only() {
    options_.diameter_only = true;
    result_ = eccentricities(ctx_, graph_, options_);
    EXPECT_NO_THROW(verify_eccentricities(ctx_, graph_, options_, result_));
  }

  const Context ctx_ = GetParam().context();
  const Graph graph_ = testing::place(ctx_, GetParam(), zoo::grid());
  EccentricityOptions options_;
  EccentricityResult result_ = eccentricities(ctx_, graph_);
};

TEST_P(EccentricityCertificate, RefutesTooFewValues) {
  result_.eccentricity = Array<std::uint32_t>(6, 0);
  expect_refuted("per vertex");
}
TEST_P(EccentricityCertificate, RefutesAnotherDiameter) {
  --result_.diameter;
  expect_refuted("from the farthest, not");
}
TEST_P(EccentricityCertificate, RefutesADiameterOfMoreThanTwiceTheRadius) {
  result_.diameter = 2 * result_.radius + 1;
  expect_refuted("does not go with a radius");
}
TEST_P(EccentricityCertificate, RefutesAnotherRadius) {
  --result_.radius;
  expect_refuted("radius");
}
TEST_P(EccentricityCertificate, RefutesAWitnessThatIsNone) {
  result_.near = result_.far;
  expect_refuted("from the farthest, not");
}
TEST_P(EccentricityCertificate, RefutesNoWitness) {
  result_.near = kNoVertex;
  expect_refuted("no vertex is said");
}
TEST_P(EccentricityCertificate, RefutesWrongCounts) {
  ++result_.periphery;
  expect_refuted("which is not what is said");
}
TEST_P(EccentricityCertificate, RefutesAValueFarFromThoseOfNeighbours) {
  // Still between radius and diameter.
  VertexId v = 0;
  while (result_.eccentricity[v] != result_.diameter - 3) ++v;
  result_.eccentricity[v] -= 3;
  expect_refuted("more than a neighbour");
}
TEST_P(EccentricityCertificate, RefutesAValueThatNoNeighbourExplains) {
  zoo::RawGraph way{"Way", 21, true, {}, {}};
  for (std::uint32_t v = 0; v < 20; ++v) way.edges.push_back({v, v + 1});
  const Graph graph = testing::place(ctx_, GetParam(), way);
  EccentricityResult result = eccentricities(ctx_, graph);
  EXPECT_NO_THROW(verify_eccentricities(ctx_, graph, {}, result));
  ++result.eccentricity[5];
  expect_error(
      ErrorCode::VerificationFailed, [&] { verify_eccentricities(ctx_, graph, {}, result); },
      "vertex 5 has more than one more than all");
}
TEST_P(EccentricityCertificate, RefutesValuesThatAreAllTooLarge) {
  for (std::uint32_t& value : result_.eccentricity) ++value;
  expect_refuted("which is not what is said");
}
TEST_P(EccentricityCertificate, RefutesADiameterAloneThatIsNone) {
  diameter_only();
  --result_.diameter;
  expect_refuted("from the farthest, not");
}
TEST_P(EccentricityCertificate, RefutesARadiusAloneThatIsNone) {
  diameter_only();
  ++result_.radius;
  expect_refuted("from the farthest, not");
}
TEST_P(EccentricityCertificate, RefutesADiameterThatAnotherVertexExceeds) {
  diameter_only();
  result_.far = result_.near;
  result_.diameter = result_.radius;
  expect_refuted("between radius and diameter");
}

INSTANTIATE_TEST_SUITE_P(Cpu, EccentricityCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
