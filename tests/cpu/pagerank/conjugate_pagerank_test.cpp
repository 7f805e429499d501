// PageRank of undirected graphs where ranks are not updated in place: conjugate gradients.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "tests/suites/exact_ranks.hpp"
#include "tests/suites/random_graphs.hpp"
#include "tests/suites/zoo_csr.hpp"

namespace fathom {
namespace {

using testing::exact_ranks;
using testing::l1_between;

/// Emulated, so that ranks are not updated in place.
Context on_device(int devices = 1) {
  CpuOptions options;
  options.threads = 2;
  options.devices = devices;
  options.device_memory = std::size_t{64} << 20;
  return Context::cpu(options);
}

PagerankOptions to(double tolerance) {
  PagerankOptions options;
  options.tolerance = tolerance;
  return options;
}

TEST(ConjugatePagerank, ReadsALatticeHalfAsOften) {
  const zoo::RawGraph raw = zoo::grid(60, 60);
  const Context ctx = on_device();
  const Graph graph = make_graph(ctx, zoo::build(raw), false);
  for (const double tolerance : {1e-6, 1e-10}) {
    PagerankOptions options = to(tolerance);
    const PagerankResult conjugate = pagerank(ctx, graph, options);
    options.in_place = false;
    const PagerankResult walked = pagerank(ctx, graph, options);
    EXPECT_LE(2 * conjugate.iterations, walked.iterations) << tolerance;
    EXPECT_NO_THROW(verify_pagerank(ctx, graph, options, conjugate));
    const std::vector<double> exact = exact_ranks(raw, options);
    EXPECT_LE(l1_between(conjugate.rank, exact), 12 * tolerance);
  }
}

TEST(ConjugatePagerank, IsPowerIterationWhereItsIterationsAreCounted) {
  const Context ctx = on_device();
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid(12, 12)), false);
  PagerankOptions options = to(0);
  options.max_iterations = 3;
  const PagerankResult three = pagerank(ctx, graph, options);
  options.in_place = false;
  const PagerankResult plain = pagerank(ctx, graph, options);
  for (VertexId v = 0; v < graph.vertices(); ++v) EXPECT_EQ(three.rank[v], plain.rank[v]) << v;
}

// Where weights differ much and walks seldom jump, steps pass below zero by more than is left to
// do: of these graphs some do, just when they are to stop.
TEST(ConjugatePagerank, HasNoRanksBelowZero) {
  std::mt19937_64 random(7);
  const auto upto = [&](double most) { return std::uniform_real_distribution<>(0, most)(random); };
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const Context ctx = on_device();
  for (int round = 0; round < 100; ++round) {
    zoo::RawGraph raw{"Heavy", 4 + below(30), false, {}, {}};
    const auto add = [&](std::uint32_t u, std::uint32_t v) {
      raw.edges.emplace_back(u, v);
      raw.weights.push_back(static_cast<Weight>(std::pow(10, upto(4))));
    };
    for (std::uint32_t v = 1; v < raw.vertices; ++v) add(v, below(v));
    for (std::uint32_t i = below(raw.vertices); i > 0; --i)
      add(below(raw.vertices), below(raw.vertices));
    const Graph graph = make_graph(ctx, zoo::build(raw), false);
    std::vector<double> home(raw.vertices, 0.0);
    home[below(raw.vertices)] = 1;
    for (double tolerance = .3; tolerance > 1e-8; tolerance /= 3) {
      PagerankOptions options = to(tolerance);
      options.alpha = .99;
      options.weighted = true;
      options.personalization = home;
      options.max_iterations = 20000;
      const PagerankResult result = pagerank(ctx, graph, options);
      ASSERT_TRUE(result.converged);
      ASSERT_GE(*std::min_element(result.rank.begin(), result.rank.end()), 0);
      ASSERT_NO_THROW(verify_pagerank(ctx, graph, options, result)) << round << ' ' << tolerance;
    }
  }
}

// Steps round the residual by what they move: here by more than is left to do, so that it has to be
// found from the ranks again.
TEST(ConjugatePagerank, KnowsItsResidualWhereWeightsDifferByManyOrders) {
  const Context ctx = on_device();
  const zoo::RawGraph raw{
      "Far", 7, false, {{0, 3}, {0, 5}, {4, 6}}, {4.44e25f, 4.63e-32f, 6.1e-20f}};
  const Graph graph = make_graph(ctx, zoo::build(raw), false);
  PagerankOptions options = to(1e-6);
  options.weighted = true;
  options.max_iterations = 5000;
  for (const double alpha : {.99, .999, .9999}) {
    options.alpha = alpha;
    const PagerankResult result = pagerank(ctx, graph, options);
    EXPECT_NO_THROW(verify_pagerank(ctx, graph, options, result)) << alpha;
  }
}

TEST(ConjugatePagerank, HasNumbersWhereSharesLeaveTheRangeOfFloats) {
  std::mt19937_64 random(11);
  const auto below = [&](VertexId n) { return static_cast<VertexId>(random() % n); };
  const Context ctx = on_device();
  for (int round = 0; round < 30; ++round) {
    zoo::RawGraph raw{"Wide", 600, false, {}, {}};
    for (int e = 0; e < 1500; ++e) {
      raw.edges.emplace_back(below(600), below(600));
      const double exponent = std::uniform_real_distribution<>(-37.9, 37.99)(random);
      raw.weights.push_back(static_cast<Weight>(std::pow(10, exponent)));
    }
    const Graph graph = make_graph(ctx, zoo::build(raw), false);
    PagerankOptions options = to(1e-6);
    options.alpha = .5;
    options.weighted = true;
    options.max_iterations = 1000;
    const PagerankResult result = pagerank(ctx, graph, options);
    EXPECT_TRUE(result.converged) << round;
    for (const double rank : result.rank) ASSERT_TRUE(std::isfinite(rank)) << round;
  }
}

TEST(ConjugatePagerank, GoesOnFromRanksThatAreNearlyRight) {
  const zoo::RawGraph raw = zoo::grid(40, 40);
  const Context ctx = on_device();
  const Graph graph = make_graph(ctx, zoo::build(raw), false);
  PagerankOptions options = to(1e-9);
  const PagerankResult anew = pagerank(ctx, graph, options);
  ASSERT_GT(anew.iterations, 10u);
  const std::vector<double> known(anew.rank.begin(), anew.rank.end());
  options.start = known;
  EXPECT_LE(pagerank(ctx, graph, options).iterations, 2u);
  std::vector<double> one(raw.vertices, 0.0);
  one[3] = 7;
  options.start = one;
  EXPECT_LE(l1_between(pagerank(ctx, graph, options).rank, known), 2e-8);
}

// Lists that are said to be of an undirected graph, of which one edge has no reverse: the system is
// not symmetric, and what comes is of no use, but it comes.
TEST(ConjugatePagerank, EndsOnListsThatAreNotSymmetric) {
  const Context ctx = on_device();
  zoo::RawGraph raw{"OneWay", 5, true, {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {0, 3}}, {}};
  const Graph graph = make_graph(ctx, zoo::build(raw), false);
  PagerankOptions options = to(1e-12);
  options.max_iterations = 200;
  const PagerankResult result = pagerank(ctx, graph, options);
  for (const double rank : result.rank) EXPECT_TRUE(rank >= 0 && std::isfinite(rank)) << rank;
}

TEST(ConjugatePagerank, EndsAtOnceWhereNothingIsLeft) {
  const Context ctx = on_device();
  zoo::RawGraph raw{"Pairs", 6, false, {{0, 1}, {2, 3}}, {}};
  const PagerankResult result = pagerank(ctx, make_graph(ctx, zoo::build(raw), false), to(1e-300));
  EXPECT_TRUE(result.converged);
  for (const double rank : result.rank) EXPECT_GT(rank, 0);
}

RC_GTEST_PROP(ConjugatePagerankProperty, IsRightOnRandomUndirectedGraphs, ()) {
  zoo::RawGraph raw = zoo::random_graph(true);
  raw.directed = false;
  const Context ctx = on_device(*rc::gen::inRange(1, 3));
  const Graph graph = make_graph(ctx, zoo::build(raw), false);
  PagerankOptions options = to(*rc::gen::element(1e-3, 1e-6, 1e-10));
  options.alpha = *rc::gen::element(.05, .5, .85, .95);
  options.weighted = *rc::gen::arbitrary<bool>();
  options.max_iterations = 5000;
  options.compat = *rc::gen::element(PagerankCompat::None, PagerankCompat::Gap);
  std::vector<double> home(raw.vertices, 0.0);
  if (*rc::gen::arbitrary<bool>()) {
    home[*rc::gen::inRange<std::size_t>(0, raw.vertices)] = 1;
    home[*rc::gen::inRange<std::size_t>(0, raw.vertices)] += 2;
    options.personalization = home;
  }
  const PagerankResult result = pagerank(ctx, graph, options);
  RC_ASSERT(result.converged);
  verify_pagerank(ctx, graph, options, result);
  const double rounding = options.tolerance < 1e-6 ? 1e-13 : 20 * 0x1p-24;
  RC_ASSERT(l1_between(result.rank, exact_ranks(raw, options)) <=
            2 * (result.residual + rounding) / (1 - options.alpha));
}

}  // namespace
}  // namespace fathom
