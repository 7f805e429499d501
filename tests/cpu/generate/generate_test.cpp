#include "fathom/generate/generate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::generate {
namespace {

using testing::expect_error;

std::vector<Edge> all_edges(const Generator& g) {
  std::vector<Edge> edge(g.edges());
  g.fill(0, edge);
  return edge;
}

std::vector<Spec> one_of_each_kind() {
  return {{.kind = Kind::Rmat, .scale = 9, .edge_factor = 7},
          {.kind = Kind::Uniform, .scale = 9, .edge_factor = 7},
          {.kind = Kind::Grid, .rows = 31, .columns = 17},
          {.kind = Kind::Torus, .rows = 31, .columns = 17},
          {.kind = Kind::PreferentialAttachment, .scale = 9, .edge_factor = 7},
          {.kind = Kind::WattsStrogatz, .scale = 9, .edge_factor = 7},
          {.kind = Kind::Road, .scale = 9},
          {.kind = Kind::RandomGeometric, .scale = 9},
          {.kind = Kind::Triangulation, .scale = 9},
          {.kind = Kind::Stencil, .scale = 6, .per_point = 3},
          {.kind = Kind::Coauthors, .scale = 9}};
}

bool is_regular(Kind kind) {
  return kind == Kind::Grid || kind == Kind::Torus || kind == Kind::Stencil;
}

class EachKind : public ::testing::TestWithParam<Spec> {
 protected:
  Spec weighted_spec() const {
    Spec spec = GetParam();
    spec.weights = WeightRange{3, 12};
    return spec;
  }
};

TEST_P(EachKind, GivesTheSameEdgesForAnySplitIntoRangesAndThreads) {
  const Generator g(weighted_spec());
  std::vector<Edge> whole(g.edges());
  std::vector<Weight> whole_weight(g.edges());
  g.fill(0, whole, whole_weight);
  for (const std::size_t grain : {1u, 13u, 1000u}) {
    std::vector<Edge> edge(g.edges());
    std::vector<Weight> weight(g.edges());
    parallel_for(3, edge.size(), grain, [&](std::size_t first, std::size_t last, int) {
      g.fill(first, std::span(edge).subspan(first, last - first),
             std::span(weight).subspan(first, last - first));
    });
    EXPECT_EQ(edge, whole) << grain;
    EXPECT_EQ(weight, whole_weight) << grain;
  }
}

TEST_P(EachKind, StaysWithinItsVertices) {
  const Generator g(GetParam());
  for (const Edge& e : all_edges(g)) ASSERT_LT(std::max(e.source, e.target), g.vertices());
}

TEST_P(EachKind, DependsOnTheSeedUnlessItIsALattice) {
  Spec other = GetParam();
  ++other.seed;
  EXPECT_EQ(all_edges(Generator(GetParam())) == all_edges(Generator(other)),
            is_regular(other.kind));
}

TEST_P(EachKind, WeightsAreOneFunctionOfTheUnorderedEndpointsAndCoverTheRange) {
  const Generator g(weighted_spec());
  std::vector<Edge> edge(g.edges());
  std::vector<Weight> weight(g.edges());
  g.fill(0, edge, weight);
  std::map<std::pair<VertexId, VertexId>, Weight> of_pair;
  std::map<Weight, int> count;
  for (std::size_t i = 0; i < edge.size(); ++i) {
    const auto pair = std::minmax({edge[i].source, edge[i].target});
    const bool fresh = of_pair.emplace(pair, weight[i]).second;
    EXPECT_EQ(of_pair[pair], weight[i]);
    if (fresh) ++count[weight[i]];
  }
  ASSERT_EQ(count.size(), 10u);
  EXPECT_EQ(count.begin()->first, 3.0f);
  EXPECT_EQ(count.rbegin()->first, 12.0f);
  const double expected = static_cast<double>(of_pair.size()) / 10;
  for (const auto& [value, times] : count)
    EXPECT_NEAR(times, expected, 5 * std::sqrt(expected)) << value;
}

TEST_P(EachKind, EdgeFactorIsEdgesPerVertexWhereItApplies) {
  if (GetParam().edge_factor != 7) GTEST_SKIP() << "its edges are counted by other tests";
  const Generator g(GetParam());
  EXPECT_EQ(g.edges(), EdgeId{7} * g.vertices());
}

INSTANTIATE_TEST_SUITE_P(Generate, EachKind, ::testing::ValuesIn(one_of_each_kind()),
                         [](const auto& test) {
                           std::string name(name_of(test.param.kind));
                           std::erase(name, '-');
                           return name;
                         });

std::multiset<std::pair<VertexId, VertexId>> lattice(Kind kind, VertexId rows, VertexId columns) {
  std::multiset<std::pair<VertexId, VertexId>> pairs;
  for (const Edge& e : all_edges(Generator({.kind = kind, .rows = rows, .columns = columns})))
    pairs.insert(std::minmax(e.source, e.target));
  return pairs;
}

TEST(Grid, LinksNeighboursInRowsAndColumnsOnce) {
  EXPECT_EQ(lattice(Kind::Grid, 2, 3),
            (std::multiset<std::pair<VertexId, VertexId>>{
                {0, 1}, {1, 2}, {3, 4}, {4, 5}, {0, 3}, {1, 4}, {2, 5}}));
  EXPECT_EQ(lattice(Kind::Grid, 1, 4),
            (std::multiset<std::pair<VertexId, VertexId>>{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_TRUE(lattice(Kind::Grid, 1, 1).empty());
}

TEST(Torus, WrapsAroundOnlyWhereThatAddsAnEdge) {
  EXPECT_EQ(lattice(Kind::Torus, 1, 2), lattice(Kind::Grid, 1, 2));
  EXPECT_EQ(lattice(Kind::Torus, 2, 2), lattice(Kind::Grid, 2, 2));
  auto expected = lattice(Kind::Grid, 2, 3);
  expected.insert({{0, 2}, {3, 5}});
  EXPECT_EQ(lattice(Kind::Torus, 2, 3), expected);
  std::vector<int> degree(20, 0);
  for (const auto& [u, v] : lattice(Kind::Torus, 4, 5)) ++degree[u], ++degree[v];
  EXPECT_EQ(degree, std::vector<int>(20, 4));
}

TEST(PreferentialAttachment, LinksToEarlierVerticesInProportionToTheirDegree) {
  const Generator g(Spec{.kind = Kind::PreferentialAttachment, .scale = 15, .edge_factor = 4});
  std::vector<int> degree(g.vertices(), 0);
  for (const Edge& e : all_edges(g)) {
    ASSERT_LE(e.target, e.source);
    ++degree[e.source], ++degree[e.target];
  }
  // A scale-free tail: vertex 0 has degree of order edge_factor * sqrt(n); the share of vertices
  // of degree >= k falls as k^-2, so quadrupling k divides it by about 16.
  EXPECT_GT(degree[0], 300);
  const auto at_least = [&](int k) {
    return static_cast<double>(
        std::count_if(degree.begin(), degree.end(), [k](int d) { return d >= k; }));
  };
  EXPECT_NEAR(at_least(8) / at_least(32), 16, 5);
}

TEST(WattsStrogatz, IsTheRingWithoutRewiring) {
  const Generator g(Spec{.kind = Kind::WattsStrogatz, .scale = 3, .edge_factor = 2, .rewire = 0});
  const std::vector<Edge> edge = all_edges(g);
  for (VertexId v = 0; v < 8; ++v) {
    EXPECT_EQ(edge[2 * v], (Edge{v, (v + 1) % 8}));
    EXPECT_EQ(edge[2 * v + 1], (Edge{v, (v + 2) % 8}));
  }
}

TEST(WattsStrogatz, RewiresTheAskedShareAndNeverToTheSource) {
  for (const double rewire : {0.1, 1.0}) {
    const Generator g(
        Spec{.kind = Kind::WattsStrogatz, .scale = 14, .edge_factor = 4, .rewire = rewire});
    double moved = 0;
    for (const Edge& e : all_edges(g)) {
      ASSERT_NE(e.source, e.target);
      moved += (e.target - e.source) % g.vertices() > 4 ? 1 : 0;
    }
    EXPECT_NEAR(moved / static_cast<double>(g.edges()), rewire, 0.01);
  }
}

TEST(Generator, RefusesParametersOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Spec> wrong{
      {.scale = -1},
      {.scale = 64},
      {.a = -0.1},
      {.a = 0.9},
      {.a = nan},
      {.kind = Kind::Grid, .rows = 3},
      {.kind = Kind::Grid, .columns = 3},
      {.kind = Kind::WattsStrogatz, .scale = 3, .edge_factor = 4},
      {.kind = Kind::WattsStrogatz, .scale = 9, .rewire = 1.5},
      {.kind = Kind::WattsStrogatz, .scale = 9, .rewire = nan},
      {.kind = Kind::Road, .scale = 5},
      {.kind = Kind::Coauthors, .scale = 3},
      {.kind = Kind::Stencil, .scale = 3, .per_point = 0},
      {.kind = Kind::Stencil, .scale = 3, .per_point = 65},
      {.weights = WeightRange{5, 4}},
      {.weights = WeightRange{1, (1u << 24) + 1}},
  };
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    SCOPED_TRACE(i);
    expect_error(ErrorCode::Usage, [&] { Generator g(wrong[i]); });
  }
}

TEST(Generator, RefusesParametersThatDoNotApply) {
  const std::vector<Spec> wrong{
      {.kind = Kind::Rmat, .rows = 3, .columns = 3},
      {.kind = Kind::Uniform, .a = 0.5},
      {.kind = Kind::Uniform, .rewire = 0.5},
      {.kind = Kind::Grid, .scale = 3, .rows = 3, .columns = 3},
      {.kind = Kind::Torus, .edge_factor = 3, .rows = 3, .columns = 3},
      {.kind = Kind::Road, .scale = 8, .edge_factor = 3},
      {.kind = Kind::Triangulation, .scale = 8, .per_point = 2},
      {.kind = Kind::Stencil, .scale = 8, .rows = 3, .columns = 3},
  };
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    SCOPED_TRACE(i);
    expect_error(ErrorCode::Usage, [&] { Generator g(wrong[i]); });
  }
}

TEST(Generator, RefusesMoreVerticesThanIdsHold) {
  EXPECT_EQ(Generator({.scale = 31}).vertices(), 1u << 31);
  const Spec grid{.kind = Kind::Grid, .rows = 65536, .columns = 65536};
  if (kIdBits == 64) {
    EXPECT_EQ(std::uint64_t{Generator(grid).vertices()}, std::uint64_t{1} << 32);
    return;
  }
  expect_error(ErrorCode::DoesNotFit, [] { Generator g({.scale = 32}); });
  expect_error(ErrorCode::DoesNotFit, [&] { Generator g(grid); });
}

TEST(Generator, RefusesRangesOutsideTheGraphAndMismatchedWeights) {
  const Generator plain({.scale = 2, .edge_factor = 1});
  const Generator weighted({.scale = 2, .edge_factor = 1, .weights = WeightRange{}});
  std::vector<Edge> edge(3);
  std::vector<Weight> weight(3);
  expect_error(ErrorCode::Usage, [&] { plain.fill(2, edge); });
  expect_error(ErrorCode::Usage, [&] { plain.fill(5, {}); });
  expect_error(ErrorCode::Usage, [&] { plain.fill(0, edge, weight); });
  expect_error(ErrorCode::Usage, [&] { weighted.fill(0, edge, std::span(weight).first(2)); });
  EXPECT_NO_THROW(weighted.fill(1, edge, weight));
}

TEST(Kind, NamesRoundTripAndUnknownNamesAreNoKind) {
  for (const Kind kind :
       {Kind::Rmat, Kind::Uniform, Kind::Grid, Kind::Torus, Kind::PreferentialAttachment,
        Kind::WattsStrogatz, Kind::Road, Kind::RandomGeometric, Kind::Triangulation, Kind::Stencil,
        Kind::Coauthors})
    EXPECT_EQ(kind_named(name_of(kind)), kind);
  EXPECT_EQ(kind_named("Rmat"), std::nullopt);
  EXPECT_EQ(kind_named(""), std::nullopt);
}

}  // namespace
}  // namespace fathom::generate
