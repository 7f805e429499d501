#include "fathom/algorithms/louvain/louvain.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

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

LouvainResult louvain_on_plain_host(const zoo::RawGraph& raw, const LouvainOptions& options) {
  CpuOptions one;
  one.threads = 1;
  const Context ctx = Context::cpu(one);
  return louvain(ctx, make_graph(ctx, zoo::build(raw, graph::Duplicates::Keep), false), options);
}

class Louvain : public AlgorithmSuite {
 protected:
  /// The same as on one thread, and as good as it says. @returns the modularity.
  double expect_right(const LouvainOptions& options) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx);
    const LouvainResult result = louvain(ctx, graph, options);
    const LouvainResult expected = louvain_on_plain_host(raw(), options);
    EXPECT_EQ(to_vector(result.community), to_vector(expected.community));
    EXPECT_EQ(result.modularity, expected.modularity);
    EXPECT_EQ(result.rounds, expected.rounds);
    const reference::Graph& g = reference_graph();
    EXPECT_NEAR(result.modularity,
                reference::modularity(g, to_vector(result.community), options.resolution), 1e-9);
    EXPECT_NO_THROW(verify_louvain(ctx, graph, options, result));
    return result.modularity;
  }
};

TEST_P(Louvain, FindsCommunitiesAsGoodAsOneByOne) {
  const double found = expect_right({});
  const reference::Graph& g = reference_graph();
  EXPECT_GE(found, 0.99 * reference::modularity(g, reference::louvain(g)));
}
TEST_P(Louvain, IsTheSameEverywhereWithOtherOptions) {
  expect_right({.resolution = 2.5, .levels = 1, .rounds = 2, .seed = 5});
}

INSTANTIATE_TEST_SUITE_P(Zoo, Louvain, testing::each_in_each(zoo::undirected_graphs()),
                         testing::suite_name);

/// With loops, parallel edges, and lists both shorter and longer than those that are hashed or have
/// room.
RC_GTEST_PROP(LouvainProperty, IsTheSameEverywhereOnRandomGraphs, ()) {
  zoo::RawGraph raw = zoo::random_graph(*rc::gen::arbitrary<bool>());
  raw.directed = false;
  if (!raw.edges.empty())
    for (std::size_t times = *rc::gen::inRange<std::size_t>(0, 100); times > 0; --times) {
      raw.edges.push_back(raw.edges[times % raw.edges.size()]);
      if (!raw.weights.empty()) raw.weights.push_back(raw.weights[times % raw.weights.size()]);
    }
  const LouvainOptions options{.resolution = *rc::gen::element(0., .5, 1., 3.),
                               .tolerance = *rc::gen::element(0., 1e-3),
                               .seed = *rc::gen::inRange<std::uint64_t>(0, 9)};
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw);
  const LouvainResult result = louvain(ctx, graph, options);
  const LouvainResult expected = louvain_on_plain_host(raw, options);
  RC_ASSERT(to_vector(result.community) == to_vector(expected.community));
  RC_ASSERT(result.modularity == expected.modularity);
  verify_louvain(ctx, graph, options, result);
}

TEST(LouvainRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  expect_error(ErrorCode::Interrupted, [&] { louvain(ctx, graph); });
}

TEST(LouvainRun, RefusesWhatItCannotDo) {
  const Context ctx = Context::cpu();
  const auto refuses = [&](const zoo::RawGraph& raw, const LouvainOptions& options, ErrorCode code,
                           const std::string& why) {
    const Graph graph = make_graph(ctx, zoo::build(raw), raw.directed);
    expect_error(
        code, [&] { louvain(ctx, graph, options); }, why);
  };
  const zoo::RawGraph path{"Path", 3, false, {{0, 1}, {1, 2}}, {}};
  zoo::RawGraph bad = path;
  bad.directed = true;
  refuses(bad, {}, ErrorCode::Usage, "--undirected");
  refuses(path, {.resolution = -1}, ErrorCode::Usage, "a resolution of");
  refuses(path, {.tolerance = -1}, ErrorCode::Usage, "a tolerance of");
  bad.directed = false;
  for (const float weight : {-2.f, std::numeric_limits<float>::infinity()}) {
    bad.weights = {1, weight};
    refuses(bad, {}, ErrorCode::BadInput, "that of the edge from vertex 1 to vertex 2 is");
  }
}

class LouvainCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_louvain(ctx_, graph_, {}, result_); }, reason);
  }
  double value() const {
    return reference::modularity(zoo::to_reference(ring_of_cliques(4)),
                                 to_vector(result_.community));
  }

  const Context ctx_ = GetParam().context();
  const Graph graph_ = testing::place(ctx_, GetParam(), ring_of_cliques(4));
  LouvainResult result_ = louvain(ctx_, graph_);
};

TEST_P(LouvainCertificate, HoldsForWhatWasComputed) {
  EXPECT_NO_THROW(verify_louvain(ctx_, graph_, {}, result_));
  EXPECT_TRUE(result_.converged);
}
TEST_P(LouvainCertificate, RefutesTooFewCommunities) {
  result_.community = Array<VertexId>(3, 0);
  expect_refuted("not one community per vertex");
}
TEST_P(LouvainCertificate, RefutesCommunitiesThatAreNotCalledByTheirFirstVertex) {
  result_.community[2] = 1;
  expect_refuted("vertex 2 has a community that is not called by its first vertex");
}
TEST_P(LouvainCertificate, RefutesAVertexInAnotherCommunity) {
  result_.community[20] = 0;
  expect_refuted("the modularity is");
}
TEST_P(LouvainCertificate, RefutesAWrongNumberOfCommunities) {
  ++result_.communities;
  expect_refuted("communities, not");
}
TEST_P(LouvainCertificate, RefutesAnotherModularity) {
  result_.modularity += 1e-6;
  expect_refuted("the modularity is");
}
TEST_P(LouvainCertificate, RefutesWhatIsNoNumber) {
  result_.modularity = std::numeric_limits<double>::quiet_NaN();
  expect_refuted("the modularity is");
}
TEST_P(LouvainCertificate, RefutesMoreRoundsThanWereAskedFor) {
  result_.rounds = 10000;
  expect_refuted("more than were asked for");
}
TEST_P(LouvainCertificate, RefutesCommunitiesThatWouldGainByJoining) {
  for (VertexId v = 15; v < 18; ++v) result_.community[v] = 15;
  ++result_.communities;
  result_.modularity = value();
  expect_refuted("would gain by joining");
  result_.converged = false;
  EXPECT_NO_THROW(verify_louvain(ctx_, graph_, {}, result_));
}

INSTANTIATE_TEST_SUITE_P(Cpu, LouvainCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
