// Hand-computed cases of the reference algorithms, and certificates that must refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>

#include "tests/reference/betweenness.hpp"
#include "tests/reference/bfs.hpp"
#include "tests/reference/certificates.hpp"
#include "tests/reference/dijkstra.hpp"
#include "tests/reference/ranks/pagerank.hpp"
#include "tests/reference/triangles.hpp"
#include "tests/suites/zoo_reference.hpp"

namespace reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Triangles, OfAKnownGraphIgnoreLoopsDuplicatesAndDirection) {
  const Graph g = make_graph(
      5, {{0, 1, 1}, {1, 0, 1}, {1, 2, 1}, {2, 0, 1}, {2, 2, 1}, {2, 3, 1}, {3, 0, 1}}, true);
  const Triangles t = count_triangles(g);
  EXPECT_EQ(t.total, 2u);
  EXPECT_EQ(t.per_vertex, (std::vector<std::uint64_t>{2, 1, 2, 1, 0}));
}

TEST(Triangles, OfACompleteGraphAreAllTriples) {
  EXPECT_EQ(count_triangles(zoo::to_reference(zoo::complete())).total, 40u * 39 * 38 / 6);
}

TEST(Betweenness, CountsParallelEdgesAsSeparatePaths) {
  // Two ways from 0 to 3; the one through 1 has a doubled edge.
  const Graph g = make_graph(4, {{0, 1, 1}, {0, 1, 1}, {0, 2, 1}, {1, 3, 1}, {2, 3, 1}}, true);
  BetweennessOptions options;
  options.normalized = false;
  EXPECT_DOUBLE_EQ(betweenness(g, options)[1], 2.0 / 3);
  EXPECT_DOUBLE_EQ(betweenness(merge_duplicates(g), options)[1], 0.5);
}

TEST(Betweenness, PrefersFewerZeroWeightEdgesAmongShortestPaths) {
  // 0 -> 3 costs 1 on each of three ways: directly, through 1 with a zero edge, through 2 without.
  const Graph g = make_graph(
      4, {{0, 1, 1}, {1, 3, 0}, {0, 2, .5}, {2, 3, .5}, {0, 3, 1}, {1, 0, 0}, {0, 0, 0}}, true);
  BetweennessOptions options;
  options.normalized = false;
  options.weighted = true;
  // Vertex 0 lies between 1 and 2 (1 -> 0 is free); vertex 2 on one of two paths from 0 to 3.
  const std::vector<double> b = betweenness(g, options);
  EXPECT_DOUBLE_EQ(b[0], 1.0);
  EXPECT_DOUBLE_EQ(b[1], 0.0);
  EXPECT_DOUBLE_EQ(b[2], 0.5);
}

TEST(Betweenness, SampledSourcesAreScaledUpToAllVertices) {
  const Graph g = make_graph(5, {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 4, 1}}, false);
  const BetweennessOptions options{.weighted = false, .normalized = false, .sources = {0}};
  const std::vector<double> b = betweenness(g, options);
  EXPECT_EQ(b, (std::vector<double>{0, 7.5, 5, 2.5, 0}));  // 3, 2, 1 times n / k times 1/2
}

TEST(Pagerank, SpreadsOrDropsTheRankOfDanglingVertices) {
  const Graph g = make_graph(2, {{0, 1, 1}}, true);
  const PagerankResult spread = pagerank(g);
  EXPECT_TRUE(spread.converged);
  EXPECT_NEAR(spread.rank[0], 0.5 / (1 + .85 / 2), 1e-9);
  EXPECT_NEAR(spread.rank[0] + spread.rank[1], 1, 1e-9);
  PagerankOptions drop;
  drop.dangling = Dangling::Drop;
  const PagerankResult dropped = pagerank(g, drop);
  EXPECT_NEAR(dropped.rank[0], .075, 1e-12);
  EXPECT_NEAR(dropped.rank[1], .075 + .85 * .075, 1e-12);
}

TEST(Pagerank, ReportsAnIterationLimitThatCameFirst) {
  PagerankOptions options;
  options.max_iterations = 2;
  const PagerankResult r = pagerank(zoo::to_reference(zoo::rmat(true)), options);
  EXPECT_FALSE(r.converged);
  EXPECT_EQ(r.iterations, 2);
}

TEST(Pagerank, RefusesAPersonalizationWithoutMassOrOfTheWrongSize) {
  const Graph g = make_graph(2, {{0, 1, 1}}, true);
  PagerankOptions options;
  options.personalization = {0, 0};
  EXPECT_THROW(pagerank(g, options), std::invalid_argument);
  options.personalization = {1};
  EXPECT_THROW(pagerank(g, options), std::invalid_argument);
}

TEST(CheckParents, AcceptsOnlyBreadthFirstForests) {
  const Graph g = make_graph(5, {{0, 1, 1}, {0, 2, 1}, {1, 3, 1}, {2, 3, 1}, {1, 2, 1}}, true);
  const auto depth = bfs_depths(g, {0});
  const auto check = [&](std::vector<Vertex> parent) {
    return check_parents(g, {0}, depth, parent).empty();
  };
  EXPECT_TRUE(check({0, 0, 0, 1, kNone}));
  EXPECT_TRUE(check({kNone, 0, 0, 2, kNone}));
  EXPECT_FALSE(check({1, 0, 0, 1, kNone}));      // the source has a parent
  EXPECT_FALSE(check({0, 0, 1, 1, kNone}));      // not one level up
  EXPECT_FALSE(check({0, 0, 0, kNone, kNone}));  // reached, no parent
  EXPECT_FALSE(check({0, 0, 0, 1, 0}));          // unreached, parent
  EXPECT_FALSE(check({0, 0, 0, 1}));
  const std::vector<std::int32_t> wrong_depth{0, 1, 1, 2, 1};
  EXPECT_NE(check_parents(g, {0}, wrong_depth, {0, 0, 0, 1, 0}), "");  // no such edge
}

TEST(CheckDistances, AcceptsOnlyShortestDistances) {
  const Graph g = make_graph(4, {{0, 1, 2}, {0, 2, 5}, {1, 2, 1}}, true);
  EXPECT_EQ(check_distances(g, {0}, dijkstra(g, {0}), 0), "");
  EXPECT_NE(check_distances(g, {0}, {0, 2, 5, kInfinity}, 0), "");          // too long
  EXPECT_NE(check_distances(g, {0}, {0, 2, 2.5, kInfinity}, 0), "");        // too short
  EXPECT_NE(check_distances(g, {0}, {0, 2, kInfinity, kInfinity}, 0), "");  // missed
  EXPECT_NE(check_distances(g, {0}, {0, 2, 3, 7}, 0), "");                  // invented
  EXPECT_NE(check_distances(g, {0}, {1, 3, 4, kInfinity}, 0), "");          // source not at 0
}

TEST(CheckSamePartition, SeesSplitAndJoinedClasses) {
  EXPECT_EQ(check_same_partition({0, 0, 2}, {7, 7, 1}), "");
  EXPECT_NE(check_same_partition({0, 0, 2}, {7, 8, 1}), "");
  EXPECT_NE(check_same_partition({0, 0, 2}, {7, 7, 7}), "");
}

TEST(ParseEdgeList, ReadsCommentsAndWeightsAndNamesABadLine) {
  std::istringstream good("# comment\n0 1\n\n2\t3 0.5 % half\n");
  EXPECT_EQ(parse_edge_list(good), (std::vector<Edge>{{0, 1, 1.0f}, {2, 3, 0.5f}}));
  for (const char* bad : {"0 1\n0\n", "0 1\n0 x\n", "0 1\n0 1 x\n", "0 1\n0 1 2 3\n"}) {
    std::istringstream text(bad);
    try {
      parse_edge_list(text);
      ADD_FAILURE() << "accepted: " << bad;
    } catch (const std::runtime_error& e) {
      EXPECT_NE(std::string(e.what()).find("line 2"), std::string::npos) << e.what();
    }
  }
}

TEST(MakeGraph, RefusesEndpointsOutsideTheGraph) {
  EXPECT_THROW(make_graph(2, {{0, 2, 1}}, true), std::out_of_range);
}

TEST(ZooGraphs, AreWellFormedAndDistinctlyNamed) {
  std::set<std::string> names;
  for (const zoo::RawGraph& g : zoo::all_graphs()) {
    EXPECT_TRUE(names.insert(g.name).second) << g.name;
    EXPECT_NO_THROW(zoo::to_reference(g)) << g.name;
    EXPECT_TRUE(g.weights.empty() || g.weights.size() == g.edges.size()) << g.name;
  }
}

TEST(ZooGraphs, ContainWhatTheirNamesPromise) {
  std::size_t longest = 0;
  for (const auto& list : zoo::to_reference(zoo::star(true)).out)
    longest = std::max(longest, list.size());
  EXPECT_GT(longest, 2 * zoo::kPageTargets);
  const zoo::RawGraph zero = zoo::weighted(zoo::rmat(true), zoo::Weights::WithZero);
  EXPECT_GT(std::count(zero.weights.begin(), zero.weights.end(), 0.0f), 100);
  const Graph rmat = zoo::to_reference(zoo::rmat(false));
  EXPECT_LT(merge_duplicates(rmat).edges.size(), rmat.edges.size());
  EXPECT_GT(rmat.out[0].size(), 20 * rmat.edges.size() / rmat.n);
}

}  // namespace
}  // namespace reference
