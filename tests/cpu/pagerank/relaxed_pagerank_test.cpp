// PageRank of undirected graphs that is updated in place: ranks go further than what they receive.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/pagerank/relaxation.hpp"
#include "tests/suites/exact_ranks.hpp"
#include "tests/suites/random_graphs.hpp"
#include "tests/suites/zoo_csr.hpp"

namespace fathom {
namespace {

using testing::exact_ranks;
using testing::l1_between;

Context on_host(int threads = 1) {
  CpuOptions options;
  options.threads = threads;
  return Context::cpu(options);
}

PagerankOptions to(double tolerance, double alpha) {
  PagerankOptions options;
  options.tolerance = tolerance;
  options.alpha = alpha;
  options.max_iterations = 20000;
  return options;
}

/// The same edges, each of them one of two that say which way they go.
zoo::RawGraph both_ways(zoo::RawGraph raw) {
  const auto edges = raw.edges;
  for (const auto& [u, v] : edges) raw.edges.emplace_back(v, u);
  raw.directed = true;
  return raw;
}

TEST(RelaxedPagerank, ReadsALatticeLessOftenThanWithoutGoingFurther) {
  const zoo::RawGraph raw = zoo::grid(60, 60);
  const Context ctx = on_host();
  const Graph graph = make_graph(ctx, zoo::build(raw), false);
  const Graph plain = make_graph(ctx, zoo::build(both_ways(raw)), true);
  const auto compare = [&](const PagerankOptions& options, double share) {
    const PagerankResult relaxed = pagerank(ctx, graph, options);
    const PagerankResult walked = pagerank(ctx, plain, options);
    EXPECT_LE(relaxed.iterations, share * walked.iterations) << walked.iterations;
    EXPECT_NO_THROW(verify_pagerank(ctx, graph, options, relaxed));
    EXPECT_LE(l1_between(relaxed.rank, exact_ranks(raw, options)),
              2 * options.tolerance / (1 - options.alpha));
  };
  compare(to(1e-6, .85), .85);
  compare(to(1e-10, .85), .7);
  compare(to(1e-10, .99), .3);
}

/// Two cycles over all vertices, each in a random order: walks mix as fast as they can with four
/// edges at each vertex.
zoo::RawGraph two_cycles(std::uint32_t vertices) {
  zoo::RawGraph raw{"TwoCycles", vertices, false, {}, {}};
  std::vector<std::uint32_t> order(vertices);
  std::iota(order.begin(), order.end(), 0u);
  std::mt19937 random(11);
  for (int cycle = 0; cycle < 2; ++cycle) {
    std::shuffle(order.begin(), order.end(), random);
    for (std::uint32_t i = 0; i < vertices; ++i)
      raw.edges.emplace_back(order[i], order[(i + 1) % vertices]);
  }
  return raw;
}

// From one vertex it takes some sweeps to be everywhere, each of which leaves as much as those of
// walks that mix slowly: with the best factor for these it would take several times as many.
TEST(RelaxedPagerank, TakesNoMoreSweepsWhereWalksMixFastAfterAll) {
  const zoo::RawGraph raw = two_cycles(1 << 15);
  const Context ctx = on_host();
  const Graph graph = make_graph(ctx, zoo::build(raw), false);
  const Graph plain = make_graph(ctx, zoo::build(both_ways(raw)), true);
  std::vector<double> one(raw.vertices, 0.0);
  one[7] = 1;
  for (const double alpha : {.85, .95, .99, .999, .9999}) {
    PagerankOptions options = to(1e-6, alpha);
    options.personalization = one;
    EXPECT_LE(pagerank(ctx, graph, options).iterations, pagerank(ctx, plain, options).iterations)
        << alpha;
  }
}

// Shares are floats, and what they are rounded by grows with the factor.
TEST(RelaxedPagerank, ComesToAnEndWhereJumpsAreRare) {
  const Context ctx = on_host();
  for (const zoo::RawGraph& raw : {zoo::path(), zoo::grid(40, 40)}) {
    const Graph graph = make_graph(ctx, zoo::build(raw), false);
    for (const double alpha : {.9999, .9999999, .999999999})
      EXPECT_TRUE(pagerank(ctx, graph, to(1e-6, alpha)).converged) << raw.name << alpha;
  }
}

// A rank of much less than what it was would fall below zero.
TEST(RelaxedPagerank, HasNoRanksBelowZero) {
  std::mt19937_64 random(3);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const Context ctx = on_host();
  for (int round = 0; round < 100; ++round) {
    zoo::RawGraph raw{"Heavy", 4 + below(30), false, {}, {}};
    const auto add = [&](std::uint32_t u, std::uint32_t v) {
      raw.edges.emplace_back(u, v);
      raw.weights.push_back(static_cast<Weight>(std::pow(10, static_cast<double>(below(5)))));
    };
    for (std::uint32_t v = 1; v < raw.vertices; ++v) add(v, below(v));
    const Graph graph = make_graph(ctx, zoo::build(raw), false);
    std::vector<double> home(raw.vertices, 0.0);
    home[below(raw.vertices)] = 1;
    PagerankOptions options = to(1e-5, .99);
    options.weighted = true;
    options.personalization = home;
    for (options.max_iterations = 1; options.max_iterations < 40; ++options.max_iterations) {
      const PagerankResult result = pagerank(ctx, graph, options);
      ASSERT_GE(*std::min_element(result.rank.begin(), result.rank.end()), 0) << round;
      ASSERT_NO_THROW(verify_pagerank(ctx, graph, options, result)) << round;
    }
  }
}

TEST(RelaxedPagerank, GoesNoFurtherWhereItsIterationsAreCounted) {
  const zoo::RawGraph raw = zoo::grid(20, 20);
  const Context ctx = on_host();
  PagerankOptions options = to(0, .85);
  options.max_iterations = 30;
  const auto ranks = [&](const zoo::RawGraph& of) {
    return pagerank(ctx, make_graph(ctx, zoo::build(of), of.directed), options).rank;
  };
  const Array<double> one = ranks(raw), other = ranks(both_ways(raw));
  for (std::size_t v = 0; v < one.size(); ++v) EXPECT_NEAR(one[v], other[v], 1e-15) << v;
}

RC_GTEST_PROP(RelaxedPagerankProperty, IsRightOnRandomUndirectedGraphs, ()) {
  zoo::RawGraph raw = zoo::random_graph(true);
  raw.directed = false;
  const Context ctx = on_host(*rc::gen::inRange(1, 4));
  const Graph graph = make_graph(ctx, zoo::build(raw), false);
  PagerankOptions options =
      to(*rc::gen::element(1e-3, 1e-6, 1e-10), *rc::gen::element(.05, .5, .85, .95, .99));
  options.weighted = *rc::gen::arbitrary<bool>();
  options.compat = *rc::gen::element(PagerankCompat::None, PagerankCompat::Gap);
  const PagerankResult result = pagerank(ctx, graph, options);
  RC_ASSERT(result.converged);
  verify_pagerank(ctx, graph, options, result);
  const double rounding = options.tolerance < 1e-6 ? 1e-13 : 20 * 0x1p-24;
  RC_ASSERT(l1_between(result.rank, exact_ranks(raw, options)) <=
            1e-14 + (result.residual + rounding) * options.alpha / (1 - options.alpha));
}

/// Sweeps until pairs of vertices, each the other's only neighbour, have the ranks that they
/// receive within 1e-9; `at_once`: both of a pair, as two threads may.
int sweeps_of_a_pair(double alpha, bool at_once, Relaxation relaxation) {
  double a = 1, b = 0;
  for (int sweep = 1; sweep <= 10000; ++sweep) {
    const double further = relaxation.further();
    const double of_a = alpha * b + (1 - alpha) - a;
    a += (1 + further) * of_a;
    const double old = at_once ? a - (1 + further) * of_a : a;
    const double of_b = alpha * old + (1 - alpha) - b;
    b += (1 + further) * of_b;
    const double change = std::abs(of_a) + std::abs(of_b);
    if (change * relaxation.counted() < 1e-9) return sweep;
    relaxation.swept(change);
  }
  return 10000;
}

TEST(Relaxation, TakesHalfTheSweepsOfAPairAndLess) {
  EXPECT_LE(2 * sweeps_of_a_pair(.85, false, Relaxation(.85)),
            sweeps_of_a_pair(.85, false, Relaxation()));
  EXPECT_LE(8 * sweeps_of_a_pair(.99, false, Relaxation(.99)),
            sweeps_of_a_pair(.99, false, Relaxation()));
}

// The worst case: of a pair the first already has what it receives, and the second goes further.
TEST(Relaxation, CountsChangesForWhatTheyLeave) {
  for (const double alpha : {.6, .85, .99}) {
    Relaxation relaxation(alpha);
    for (int sweep = 0; sweep < 6; ++sweep) relaxation.swept(std::pow(.98 * alpha * alpha, sweep));
    ASSERT_GT(relaxation.further(), 0);
    double b = 0;
    const double a = alpha * b + (1 - alpha);
    const double change = alpha * a + (1 - alpha) - b;
    b += (1 + relaxation.further()) * change;
    const double left =
        std::abs(alpha * b + (1 - alpha) - a) + std::abs(alpha * a + (1 - alpha) - b);
    EXPECT_NEAR(left, alpha * change * relaxation.counted(), 1e-12) << alpha;
  }
}

// With a factor of 1.3 these ranks would swing ever more.
TEST(Relaxation, EndsWhereNeighboursAreUpdatedAtOnce) {
  for (const double alpha : {.5, .85, .95, .99})
    EXPECT_LE(sweeps_of_a_pair(alpha, true, Relaxation(alpha)),
              1.5 * sweeps_of_a_pair(alpha, true, Relaxation()) + 10)
        << alpha;
}

TEST(Relaxation, GoesNoFurtherThanTheBestForTheSlowestWalk) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<> draw(0, 2);
  for (const double alpha : {.01, .5, .85, .999}) {
    const double best = 2 / (1 + std::sqrt(1 - alpha * alpha)) - 1;
    for (int round = 0; round < 200; ++round) {
      Relaxation relaxation(alpha);
      for (double change = 1; change > 1e-12 && change < 1e12; change *= draw(random)) {
        relaxation.swept(change);
        ASSERT_GE(relaxation.further(), 0);
        ASSERT_LE(relaxation.further(), best + 1e-12);
        ASSERT_GE(relaxation.counted(), 1 + relaxation.further());
      }
    }
  }
}

}  // namespace
}  // namespace fathom
