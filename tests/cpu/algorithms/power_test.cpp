// Eigenvector and Katz centrality, hubs and authorities.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "fathom/algorithms/eigenvector/eigenvector.hpp"
#include "fathom/algorithms/hits/hits.hpp"
#include "fathom/algorithms/katz/katz.hpp"
#include "tests/reference/ranks/power.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/random_graphs.hpp"

namespace fathom {
namespace {

using testing::AlgorithmSuite;
using testing::Configuration;
using testing::cpu_configurations;
using testing::expect_error;

constexpr double kTolerance = 1e-9;

/// An alpha with which walks end: a vertex receives from at most all edges of a list.
double small_alpha(const reference::Graph& g, bool weighted) {
  double most = 1;
  for (const auto& list : g.out) {
    double sum = 0;
    for (const reference::Arc& arc : list) sum += weighted ? static_cast<double>(arc.weight) : 1;
    most = std::max(most, sum);
  }
  return 0.8 / most;
}

void expect_near(const Array<double>& is, const std::vector<double>& expected, double most) {
  ASSERT_EQ(is.size(), expected.size());
  double distance = 0;
  for (std::size_t v = 0; v < expected.size(); ++v) distance += std::abs(is[v] - expected[v]);
  EXPECT_LE(distance, most);
}

class Power : public AlgorithmSuite {
 protected:
  void expect_eigenvector(bool weighted, bool in_edges = true) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const EigenvectorOptions options{kTolerance, 60, weighted};
    const EigenvectorResult result = eigenvector(ctx, graph, options);
    const auto expected = reference::eigenvector(reference_graph(), {kTolerance, 60, weighted});
    // One may stop an iteration before the other, by rounding.
    const double most = 1e-9 + 2 * kTolerance * raw().vertices;
    expect_near(result.centrality, expected.value, raw().vertices == 0 ? 0 : most);
    EXPECT_TRUE(raw().vertices == 0 || result.converged == expected.converged ||
                std::abs(expected.iterations - static_cast<int>(result.iterations)) <= 1);
    EXPECT_NO_THROW(verify_eigenvector(ctx, graph, options, result));
  }
  void expect_katz(bool weighted, bool in_edges = true) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    KatzOptions options;
    options.alpha = small_alpha(reference_graph(), weighted);
    options.beta = 2;
    options.tolerance = kTolerance;
    options.weighted = weighted;
    const KatzResult result = katz(ctx, graph, options);
    EXPECT_TRUE(result.converged);
    const auto expected =
        reference::katz(reference_graph(), options.alpha, 2, {kTolerance, 1000, weighted});
    expect_near(result.centrality, expected.value, 1e-9 + 2 * kTolerance * raw().vertices);
    EXPECT_NO_THROW(verify_katz(ctx, graph, options, result));
  }
  void expect_hits(bool weighted, bool in_edges = true) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const HitsOptions options{kTolerance, 80, weighted};
    const HitsResult result = hits(ctx, graph, options);
    const auto expected = reference::hits(reference_graph(), {kTolerance, 80, weighted});
    expect_near(result.hub, expected.hub, 1e-8);
    expect_near(result.authority, expected.authority, 1e-8);
    EXPECT_NO_THROW(verify_hits(ctx, graph, options, result));
  }
};

TEST_P(Power, EigenvectorEqualsTheReference) {
  expect_eigenvector(false);
}
TEST_P(Power, EigenvectorByWeightEqualsTheReference) {
  expect_eigenvector(true);
}
TEST_P(Power, KatzEqualsTheReference) {
  expect_katz(false);
}
TEST_P(Power, KatzByWeightEqualsTheReference) {
  expect_katz(true);
}
TEST_P(Power, HitsEqualsTheReference) {
  expect_hits(false);
}
TEST_P(Power, HitsByWeightEqualsTheReference) {
  expect_hits(true);
}
TEST_P(Power, NeedsNoInEdges) {
  if (!raw().directed) return;
  expect_hits(true, false);
  expect_eigenvector(false, false);
  expect_katz(true, false);
}

INSTANTIATE_TEST_SUITE_P(Zoo, Power,
                         testing::each_in_each({zoo::empty_graph(), zoo::one_loop(), zoo::path(),
                                                zoo::grid(), zoo::star_inward(), zoo::rmat(true),
                                                zoo::rmat(false), zoo::unreachable_sources()}),
                         testing::suite_name);

RC_GTEST_PROP(PowerProperty, EqualsTheReferenceOnRandomGraphs, ()) {
  const zoo::RawGraph raw = zoo::random_graph(true);
  const reference::Graph g = zoo::to_reference(raw);
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw, *rc::gen::arbitrary<bool>());
  const bool weighted = *rc::gen::arbitrary<bool>();
  KatzOptions options;
  options.alpha = small_alpha(g, weighted);
  options.tolerance = kTolerance;
  options.weighted = weighted;
  const KatzResult result = katz(ctx, graph, options);
  const auto expected = reference::katz(g, options.alpha, 1, {kTolerance, 1000, weighted});
  double distance = 0;
  for (std::size_t v = 0; v < expected.value.size(); ++v)
    distance += std::abs(result.centrality[v] - expected.value[v]);
  RC_ASSERT(distance <= 1e-9 + 2 * kTolerance * static_cast<double>(g.n));
  verify_katz(ctx, graph, options, result);
}

const Context kHost = Context::cpu();

TEST(Eigenvector, OfACompleteGraphIsTheSameEverywhere) {
  zoo::RawGraph raw;
  raw.directed = false;
  raw.vertices = 5;
  for (std::uint32_t u = 0; u < 5; ++u)
    for (std::uint32_t v = u + 1; v < 5; ++v) raw.edges.push_back({u, v});
  const EigenvectorResult result = eigenvector(kHost, make_graph(kHost, zoo::build(raw), false));
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.eigenvalue, 4, 1e-12);
  for (const double value : result.centrality) EXPECT_NEAR(value, std::sqrt(0.2), 1e-12);
}
TEST(Eigenvector, SaysThatItDidNotConverge) {
  const Graph graph = make_graph(kHost, zoo::build(zoo::path()), false);
  const EigenvectorOptions options{0, 7, false};
  const EigenvectorResult result = eigenvector(kHost, graph, options);
  EXPECT_FALSE(result.converged);
  EXPECT_FALSE(result.report.converged);
  EXPECT_EQ(result.iterations, 7u);
  EXPECT_NO_THROW(verify_eigenvector(kHost, graph, options, result));
}
TEST(Eigenvector, RefusesWhatIsNoTolerance) {
  const Graph graph = make_graph(kHost, zoo::build(zoo::path()), false);
  expect_error(
      ErrorCode::Usage, [&] { eigenvector(kHost, graph, {-1}); }, "tolerance");
  expect_error(
      ErrorCode::Usage,
      [&] {
        eigenvector(kHost, graph, {1e-6, 0});
      },
      "one iteration");
}
TEST(Eigenvector, RefusesNegativeWeightsThatShow) {
  zoo::RawGraph raw;
  raw.directed = true;
  raw.vertices = 3;
  raw.edges = {{0, 1}, {1, 2}, {2, 0}};
  raw.weights = {-1, 2, 2};
  const Graph graph = make_graph(kHost, zoo::build(raw), true);
  expect_error(
      ErrorCode::BadInput,
      [&] {
        eigenvector(kHost, graph, {1e-6, 100, true});
      },
      "vertex 1");
}

TEST(Katz, SaysHowLargeAlphaMayBe) {
  const Graph graph = make_graph(kHost, zoo::build(zoo::grid()), false);
  KatzOptions options;
  options.alpha = 5;
  expect_error(
      ErrorCode::Usage, [&] { katz(kHost, graph, options); }, "it has to be below 0.2");
}
TEST(Katz, RefusesArgumentsWithoutMeaning) {
  const Graph graph = make_graph(kHost, zoo::build(zoo::path()), false);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0., -1., nan, std::numeric_limits<double>::infinity()}) {
    KatzOptions options;
    options.alpha = bad;
    expect_error(
        ErrorCode::Usage, [&] { katz(kHost, graph, options); }, "alpha");
    options = {};
    options.beta = bad;
    expect_error(
        ErrorCode::Usage, [&] { katz(kHost, graph, options); }, "beta");
  }
  KatzOptions options;
  options.tolerance = nan;
  expect_error(
      ErrorCode::Usage, [&] { katz(kHost, graph, options); }, "tolerance");
  options = {};
  for (const double out_of_range : {1e-101, 1e101}) {
    options.beta = out_of_range;
    expect_error(
        ErrorCode::Usage, [&] { katz(kHost, graph, options); }, "1e-100 to 1e100");
  }
}
TEST(Katz, ScalesWhatBeginsWithLittleOrMuch) {
  const Graph graph = make_graph(kHost, zoo::build(zoo::star_inward()), true);
  const KatzResult usual = katz(kHost, graph);
  for (const double beta : {1e-100, 1e100}) {
    KatzOptions options;
    options.beta = beta;
    options.tolerance *= beta;  // it is of values as they are solved for
    const KatzResult result = katz(kHost, graph, options);
    for (VertexId v = 0; v < graph.vertices(); ++v)
      EXPECT_NEAR(result.centrality[v], usual.centrality[v], 1e-6);
    EXPECT_NO_THROW(verify_katz(kHost, graph, options, result));
  }
}
TEST(Katz, LeavesValuesAsTheyAreSolvedFor) {
  const Graph graph = make_graph(kHost, zoo::build(zoo::star_inward()), true);
  KatzOptions options;
  options.normalized = false;
  options.beta = 3;
  const KatzResult result = katz(kHost, graph, options);
  const double least = *std::min_element(result.centrality.begin(), result.centrality.end());
  EXPECT_EQ(least, 3);  // nobody points there
  EXPECT_EQ(result.norm, 1);
  EXPECT_NO_THROW(verify_katz(kHost, graph, options, result));
}

TEST(Hits, AreZeroWhereNobodyPoints) {
  zoo::RawGraph raw;
  raw.directed = true;
  raw.vertices = 3;
  const Graph graph = make_graph(kHost, zoo::build(raw), true);
  HitsResult result = hits(kHost, graph);
  EXPECT_TRUE(result.converged);
  for (const double value : result.hub) EXPECT_EQ(value, 0);
  EXPECT_NO_THROW(verify_hits(kHost, graph, {}, result));
  raw.edges = {{0, 1}};
  const Graph other = make_graph(kHost, zoo::build(raw), true);
  expect_error(
      ErrorCode::VerificationFailed, [&] { verify_hits(kHost, other, {}, result); },
      "points somewhere");
}
TEST(Hits, RefusesWhatIsNoTolerance) {
  const Graph graph = make_graph(kHost, zoo::build(zoo::path()), false);
  expect_error(
      ErrorCode::Usage, [&] { hits(kHost, graph, {-1}); }, "tolerance");
  expect_error(
      ErrorCode::Usage,
      [&] {
        hits(kHost, graph, {1e-6, 0});
      },
      "one iteration");
}

class PowerCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_eigenvector(ctx_, graph_, {}, eigen_); },
        reason);
  }
  void expect_katz_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_katz(ctx_, graph_, options_, katz_); }, reason);
  }
  void expect_hits_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_hits(ctx_, graph_, {}, hits_); }, reason);
  }
  static KatzOptions small() {
    KatzOptions options;
    options.alpha = 1e-3;
    return options;
  }

  const Context ctx_ = GetParam().context();
  const Graph graph_ = testing::place(ctx_, GetParam(), zoo::rmat(true));
  const KatzOptions options_ = small();
  EigenvectorResult eigen_ = eigenvector(ctx_, graph_, {});
  KatzResult katz_ = katz(ctx_, graph_, options_);
  HitsResult hits_ = hits(ctx_, graph_, {});
};

TEST_P(PowerCertificate, RefutesOtherHubsAndAuthorities) {
  const auto swap_two = [](Array<double>& values) {
    std::swap(*std::max_element(values.begin(), values.end()),
              *std::min_element(values.begin(), values.end()));
  };
  swap_two(hits_.authority);
  expect_hits_refuted("from those of the hubs");
  swap_two(hits_.authority);
  hits_.residual += 1e-8;
  hits_.converged = false;
  expect_hits_refuted("one more step");
  hits_.hub[4] += 1e-3;
  expect_hits_refuted("hubs sum to");
  hits_.hub[4] = -1;
  expect_hits_refuted("vertex 4");
  hits_.hub = Array<double>(2, 0.5);
  expect_hits_refuted("per vertex");
}

TEST_P(PowerCertificate, RefutesAnotherNumberOfValues) {
  eigen_.centrality = Array<double>(3, 1);
  expect_refuted("per vertex");
  katz_.centrality = Array<double>(3, 1);
  expect_katz_refuted("per vertex");
}
TEST_P(PowerCertificate, RefutesOtherValuesOfTheSameNorm) {
  auto& values = eigen_.centrality;
  std::swap(*std::max_element(values.begin(), values.end()),
            *std::min_element(values.begin(), values.end()));
  expect_refuted("eigenvalue");
  auto& others = katz_.centrality;
  std::swap(*std::max_element(others.begin(), others.end()),
            *std::min_element(others.begin(), others.end()));
  expect_katz_refuted("one more step");
}
TEST_P(PowerCertificate, RefutesValuesThatAreNotScaled) {
  for (double& value : eigen_.centrality) value *= 1.001;
  expect_refuted("squares");
  for (double& value : katz_.centrality) value *= 1.001;
  expect_katz_refuted("scaled");
}
TEST_P(PowerCertificate, RefutesNegativeValuesAndNan) {
  eigen_.centrality[9] = -1e-3;
  expect_refuted("vertex 9");
  katz_.centrality[9] = std::numeric_limits<double>::quiet_NaN();
  expect_katz_refuted("vertex 9");
}
TEST_P(PowerCertificate, RefutesAnotherEndThanWasReached) {
  eigen_.residual *= 1.01;
  expect_refuted("one more step");
  eigen_.converged = false;
  expect_refuted("contradicts");
  katz_.residual += 1e-4;
  expect_katz_refuted("one more step");
  katz_.converged = false;
  expect_katz_refuted("contradicts");
}

INSTANTIATE_TEST_SUITE_P(Cpu, PowerCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
