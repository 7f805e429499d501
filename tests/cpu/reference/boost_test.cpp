// The reference algorithms against Boost.Graph's, over the zoo.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/betweenness_centrality.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <cmath>
#include <limits>

#include "tests/reference/betweenness.hpp"
#include "tests/reference/bfs.hpp"
#include "tests/reference/certificates.hpp"
#include "tests/reference/components.hpp"
#include "tests/reference/dijkstra.hpp"
#include "tests/suites/zoo_reference.hpp"

namespace reference {
namespace {

using Weighted = boost::property<boost::edge_weight_t, double>;
using BoostDirected =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Weighted>;
using BoostUndirected = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS,
                                              boost::no_property, Weighted>;

/// Both directions of an undirected edge as arcs of a directed graph; loops once, as in Graph.
BoostDirected arcs_of(const Graph& g) {
  BoostDirected b(g.n);
  for (Vertex u = 0; u < g.n; ++u)
    for (const Arc& arc : g.out[u])
      boost::add_edge(u, arc.target, static_cast<double>(arc.weight), b);
  return b;
}

std::vector<Vertex> some_sources(const Graph& g) {
  if (g.n == 0) return {};
  return {0, g.n / 2, g.n - 1};
}

class Zoo : public testing::TestWithParam<zoo::RawGraph> {
 protected:
  const Graph graph_ = zoo::to_reference(GetParam());
};

/// Betweenness takes quadratic time.
std::vector<zoo::RawGraph> small_graphs() {
  std::vector<zoo::RawGraph> graphs = zoo::all_graphs();
  std::erase_if(graphs, [](const zoo::RawGraph& g) { return g.vertices > 1024; });
  return graphs;
}
class SmallZoo : public Zoo {};

/// Boost does not define betweenness with zero weights.
std::vector<zoo::RawGraph> small_graphs_of_positive_weight() {
  std::vector<zoo::RawGraph> graphs = small_graphs();
  std::erase_if(graphs, [](const zoo::RawGraph& g) {
    return g.weights.empty() || std::count(g.weights.begin(), g.weights.end(), 0.0f) > 0;
  });
  return graphs;
}
class PositiveZoo : public Zoo {};

TEST_P(Zoo, BfsDepthsEqualBoosts) {
  const BoostDirected b = arcs_of(graph_);
  for (const Vertex s : some_sources(graph_)) {
    std::vector<std::int32_t> expected(graph_.n, -1);
    expected[s] = 0;
    const auto record = boost::record_distances(expected.data(), boost::on_tree_edge());
    boost::breadth_first_search(b, s, boost::visitor(boost::make_bfs_visitor(record)));
    EXPECT_EQ(bfs_depths(graph_, {s}), expected) << s;
  }
}

TEST_P(Zoo, DijkstraDistancesEqualBoosts) {
  const BoostDirected b = arcs_of(graph_);
  for (const Vertex s : some_sources(graph_)) {
    std::vector<double> expected(graph_.n);
    boost::dijkstra_shortest_paths(
        b, s,
        boost::distance_map(expected.data()).distance_inf(std::numeric_limits<double>::infinity()));
    EXPECT_EQ(dijkstra(graph_, {s}), expected) << s;
  }
}

TEST_P(Zoo, MultiSourceResultsAreTheMinimumOverTheSources) {
  const std::vector<Vertex> sources = some_sources(graph_);
  const std::vector<std::int32_t> depths = bfs_depths(graph_, sources);
  const std::vector<double> distances = dijkstra(graph_, sources);
  std::vector<std::int32_t> least_depth(graph_.n, -1);
  std::vector<double> least(graph_.n, std::numeric_limits<double>::infinity());
  for (const Vertex s : sources) {
    const std::vector<std::int32_t> depth = bfs_depths(graph_, {s});
    const std::vector<double> distance = dijkstra(graph_, {s});
    for (Vertex v = 0; v < graph_.n; ++v) {
      least[v] = std::min(least[v], distance[v]);
      if (depth[v] >= 0 && (least_depth[v] < 0 || depth[v] < least_depth[v]))
        least_depth[v] = depth[v];
    }
  }
  EXPECT_EQ(depths, least_depth);
  EXPECT_EQ(distances, least);
}

TEST_P(Zoo, ComponentsEqualBoostsAndLabelsAreSmallest) {
  BoostUndirected b(graph_.n);
  for (const auto& [u, v, w] : graph_.edges) boost::add_edge(u, v, b);
  std::vector<Vertex> expected(graph_.n);
  if (graph_.n > 0) boost::connected_components(b, expected.data());
  const std::vector<Vertex> label = components(graph_);
  EXPECT_EQ(check_same_partition(label, expected), "");
  for (Vertex v = 0; v < graph_.n; ++v) {
    EXPECT_LE(label[v], v);
    EXPECT_EQ(label[label[v]], label[v]);
  }
}

void expect_close(const std::vector<double>& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t v = 0; v < actual.size(); ++v)
    EXPECT_NEAR(actual[v], expected[v], 1e-9 * (1 + std::abs(expected[v]))) << v;
}

TEST_P(SmallZoo, BetweennessEqualsBoosts) {
  // Arcs stand for both directions, so each undirected pair is counted twice.
  const BoostDirected b = arcs_of(graph_);
  std::vector<double> expected(graph_.n);
  boost::brandes_betweenness_centrality(
      b, boost::make_iterator_property_map(expected.begin(), boost::get(boost::vertex_index, b)));
  BetweennessOptions options;
  options.normalized = false;
  for (double& value : expected) value *= graph_.directed ? 1 : 0.5;
  expect_close(betweenness(graph_, options), expected);
}

TEST_P(PositiveZoo, WeightedBetweennessEqualsBoosts) {
  const BoostDirected b = arcs_of(graph_);
  std::vector<double> expected(graph_.n);
  boost::brandes_betweenness_centrality(
      b, boost::centrality_map(boost::make_iterator_property_map(
                                   expected.begin(), boost::get(boost::vertex_index, b)))
             .weight_map(boost::get(boost::edge_weight, b)));
  BetweennessOptions options;
  options.normalized = false;
  options.weighted = true;
  for (double& value : expected) value *= graph_.directed ? 1 : 0.5;
  expect_close(betweenness(graph_, options), expected);
}

INSTANTIATE_TEST_SUITE_P(Reference, Zoo, testing::ValuesIn(zoo::all_graphs()), zoo::GraphName());
INSTANTIATE_TEST_SUITE_P(Reference, SmallZoo, testing::ValuesIn(small_graphs()), zoo::GraphName());
INSTANTIATE_TEST_SUITE_P(Reference, PositiveZoo,
                         testing::ValuesIn(small_graphs_of_positive_weight()), zoo::GraphName());

}  // namespace
}  // namespace reference
