#include "fathom/algorithms/matching/matching.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/reference/structure/greedy_matching.hpp"
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

class Matching : public AlgorithmSuite {};

TEST_P(Matching, IsTheGreedyChoice) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  if (raw().directed) {
    expect_error(
        ErrorCode::Usage, [&] { maximal_matching(ctx, graph); }, "directed");
    return;
  }
  const MatchingOptions options{7};
  const MatchingResult result = maximal_matching(ctx, graph, options);
  const auto expected = found_by<reference::greedy_matching>(options.seed);
  EXPECT_EQ(to_vector(result.partner), expected.partner);
  EXPECT_EQ(to_vector(result.weight), expected.weight);
  EXPECT_EQ(result.edges, expected.edges);
  EXPECT_NO_THROW(verify_matching(ctx, graph, options, result));
}

/// Without weights, and with some: without their directions, and below zero.
std::vector<zoo::RawGraph> graphs_for_matchings() {
  std::vector<zoo::RawGraph> graphs = zoo::unweighted_graphs();
  for (zoo::RawGraph g : zoo::weighted_graphs()) {
    if (g.directed) g.name += "Undirected";
    g.directed = false;
    graphs.push_back(std::move(g));
  }
  zoo::RawGraph negative = zoo::weighted(zoo::rmat(false), zoo::Weights::Positive);
  negative.name = "RmatNegativeWeights";
  for (float& w : negative.weights) w -= 5;
  graphs.push_back(std::move(negative));
  return graphs;
}

INSTANTIATE_TEST_SUITE_P(Zoo, Matching, testing::each_in_each(graphs_for_matchings()),
                         testing::suite_name);

RC_GTEST_PROP(MatchingProperty, EqualsTheReferenceOnRandomGraphs, ()) {
  zoo::RawGraph raw = zoo::random_graph(*rc::gen::arbitrary<bool>());
  raw.directed = false;
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw);
  const MatchingOptions options{*rc::gen::inRange<std::uint64_t>(0, 100)};
  const MatchingResult result = maximal_matching(ctx, graph, options);
  const auto expected = reference::greedy_matching(zoo::to_reference(raw), options.seed);
  RC_ASSERT(to_vector(result.partner) == expected.partner);
  RC_ASSERT(to_vector(result.weight) == expected.weight);
  verify_matching(ctx, graph, options, result);
}

TEST(MatchingRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  expect_error(ErrorCode::Interrupted, [&] { maximal_matching(ctx, graph); });
}

/// A triangle in which each prefers the next: two have the place at another one, and nobody is the
/// suitor of its own.
TEST(MatchingRun, RefusesWeightsThatDifferByDirection) {
  for (const Configuration& where : cpu_configurations()) {
    if (where.slotted) continue;
    const Context ctx = where.context();
    graph::BuiltGraph built;
    built.out.offset = Array<EdgeId>::copy_of(std::vector<EdgeId>{0, 2, 4, 6});
    built.out.target = Array<VertexId>::copy_of(std::vector<VertexId>{1, 2, 0, 2, 0, 1});
    built.out.weight = Array<Weight>::copy_of(std::vector<Weight>{3, 1, 1, 3, 3, 1});
    const Graph graph = make_graph(ctx, std::move(built), false, where.residency_for(EdgeId{6}));
    expect_error(
        ErrorCode::BadInput, [&] { maximal_matching(ctx, graph); }, "one weight");
  }
}

/// Each vertex of a path of rising weights is sent away once, one after the other; of equal ones
/// few are.
TEST(MatchingRun, TakesFewRoundsWhereWeightsAreEqual) {
  const Context ctx = Context::cpu();
  zoo::RawGraph raw = zoo::path();
  EXPECT_LE(maximal_matching(ctx, make_graph(ctx, zoo::build(raw), false)).rounds, 20u);
  for (std::size_t i = 0; i < raw.edges.size(); ++i) raw.weights.push_back(static_cast<float>(i));
  const MatchingResult rising = maximal_matching(ctx, make_graph(ctx, zoo::build(raw), false));
  EXPECT_GT(rising.rounds, 100u);
  EXPECT_EQ(rising.edges, raw.vertices / 2);
}

/// A path 0 - 1 - 2 - 3 - 4 whose middle edges are heavy, an edge 5 - 6 twice, a lone 7 with a
/// loop.
class MatchingCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_matching(ctx_, graph_, {}, result_); }, reason);
  }
  void match(VertexId u, VertexId v, Weight w) {
    result_.partner[u] = v;
    result_.partner[v] = u;
    result_.weight[u] = result_.weight[v] = w;
    count();
  }
  void part(VertexId u) {
    const VertexId v = result_.partner[u];
    result_.partner[u] = result_.partner[v] = kNoVertex;
    result_.weight[u] = result_.weight[v] = 0;
    count();
  }
  void count() {
    result_.edges = 0;
    result_.total = 0;
    for (VertexId v = 0; v < result_.partner.size(); ++v) {
      if (result_.partner[v] == kNoVertex || result_.partner[v] < v) continue;
      ++result_.edges;
      result_.total += static_cast<double>(result_.weight[v]);
    }
  }

  const Context ctx_ = GetParam().context();
  const Graph graph_ = testing::place(ctx_, GetParam(),
                                      {"Path",
                                       8,
                                       false,
                                       {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {5, 6}, {6, 5}, {7, 7}},
                                       {1, 4, 3, 2, 2, 6, 9}});
  MatchingResult result_ = maximal_matching(ctx_, graph_);
};

TEST_P(MatchingCertificate, HoldsForWhatWasComputed) {
  EXPECT_EQ(to_vector(result_.partner),
            (std::vector<VertexId>{kNoVertex, 2, 1, 4, 3, 6, 5, kNoVertex}));
  EXPECT_EQ(to_vector(result_.weight), (std::vector<Weight>{0, 4, 4, 2, 2, 6, 6, 0}));
  EXPECT_EQ(result_.total, 12);
  EXPECT_NO_THROW(verify_matching(ctx_, graph_, {}, result_));
}
TEST_P(MatchingCertificate, RefutesTooFewNumbers) {
  result_.weight = Array<Weight>(7, 0);
  expect_refuted("per vertex");
}
TEST_P(MatchingCertificate, RefutesPartnersThatAreNone) {
  result_.partner[0] = 1;
  expect_refuted("vertex 0 is not the partner of its partner");
  result_.partner[0] = 8;
  expect_refuted("vertex 0 is not the partner of its partner");
  result_.partner[0] = 0;
  expect_refuted("vertex 0 is not the partner of its partner");
}
TEST_P(MatchingCertificate, RefutesWrongWeights) {
  result_.weight[0] = 1;
  expect_refuted("vertex 0 has a weight, but no partner");
  result_.weight[0] = 0;
  result_.weight[1] = 3;
  expect_refuted("vertex 1 has another weight than its partner");
}
TEST_P(MatchingCertificate, RefutesWrongCounts) {
  ++result_.edges;
  expect_refuted("3 edges, not 4");
  --result_.edges;
  result_.total += 1;
  expect_refuted("add up to");
}
TEST_P(MatchingCertificate, RefutesAnEdgeThatDoesNotExist) {
  match(0, 7, 1);
  expect_refuted("vertex 0 has no edge of that weight");
}
TEST_P(MatchingCertificate, RefutesTheWeightOfNoEdge) {
  match(5, 6, 7);
  expect_refuted("vertex 5 has no edge of that weight");
}
TEST_P(MatchingCertificate, RefutesTheLighterOfParallelEdges) {
  match(5, 6, 2);
  expect_refuted("vertex 5 has an edge that goes before");
}
TEST_P(MatchingCertificate, RefutesAnEdgeThatCouldBeAdded) {
  part(3);
  expect_refuted("vertex 3 has an edge that goes before");
}
TEST_P(MatchingCertificate, RefutesLighterEdges) {
  part(1);
  part(3);
  match(2, 3, 3);
  match(0, 1, 1);
  expect_refuted("vertex 1 has an edge that goes before");
}

INSTANTIATE_TEST_SUITE_P(Cpu, MatchingCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
