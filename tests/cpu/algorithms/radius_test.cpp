#include "fathom/algorithms/radius/radius.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/reference/radius.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using testing::AlgorithmSuite;
using testing::Configuration;
using testing::cpu_configurations;
using testing::expect_error;
using testing::to_vector;

class Radius : public AlgorithmSuite {
 protected:
  /// Sketches are the same as the reference's, bit for bit.
  void expect_right(const RadiusOptions& options, bool in_edges) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const RadiusResult result = estimate_radius(ctx, graph, options);
    const reference::Radii expected =
        found_by<reference::sketched_radii>(options.sketches, options.seed, options.quantile);
    EXPECT_EQ(to_vector(result.effective_radius), expected.effective);
    EXPECT_EQ(to_vector(result.farthest), expected.farthest);
    ASSERT_EQ(result.pairs.size(), expected.pairs.size());
    for (std::size_t h = 0; h < expected.pairs.size(); ++h)
      EXPECT_NEAR(result.pairs[h], expected.pairs[h], 1e-4 * expected.pairs[h]);
    EXPECT_NEAR(result.effective_diameter,
                reference::effective_diameter(expected.pairs, options.quantile), 0.01);
    EXPECT_TRUE(result.converged);
    EXPECT_NO_THROW(verify_radius(ctx, graph, options, result));
  }
};

TEST_P(Radius, EqualsTheReferenceSketches) {
  expect_right({}, true);
}
TEST_P(Radius, EqualsTheReferenceWithOtherSketchesAndQuantiles) {
  RadiusOptions options;
  options.sketches = 6;
  options.seed = 77;
  options.quantile = .5;
  expect_right(options, true);
}
TEST_P(Radius, DoesNotNeedInEdges) {
  if (raw().directed) expect_right({}, false);
}

INSTANTIATE_TEST_SUITE_P(Zoo, Radius, testing::each_in_each(zoo::unweighted_graphs()),
                         testing::suite_name);

/// Graphs large enough for estimates, against a search from every vertex.
class RadiusEstimate : public ::testing::TestWithParam<zoo::RawGraph> {};

TEST_P(RadiusEstimate, IsNearTheExactValue) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(GetParam()), GetParam().directed);
  RadiusOptions options;
  options.sketches = 128;
  const RadiusResult result = estimate_radius(ctx, graph, options);
  const reference::Radii exact =
      reference::exact_radii(zoo::to_reference(GetParam()), options.quantile);
  const double diameter = reference::effective_diameter(exact.pairs, options.quantile);
  EXPECT_NEAR(result.effective_diameter, diameter, .1 * diameter + .1);
  // Three standard errors of 0.78 / sqrt(128) on the number of pairs.
  EXPECT_NEAR(result.pairs.back(), exact.pairs.back(), .21 * exact.pairs.back());
  std::size_t near = 0;
  for (std::size_t v = 0; v < exact.effective.size(); ++v) {
    EXPECT_LE(result.farthest[v], exact.farthest[v]);
    const double wrong = std::abs(static_cast<double>(result.effective_radius[v]) -
                                  static_cast<double>(exact.effective[v]));
    near += wrong <= 1 + .15 * exact.effective[v] ? 1 : 0;
  }
  EXPECT_GE(static_cast<double>(near), .9 * static_cast<double>(exact.effective.size()));
}

INSTANTIATE_TEST_SUITE_P(Zoo, RadiusEstimate,
                         ::testing::Values(zoo::grid(), zoo::cycle(false), zoo::path(),
                                           zoo::rmat(false), zoo::uniform(false),
                                           zoo::uniform(true)),
                         zoo::GraphName());

TEST(RadiusRun, GivesUpAfterTheMostHops) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(zoo::path()), false);
  RadiusOptions options;
  options.max_hops = 7;
  const RadiusResult result = estimate_radius(ctx, graph, options);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.diameter, 7u);
  EXPECT_EQ(result.pairs.size(), 8u);
  EXPECT_NO_THROW(verify_radius(ctx, graph, options, result));
}

TEST(RadiusRun, RefusesOptionsOutOfRange) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  RadiusOptions options;
  for (const std::uint32_t sketches : {0u, 3u, 258u}) {
    options.sketches = sketches;
    expect_error(
        ErrorCode::Usage, [&] { estimate_radius(ctx, graph, options); }, "even number");
  }
  options.sketches = 32;
  for (const double quantile : {0.0, 1.1}) {
    options.quantile = quantile;
    expect_error(
        ErrorCode::Usage, [&] { estimate_radius(ctx, graph, options); }, "quantile");
  }
}

/// A path of 7: the searches of the certificate start everywhere.
class RadiusCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_radius(ctx_, graph_, {}, result_); }, reason);
  }
  const Context ctx_ = GetParam().context();
  const Graph graph_ = testing::place(ctx_, GetParam(), {"Path", 7, false, zoo::path_edges(7), {}});
  RadiusResult result_ = estimate_radius(ctx_, graph_);
};

TEST_P(RadiusCertificate, RefutesAMissingRadius) {
  result_.farthest = Array<std::uint32_t>(6, 0);
  expect_refuted("per vertex");
}
TEST_P(RadiusCertificate, RefutesARadiusBeyondWhatIsReached) {
  result_.effective_radius[2] = result_.farthest[2] + 1;
  expect_refuted("vertex 2 has an effective radius beyond");
}
TEST_P(RadiusCertificate, RefutesAWrongRadius) {
  std::uint32_t& radius = result_.effective_radius[0];
  radius = radius == 0 ? 1 : radius - 1;
  expect_refuted("vertex 0 has the effective radius");
}
TEST_P(RadiusCertificate, RefutesAWrongDiameter) {
  ++result_.diameter;
  expect_refuted("the farthest that any vertex reaches");
}
TEST_P(RadiusCertificate, RefutesPairsThatFall) {
  std::swap(result_.pairs[1], result_.pairs[2]);
  expect_refuted("do not ascend");
}
TEST_P(RadiusCertificate, RefutesAnEffectiveDiameterThatDoesNotFollow) {
  result_.effective_diameter += .5;
  expect_refuted("does not follow");
}

INSTANTIATE_TEST_SUITE_P(Cpu, RadiusCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
