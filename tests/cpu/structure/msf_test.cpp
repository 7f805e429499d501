#include "fathom/algorithms/msf/msf.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>

#include "fathom/algorithms/msf/functors.hpp"
#include "tests/reference/structure/spanning_forest.hpp"
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

double sum_of(const std::vector<float>& weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.);
}

class Msf : public AlgorithmSuite {
 protected:
  /// Compares with the reference and runs the certificate.
  void expect_right(bool maximum) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx);
    const MsfResult result = minimum_spanning_forest(ctx, graph, {maximum});
    const auto expected = found_by<reference::spanning_forest>(maximum);
    EXPECT_EQ(to_vector(result.parent), expected.parent);
    EXPECT_EQ(to_vector(result.weight), expected.weight);
    EXPECT_EQ(result.total, sum_of(expected.weight));
    EXPECT_EQ(result.edges, expected.edges);
    EXPECT_EQ(result.trees, graph.vertices() - expected.edges);
    EXPECT_EQ(result.rounds == 0, expected.edges == 0);
    EXPECT_NO_THROW(verify_msf(ctx, graph, {maximum}, result));
  }
};

TEST_P(Msf, IsTheOnlyMinimum) {
  if (!raw().directed) expect_right(false);
}
TEST_P(Msf, IsTheOnlyMaximum) {
  if (!raw().directed) expect_right(true);
}
TEST_P(Msf, IsRefusedWithDirections) {
  if (!raw().directed) return;
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  expect_error(
      ErrorCode::Usage, [&] { minimum_spanning_forest(ctx, graph); }, "directed");
}

/// The zoo's weighted graphs without their directions, and some below zero.
std::vector<zoo::RawGraph> graphs_for_forests() {
  std::vector<zoo::RawGraph> graphs = zoo::unweighted_graphs();
  for (zoo::RawGraph g : zoo::weighted_graphs()) {
    if (g.directed) g.name += "Undirected";
    g.directed = false;
    graphs.push_back(std::move(g));
  }
  zoo::RawGraph negative = zoo::weighted(zoo::rmat(false), zoo::Weights::Positive);
  negative.name = "RmatNegativeWeights";
  for (float& w : negative.weights) w -= 10;
  graphs.push_back(std::move(negative));
  return graphs;
}

INSTANTIATE_TEST_SUITE_P(Zoo, Msf, testing::each_in_each(graphs_for_forests()),
                         testing::suite_name);

RC_GTEST_PROP(MsfProperty, EqualsTheReferenceOnRandomGraphs, ()) {
  zoo::RawGraph raw = zoo::random_graph(*rc::gen::arbitrary<bool>());
  raw.directed = false;
  const float below = *rc::gen::element(0.f, 1.f);
  for (float& w : raw.weights) w -= below;
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw);
  const MsfOptions options{*rc::gen::arbitrary<bool>()};
  const MsfResult result = minimum_spanning_forest(ctx, graph, options);
  const auto expected = reference::spanning_forest(zoo::to_reference(raw), options.maximum);
  RC_ASSERT(to_vector(result.parent) == expected.parent);
  RC_ASSERT(to_vector(result.weight) == expected.weight);
  verify_msf(ctx, graph, options, result);
}

TEST(MsfRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  expect_error(ErrorCode::Interrupted, [&] { minimum_spanning_forest(ctx, graph); });
}

/// Each vertex of a path knows an edge to the one before it: one round, all trees in one chain.
/// A circle of three of which each chooses the next: a loop without an end if they all hung there.
TEST(MsfRun, RefusesWeightsThatDifferByDirection) {
  for (const Configuration& where : cpu_configurations()) {
    if (where.slotted) continue;
    const Context ctx = where.context();
    graph::BuiltGraph built;
    built.out.offset = Array<EdgeId>::copy_of(std::vector<EdgeId>{0, 2, 4, 6});
    built.out.target = Array<VertexId>::copy_of(std::vector<VertexId>{1, 2, 0, 2, 0, 1});
    built.out.weight = Array<Weight>::copy_of(std::vector<Weight>{1, 3, 3, 1, 1, 3});
    const Graph graph = make_graph(ctx, std::move(built), false, where.residency_for(EdgeId{6}));
    expect_error(
        ErrorCode::BadInput, [&] { minimum_spanning_forest(ctx, graph); }, "one weight");
  }
}

TEST(MsfRun, JoinsAPathOfRisingWeightsInOneRound) {
  zoo::RawGraph raw = zoo::path();
  for (std::size_t i = 0; i < raw.edges.size(); ++i) raw.weights.push_back(static_cast<float>(i));
  const Context ctx = Context::cpu();
  const MsfResult result = minimum_spanning_forest(ctx, make_graph(ctx, zoo::build(raw), false));
  EXPECT_EQ(result.edges, 299u);
  EXPECT_EQ(result.rounds, 2u);  // the tree that waits in the first one parts it in two
}

TEST(MsfKeys, AscendWithWeightsAndGiveThemBack) {
  const Weight ascending[] = {-HUGE_VALF, -3e38f, -1, -1e-45f, 0,
                              1e-45f,     0.5f,   1,  3e38f,   HUGE_VALF};
  for (const bool maximum : {false, true})
    for (std::size_t i = 0; i < std::size(ascending); ++i) {
      const std::uint32_t key = weight_key(ascending[i], maximum);
      EXPECT_EQ(weight_of_key(key, maximum), ascending[i]);
      if (i == 0) continue;
      EXPECT_EQ(weight_key(ascending[i - 1], maximum) < key, !maximum);
    }
  EXPECT_EQ(weight_key(-0.f, false), weight_key(0.f, false));
  EXPECT_FALSE(std::signbit(weight_of_key(weight_key(-0.f, true), true)));
}

/// A square 0 - 1 - 2 - 3 with a diagonal 0 - 2, an edge 4 - 5 twice, and a lone 6 with a loop.
class MsfCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_msf(ctx_, graph_, {}, result_); }, reason);
  }
  void hang(VertexId v, VertexId parent, Weight weight) {
    result_.parent[v] = parent;
    result_.weight[v] = weight;
    result_.total = sum_of(to_vector(result_.weight));
    result_.edges = 0;
    for (std::size_t u = 0; u < result_.parent.size(); ++u)
      result_.edges += result_.parent[u] == u ? 0 : 1;
    result_.trees = 7 - result_.edges;
  }

  const Context ctx_ = GetParam().context();
  const Graph graph_ =
      testing::place(ctx_, GetParam(),
                     {"Square",
                      7,
                      false,
                      {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {4, 5}, {5, 4}, {6, 6}},
                      {2, 1, 3, 3, 2, -4, -5, -9}});
  MsfResult result_ = minimum_spanning_forest(ctx_, graph_);
};

TEST_P(MsfCertificate, HoldsForWhatWasComputed) {
  EXPECT_EQ(to_vector(result_.parent), (std::vector<VertexId>{0, 0, 1, 0, 4, 4, 6}));
  EXPECT_EQ(to_vector(result_.weight), (std::vector<Weight>{0, 2, 1, 3, 0, -5, 0}));
  EXPECT_EQ(result_.total, 1);
  EXPECT_NO_THROW(verify_msf(ctx_, graph_, {}, result_));
}
TEST_P(MsfCertificate, RefutesTooFewNumbers) {
  result_.weight = Array<Weight>(6, 0);
  expect_refuted("per vertex");
}
TEST_P(MsfCertificate, RefutesParentsThatAreNotThere) {
  hang(6, 7, 0);
  expect_refuted("vertex 6 has a parent that is not in the graph");
}
TEST_P(MsfCertificate, RefutesARootWithAWeight) {
  hang(6, 6, 1);
  expect_refuted("vertex 6 is a root and has a weight");
}
TEST_P(MsfCertificate, RefutesWrongCounts) {
  ++result_.edges;
  expect_refuted("4 edges, not 5");
  --result_.edges;
  ++result_.trees;
  expect_refuted("3 roots, but 4 trees");
}
TEST_P(MsfCertificate, RefutesAWrongTotal) {
  result_.total += 1;
  expect_refuted("add up to");
}
TEST_P(MsfCertificate, RefutesACircle) {
  hang(0, 2, 2);
  expect_refuted("closes a circle");
}
TEST_P(MsfCertificate, RefutesAnEdgeInBothDirections) {
  hang(4, 5, -5);
  expect_refuted("closes a circle");
}
TEST_P(MsfCertificate, RefutesAnotherRoot) {
  hang(4, 5, -5);
  hang(5, 5, 0);
  expect_refuted("vertex 5 is a root, but not the first");
}
TEST_P(MsfCertificate, RefutesAnEdgeThatDoesNotExist) {
  hang(6, 4, 1);
  expect_refuted("vertex 6 has no edge of that weight");
}
TEST_P(MsfCertificate, RefutesTheWeightOfNoEdge) {
  hang(3, 0, 2.5f);
  expect_refuted("vertex 3 has no edge of that weight");
}
TEST_P(MsfCertificate, RefutesTreesThatAnEdgeJoins) {
  hang(3, 3, 0);
  expect_refuted("vertex 0 has an edge to a vertex of another tree");
}
TEST_P(MsfCertificate, RefutesAHeavierForest) {
  hang(2, 3, 3);
  expect_refuted("vertex 0 has an edge that goes before");
}
TEST_P(MsfCertificate, RefutesTheHeavierOfParallelEdges) {
  hang(5, 4, -4);
  expect_refuted("vertex 4 has an edge that goes before");
}
/// Of two minimum forests only one is in the order of ends.
TEST_P(MsfCertificate, RefutesAForestOfEqualWeight) {
  hang(2, 0, 2);
  hang(1, 2, 1);
  EXPECT_EQ(result_.total, 1);
  expect_refuted("vertex 0 has an edge that goes before");
}
TEST_P(MsfCertificate, RefutesAMinimumThatIsSaidToBeAMaximum) {
  expect_error(ErrorCode::VerificationFailed, [&] { verify_msf(ctx_, graph_, {true}, result_); });
}

INSTANTIATE_TEST_SUITE_P(Cpu, MsfCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
