#include "fathom/algorithms/pagerank/pagerank.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "fathom/algorithms/vertex_error.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/exact_ranks.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/extreme_weights.hpp"
#include "tests/suites/random_graphs.hpp"

namespace fathom {
namespace {

using testing::AlgorithmSuite;
using testing::Configuration;
using testing::cpu_configurations;
using testing::each_in_each;
using testing::exact_ranks;
using testing::expect_error;
using testing::l1_between;

/// The error that pagerank() documents, twice because ranks are scaled to the sum 1.
double documented_error(const PagerankOptions& options, const PagerankResult& result) {
  return 2 * (result.residual + 10 * 0x1p-24) * options.alpha / (1 - options.alpha) + 1e-12;
}

class Pagerank : public AlgorithmSuite {
 protected:
  /// With in-edges, and without where that is another graph.
  void expect_right(const PagerankOptions& options) const {
    expect_right(options, true);
    if (raw().directed) expect_right(options, false);
  }

 private:
  void expect_right(const PagerankOptions& options, bool in_edges) const {
    SCOPED_TRACE(in_edges ? "with in-edges" : "without in-edges");
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const PagerankResult result = pagerank(ctx, graph, options);
    ASSERT_EQ(result.rank.size(), raw().vertices);
    EXPECT_TRUE(result.converged);
    EXPECT_LE(l1_between(result.rank, exact_ranks(raw(), options)),
              documented_error(options, result));
    if (options.compat != PagerankCompat::Gap && raw().vertices > 0) {
      EXPECT_NEAR(std::accumulate(result.rank.begin(), result.rank.end(), 0.0), 1, 1e-12);
    }
    EXPECT_NO_THROW(verify_pagerank(ctx, graph, options, result));
  }
};

TEST_P(Pagerank, EqualsPowerIteration) {
  expect_right({});
}
TEST_P(Pagerank, LosesDanglingRankAsGapDoes) {
  PagerankOptions options;
  options.compat = PagerankCompat::Gap;
  expect_right(options);
}
INSTANTIATE_TEST_SUITE_P(Zoo, Pagerank, each_in_each(zoo::all_graphs()), testing::suite_name);

class PagerankByWeight : public Pagerank {};

TEST_P(PagerankByWeight, EqualsPowerIteration) {
  PagerankOptions options;
  options.weighted = true;
  expect_right(options);
}
INSTANTIATE_TEST_SUITE_P(Zoo, PagerankByWeight, each_in_each(zoo::weighted_graphs()),
                         testing::suite_name);

// Beyond what floats are for: shares of the first are below their least, of the second infinite.
class PagerankByExtremeWeights : public Pagerank {};

TEST_P(PagerankByExtremeWeights, EqualsPowerIteration) {
  PagerankOptions options;
  options.weighted = true;
  expect_right(options);
}
INSTANTIATE_TEST_SUITE_P(Directed, PagerankByExtremeWeights,
                         each_in_each(testing::graphs_of_extreme_weights(true)),
                         testing::suite_name);
INSTANTIATE_TEST_SUITE_P(Undirected, PagerankByExtremeWeights,
                         each_in_each(testing::graphs_of_extreme_weights(false)),
                         testing::suite_name);

class PagerankToASmallTolerance : public AlgorithmSuite {};

TEST_P(PagerankToASmallTolerance, IsExact) {
  PagerankOptions options;
  options.tolerance = 1e-12;
  options.max_iterations = 400;
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  for (const bool weighted : {false, true}) {
    options.weighted = weighted;
    const PagerankResult result = pagerank(ctx, graph, options);
    EXPECT_TRUE(result.converged);
    EXPECT_LE(l1_between(result.rank, exact_ranks(raw(), options)), 2e-11);
    EXPECT_NO_THROW(verify_pagerank(ctx, graph, options, result));
  }
}
INSTANTIATE_TEST_SUITE_P(
    Zoo, PagerankToASmallTolerance,
    each_in_each({zoo::rmat(true), zoo::weighted(zoo::rmat(true), zoo::Weights::WithZero),
                  zoo::cycle(true), zoo::star(true), zoo::disconnected_pieces()}),
    testing::suite_name);

class PersonalizedPagerank : public Pagerank {};

TEST_P(PersonalizedPagerank, JumpsWhereItSays) {
  std::vector<double> wished(raw().vertices, 0.0);
  for (std::size_t v = 0; v < wished.size(); v += 3) wished[v] = 1 + static_cast<double>(v % 5);
  PagerankOptions options;
  options.personalization = wished;
  expect_right(options);
}
INSTANTIATE_TEST_SUITE_P(Zoo, PersonalizedPagerank,
                         each_in_each({zoo::rmat(true), zoo::star_inward(), zoo::path(),
                                       zoo::isolated_vertices(), zoo::one_vertex()}),
                         testing::suite_name);

// A share rounded up, and sums of such rounded up: more rank comes round than leaves.
TEST(PagerankOfOneVertex, KeepsItsRankWithinTheRoundingOfFloats) {
  const Context ctx = Context::cpu();
  PagerankOptions options;
  options.compat = PagerankCompat::Gap;
  for (std::size_t loops = 1; loops <= 200; ++loops) {
    zoo::RawGraph raw{"loops", 1, true, {}, {}};
    raw.edges.assign(loops, {0, 0});
    const Graph graph = make_graph(ctx, zoo::build(raw), true);
    for (const double alpha : {.1, .9}) {
      options.alpha = alpha;
      const PagerankResult result = pagerank(ctx, graph, options);
      EXPECT_LE(l1_between(result.rank, {1.0}), documented_error(options, result)) << loops;
      EXPECT_NO_THROW(verify_pagerank(ctx, graph, options, result)) << loops;
    }
  }
}

// Without jumps ranks end where they began to lead to: the same wherever the edges are.
TEST(PagerankWithoutJumps, IsTheSameInPlaceOrNot) {
  const Context ctx = Context::cpu();
  const zoo::RawGraph raw{
      "TwoSinks", 4, true, {{3, 0}, {0, 0}, {3, 1}, {1, 2}, {2, 1}, {1, 1}}, {}};
  const Graph graph = make_graph(ctx, zoo::build(raw), true);
  const std::vector<double> from_three{0, 0, 0, 1}, apart{1, 0, 0, 0};
  for (const std::span<const double> jump : {std::span<const double>(), std::span(from_three)}) {
    PagerankOptions options;
    options.alpha = 1;
    options.personalization = jump;
    PagerankOptions plain = options;
    plain.in_place = false;
    const PagerankResult in_place = pagerank(ctx, graph, options),
                         expected = pagerank(ctx, graph, plain);
    for (VertexId v = 0; v < 4; ++v) EXPECT_NEAR(in_place.rank[v], expected.rank[v], 1e-5) << v;
    EXPECT_NEAR(in_place.rank[0], jump.empty() ? .375 : .5, 1e-5);
  }
  const zoo::RawGraph pairs{"Pairs", 4, true, {{0, 1}, {1, 0}, {2, 3}, {3, 2}}, {}};
  PagerankOptions options;
  options.alpha = 1;
  options.personalization = apart;
  options.max_iterations = 20;
  const PagerankResult result = pagerank(ctx, make_graph(ctx, zoo::build(pairs), true), options);
  EXPECT_FALSE(result.converged);
  EXPECT_NEAR(result.rank[0] + result.rank[1], 1, 1e-6);
}

RC_GTEST_PROP(PagerankProperty, EqualsPowerIterationOnRandomGraphs, ()) {
  const zoo::RawGraph raw = zoo::random_graph(true);
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw, *rc::gen::arbitrary<bool>());
  PagerankOptions options;
  options.alpha = *rc::gen::inRange(0, 10) / 10.0;
  options.weighted = *rc::gen::arbitrary<bool>();
  options.max_iterations = 1000;
  options.compat = *rc::gen::element(PagerankCompat::None, PagerankCompat::Gap);
  const PagerankResult result = pagerank(ctx, graph, options);
  RC_ASSERT(result.converged);
  RC_ASSERT(l1_between(result.rank, exact_ranks(raw, options)) <=
            documented_error(options, result));
  verify_pagerank(ctx, graph, options, result);
}

class PagerankOnRmat : public ::testing::Test {
 protected:
  void expect_refused(const PagerankOptions& options, const std::string& reason) const {
    expect_error(
        ErrorCode::Usage, [&] { pagerank(ctx_, graph_, options); }, reason);
  }

  const Context ctx_ = Context::cpu();
  const zoo::RawGraph raw_ = zoo::rmat(true);
  const Graph graph_ = make_graph(ctx_, zoo::build(raw_), true);
};

TEST_F(PagerankOnRmat, StopsEarlierAtNetworkxTolerance) {
  PagerankOptions options;
  const PagerankResult fine = pagerank(ctx_, graph_, options);
  options.compat = PagerankCompat::Networkx;
  const PagerankResult coarse = pagerank(ctx_, graph_, options);
  EXPECT_TRUE(coarse.converged);
  EXPECT_LT(coarse.iterations, fine.iterations);
  EXPECT_LT(coarse.residual, 1e-6 * raw_.vertices);
  EXPECT_NO_THROW(verify_pagerank(ctx_, graph_, options, coarse));
}
TEST_F(PagerankOnRmat, SaysWhenTheIterationLimitCameFirst) {
  PagerankOptions options;
  options.max_iterations = 2;
  const PagerankResult result = pagerank(ctx_, graph_, options);
  EXPECT_FALSE(result.converged);
  EXPECT_FALSE(result.report.converged);
  EXPECT_EQ(result.iterations, 2u);
  EXPECT_GT(result.residual, options.tolerance);
  EXPECT_NO_THROW(verify_pagerank(ctx_, graph_, options, result));
  options.max_iterations = 0;
  EXPECT_FALSE(pagerank(ctx_, graph_, options).converged);
}
TEST_F(PagerankOnRmat, IsUniformWithoutEdgesToFollow) {
  PagerankOptions options;
  options.alpha = 0;
  for (const double r : pagerank(ctx_, graph_, options).rank)
    EXPECT_NEAR(r, 1.0 / raw_.vertices, 1e-15);
}
TEST_F(PagerankOnRmat, IgnoresTheScaleOfThePersonalization) {
  std::vector<double> wished(raw_.vertices, 0.0);
  wished[5] = wished[6] = std::numeric_limits<double>::max();
  PagerankOptions options;
  options.personalization = wished;
  const PagerankResult result = pagerank(ctx_, graph_, options);
  wished[5] = wished[6] = .5;
  EXPECT_LE(l1_between(result.rank, exact_ranks(raw_, options)), documented_error(options, result));
}
TEST_F(PagerankOnRmat, IsNearItsEndWhenItStartsThere) {
  PagerankOptions options;
  options.tolerance = 1e-9;
  const PagerankResult anew = pagerank(ctx_, graph_, options);
  ASSERT_GT(anew.iterations, 10u);
  const std::vector<double> known(anew.rank.begin(), anew.rank.end());
  std::vector<double> scaled = known;
  for (double& r : scaled) r *= 7;
  options.start = scaled;
  for (const bool in_place : {true, false}) {
    options.in_place = in_place;
    const PagerankResult again = pagerank(ctx_, graph_, options);
    EXPECT_LE(again.iterations, 2u);
    EXPECT_NO_THROW(verify_pagerank(ctx_, graph_, options, again));
  }
  std::ranges::fill(scaled, 0);
  scaled[3] = 1;  // far from it, and right in the end
  EXPECT_LE(l1_between(pagerank(ctx_, graph_, options).rank, known), 2e-8);
}
TEST_F(PagerankOnRmat, RefusesArgumentsThatMakeNoSense) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double alpha : {-.1, 1.1, nan}) {
    PagerankOptions options;
    options.alpha = alpha;
    expect_refused(options, "alpha");
  }
  for (const double tolerance : {-1e-9, nan}) {
    PagerankOptions options;
    options.tolerance = tolerance;
    expect_refused(options, "tolerance");
  }
  PagerankOptions options;
  std::vector<double> wished(3, 1.0);
  options.start = wished;
  expect_refused(options, "start has 3 values for 1024 vertices");
  options.start = {};
  options.personalization = wished;
  expect_refused(options, "personalization has 3 values for 1024 vertices");
  wished.assign(raw_.vertices, 0.0);
  options.personalization = wished;
  expect_refused(options, "zero everywhere");
  for (const double bad : {-1.0, nan, std::numeric_limits<double>::infinity()}) {
    wished.assign(raw_.vertices, 1.0);
    wished[17] = bad;
    expect_refused(options, "vertex 17");
  }
}

TEST(PagerankOfBadWeights, NamesTheVertex) {
  for (const float bad : {-1.0f, std::numeric_limits<float>::infinity()}) {
    const std::vector<EdgeId> offset{0, 1, 3, 3};
    const std::vector<VertexId> target{1, 0, 2};
    const std::vector<Weight> weight{1, 2, bad};
    const CsrView out{3, 3, offset.data(), target.data(), weight.data()};
    const Context ctx = Context::cpu();
    PagerankOptions options;
    options.weighted = true;
    const Graph graph = make_graph(ctx, out, nullptr, true);
    expect_error(
        ErrorCode::BadInput, [&] { pagerank(ctx, graph, options); }, "vertex 1 has");
    const auto named = [&] {
      with_labels_in_errors([](VertexId v) { return v == 1 ? "B\n" : "another"; },
                            [&] { return pagerank(ctx, graph, options); });
    };
    expect_error(ErrorCode::BadInput, named, "vertex B\\x0a has");
  }
}

class PagerankCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    const auto verify = [&] { verify_pagerank(ctx_, graph_, options_, result_); };
    expect_error(ErrorCode::VerificationFailed, verify, reason);
  }

  const Context ctx_ = GetParam().context();
  const Graph graph_ = testing::place(ctx_, GetParam(), zoo::rmat(true));
  const PagerankOptions options_{};
  PagerankResult result_ = pagerank(ctx_, graph_, options_);
};

TEST_P(PagerankCertificate, RefutesRanksOfAnotherGraph) {
  result_.rank = Array<double>(3, 1.0 / 3);
  expect_refuted("one rank per vertex");
}
TEST_P(PagerankCertificate, RefutesANegativeRank) {
  result_.rank[9] = -1e-3;
  expect_refuted("vertex 9");
}
TEST_P(PagerankCertificate, RefutesRanksThatDoNotSumToOne) {
  result_.rank[9] += 1e-6;
  expect_refuted("sum to");
}
TEST_P(PagerankCertificate, RefutesRanksThatAreNotStationary) {
  std::swap(result_.rank[0], result_.rank[1023]);
  expect_refuted("one more iteration");
}
TEST_P(PagerankCertificate, RefutesAFalseClaimOfConvergence) {
  result_.residual = 1;
  expect_refuted("contradicts");
}

INSTANTIATE_TEST_SUITE_P(Cpu, PagerankCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
