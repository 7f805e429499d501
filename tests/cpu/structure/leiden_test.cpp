#include "fathom/algorithms/leiden/leiden.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "fathom/algorithms/louvain/moves.hpp"
#include "tests/reference/communities/modularity.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/cliques.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/random_graphs.hpp"

namespace fathom {
namespace {

using testing::AlgorithmSuite;
using testing::Configuration;
using testing::cpu_configurations;
using testing::expect_error;
using testing::to_vector;
using zoo::ring_of_cliques;

LeidenResult leiden_on_plain_host(const zoo::RawGraph& raw, const LeidenOptions& options) {
  CpuOptions one;
  one.threads = 1;
  const Context ctx = Context::cpu(one);
  return leiden(ctx, make_graph(ctx, zoo::build(raw, graph::Duplicates::Keep), false), options);
}

class Leiden : public AlgorithmSuite {
 protected:
  /// The same as on one thread, connected, and as good as it says. @returns the modularity.
  double expect_right(const LeidenOptions& options) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx);
    const LeidenResult result = leiden(ctx, graph, options);
    const LeidenResult expected = leiden_on_plain_host(raw(), options);
    EXPECT_EQ(to_vector(result.community), to_vector(expected.community));
    EXPECT_EQ(result.modularity, expected.modularity);
    EXPECT_EQ(result.rounds, expected.rounds);
    const reference::Graph& g = reference_graph();
    const std::vector<reference::Vertex> community = to_vector(result.community);
    EXPECT_TRUE(reference::connects_each(g, community));
    EXPECT_NEAR(result.modularity, reference::modularity(g, community, options.resolution), 1e-9);
    EXPECT_NO_THROW(verify_leiden(ctx, graph, options, result));
    return result.modularity;
  }
};

TEST_P(Leiden, FindsCommunitiesAsGoodAsOneByOne) {
  const double found = expect_right({});
  const reference::Graph& g = reference_graph();
  EXPECT_GE(found, 0.99 * reference::modularity(g, found_by<reference::leiden>(1.)));
  EXPECT_GE(found, 0.99 * reference::modularity(g, found_by<reference::louvain>(1.)));
}
TEST_P(Leiden, IsConnectedAndTheSameEverywhereWithOtherOptions) {
  expect_right({.resolution = 2.5, .levels = 1, .rounds = 2, .seed = 5});
  expect_right({.resolution = .5, .levels = 2, .rounds = 1, .seed = 6});
}

INSTANTIATE_TEST_SUITE_P(Zoo, Leiden, testing::each_in_each(zoo::undirected_graphs()),
                         testing::suite_name);

/// With loops, parallel edges, edges that weigh nothing, and lists both shorter and longer than
/// those that are hashed or have room.
RC_GTEST_PROP(LeidenProperty, IsConnectedAndTheSameEverywhereOnRandomGraphs, ()) {
  zoo::RawGraph raw = zoo::random_graph(*rc::gen::arbitrary<bool>());
  raw.directed = false;
  if (!raw.edges.empty())
    for (std::size_t times = *rc::gen::inRange<std::size_t>(0, 100); times > 0; --times) {
      raw.edges.push_back(raw.edges[times % raw.edges.size()]);
      if (!raw.weights.empty()) raw.weights.push_back(raw.weights[times % raw.weights.size()]);
    }
  if (*rc::gen::arbitrary<bool>())
    for (std::size_t i = 0; i < raw.weights.size(); i += 3) raw.weights[i] = 0;
  const LeidenOptions options{.resolution = *rc::gen::element(0., .5, 1., 3.),
                              .tolerance = *rc::gen::element(0., 1e-3),
                              .levels = *rc::gen::element(1u, 2u, 20u),
                              .rounds = *rc::gen::element(1u, 50u),
                              .passes = *rc::gen::element(1u, 2u, 4u),
                              .seed = *rc::gen::inRange<std::uint64_t>(0, 9)};
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw);
  const LeidenResult result = leiden(ctx, graph, options);
  const LeidenResult expected = leiden_on_plain_host(raw, options);
  RC_ASSERT(to_vector(result.community) == to_vector(expected.community));
  RC_ASSERT(result.modularity == expected.modularity);
  RC_ASSERT(reference::connects_each(zoo::to_reference(raw), to_vector(result.community)));
  verify_leiden(ctx, graph, options, result);
}

TEST(LeidenRun, GainsByFurtherPassesAndNeverLosesByThem) {
  const auto modularity = [](std::uint32_t passes) {
    return leiden_on_plain_host(zoo::rmat(false), {.passes = passes}).modularity;
  };
  EXPECT_GT(modularity(2), modularity(1));
  EXPECT_GE(modularity(8), modularity(2));
}

/// Whose best edges are few: vertices wait for one another.
zoo::RawGraph sparse(std::uint64_t seed) {
  zoo::RawGraph raw{"Sparse", 200, false, zoo::random_edges(200, 300, seed), {}};
  zoo::Dice dice(seed);
  for (std::size_t i = 0; i < raw.edges.size(); ++i)
    raw.weights.push_back(static_cast<float>(1 << dice.roll(10)));
  return raw;
}

/// There a vertex that connects others may leave their community, and they stay.
TEST(LeidenRun, ConnectsCommunitiesWhereLouvainDoesNot) {
  const Context ctx = Context::cpu();
  int torn = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const zoo::RawGraph raw = sparse(seed);
    const reference::Graph g = zoo::to_reference(raw);
    const Graph graph = make_graph(ctx, zoo::build(raw, graph::Duplicates::Keep), false);
    torn += reference::connects_each(g, to_vector(louvain(ctx, graph).community)) ? 0 : 1;
    for (const std::uint32_t levels : {1u, 2u, 20u}) {
      const LeidenOptions options{.levels = levels, .rounds = 2 * levels, .passes = 1};
      const LeidenResult result = leiden(ctx, graph, options);
      EXPECT_TRUE(reference::connects_each(g, to_vector(result.community))) << seed;
    }
  }
  EXPECT_GT(torn, 0);
}

TEST(LeidenRefinement, MakesConnectedPartsOfCommunities) {
  const Context ctx = Context::cpu();
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const zoo::RawGraph raw = sparse(seed);
    const Graph graph = make_graph(ctx, zoo::build(raw, graph::Duplicates::Keep), false);
    const WeightUnits units = detail::weight_units(ctx, graph, "test");
    detail::Moves moves(ctx, graph.out(), {units, 1, true}, {});
    for (std::uint64_t i = 0; moves.round(i).vertices > 0; ++i) {
    }
    moves.refine();
    for (std::uint64_t i = 0; moves.round(i).vertices > 0; ++i) {
    }
    const detail::Moves::Found found = moves.end_rounds();
    EXPECT_TRUE(reference::connects_each(zoo::to_reference(raw), to_vector(found.community)));
    VertexId parts = 0, communities = 0;
    std::vector<bool> met(graph.vertices());
    for (VertexId v = 0; v < graph.vertices(); ++v) {
      EXPECT_EQ(found.whole[v], found.whole[found.community[v]]);
      parts += found.community[v] == v ? 1 : 0;
      communities += met[found.whole[v]] ? 0 : 1;
      met[found.whole[v]] = true;
    }
    EXPECT_LE(communities, parts);
    EXPECT_LT(parts, graph.vertices() / 2);
  }
}

TEST(LeidenRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  expect_error(ErrorCode::Interrupted, [&] { leiden(ctx, graph); });
}

TEST(LeidenRun, RefusesWhatItCannotDoInItsName) {
  const Context ctx = Context::cpu();
  const auto refuses = [&](const zoo::RawGraph& raw, const LeidenOptions& options, ErrorCode code,
                           const std::string& why) {
    const Graph graph = make_graph(ctx, zoo::build(raw), raw.directed);
    expect_error(
        code, [&] { leiden(ctx, graph, options); }, why);
  };
  const zoo::RawGraph path{"Path", 3, false, {{0, 1}, {1, 2}}, {}};
  zoo::RawGraph bad = path;
  bad.directed = true;
  refuses(bad, {}, ErrorCode::Usage, "leiden: the graph is directed");
  refuses(path, {.resolution = -1}, ErrorCode::Usage, "leiden: a resolution of");
  refuses(path, {.tolerance = -1}, ErrorCode::Usage, "leiden: a tolerance of");
  bad.directed = false;
  bad.weights = {1, -2};
  refuses(bad, {}, ErrorCode::BadInput, "that of the edge from vertex 1 to vertex 2 is");
}

class LeidenCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_leiden(ctx_, graph_, {}, result_); }, reason);
  }

  const Context ctx_ = GetParam().context();
  const zoo::RawGraph raw_ = ring_of_cliques(6);
  const Graph graph_ = testing::place(ctx_, GetParam(), raw_);
  LeidenResult result_ = leiden(ctx_, graph_);
};

TEST_P(LeidenCertificate, HoldsForWhatWasComputed) {
  EXPECT_NO_THROW(verify_leiden(ctx_, graph_, {}, result_));
  EXPECT_TRUE(result_.converged);
}
TEST_P(LeidenCertificate, RefutesAnotherModularity) {
  result_.modularity += 1e-6;
  expect_refuted("leiden: the modularity is");
}
TEST_P(LeidenCertificate, RefutesAVertexInAnotherCommunity) {
  result_.community[20] = 0;
  expect_refuted("the modularity is");
}
TEST_P(LeidenCertificate, RefutesACommunityThatIsNotConnected) {
  for (VertexId v = 18; v < 24; ++v) result_.community[v] = 0;
  --result_.communities;
  result_.converged = false;
  result_.modularity = reference::modularity(zoo::to_reference(raw_), to_vector(result_.community));
  expect_refuted("leiden: vertex 18 is not connected, inside its community, with vertex 0");
}

INSTANTIATE_TEST_SUITE_P(Cpu, LeidenCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
