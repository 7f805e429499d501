#include "fathom/algorithms/closeness/closeness.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "tests/reference/structure/closeness.hpp"
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

bool same(const ClosenessResult& is, const reference::Closeness& expected) {
  const std::size_t n = expected.value.size();
  return is.reached.size() == n && is.distance_sum.size() == n && is.centrality.size() == n &&
         std::equal(is.reached.begin(), is.reached.end(), expected.reached.begin()) &&
         to_vector(is.distance_sum) == expected.distance_sum &&
         to_vector(is.centrality) == expected.value;
}

class Closeness : public AlgorithmSuite {
 protected:
  void expect_right(const ClosenessOptions& options, bool in_edges) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const ClosenessResult result = closeness(ctx, graph, options);
    const std::vector<reference::Vertex> sources(result.sources.begin(), result.sources.end());
    EXPECT_TRUE(same(result, found_by<reference::closeness>(sources)));
    EXPECT_NO_THROW(verify_closeness(ctx, graph, options, result));
  }
};

TEST_P(Closeness, OfAllSourcesEqualsTheReference) {
  expect_right({}, true);
}
TEST_P(Closeness, OfSomeSourcesEqualsTheReference) {
  if (raw().vertices >= 3) expect_right({3, 5}, true);
  if (raw().vertices >= 20) expect_right({20, 5}, true);
}
TEST_P(Closeness, DoesNotNeedInEdges) {
  if (raw().directed) expect_right({}, false);
}

INSTANTIATE_TEST_SUITE_P(Zoo, Closeness, testing::each_in_each(zoo::unweighted_graphs()),
                         testing::suite_name);

RC_GTEST_PROP(ClosenessProperty, EqualsTheReferenceOnRandomGraphs, ()) {
  const zoo::RawGraph raw = zoo::random_graph(false);
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw, *rc::gen::arbitrary<bool>());
  const ClosenessOptions options{
      raw.vertices < 2 ? 0 : *rc::gen::inRange(VertexId{2}, VertexId{raw.vertices}),
      *rc::gen::arbitrary<std::uint64_t>()};
  const ClosenessResult result = closeness(ctx, graph, options);
  RC_ASSERT(same(result, reference::closeness(zoo::to_reference(raw),
                                              {result.sources.begin(), result.sources.end()})));
  verify_closeness(ctx, graph, options, result);
}

/// An edge to 1, which has one to 2; nobody else knows of 3.
TEST(ClosenessRun, IsLowerWhereFewReach) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build({"Way", 4, true, {{0, 1}, {1, 2}}, {}}), true);
  EXPECT_EQ(to_vector(closeness(ctx, graph).centrality),
            (std::vector<double>{0, 1. / 3, 2. / 3 * (2. / 3), 0}));
}
TEST(ClosenessRun, SamplesDistinctSources) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  const auto sources = closeness(ctx, graph, {20, 3}).sources;
  EXPECT_EQ(std::set<VertexId>(sources.begin(), sources.end()).size(), 20u);
  EXPECT_NE(closeness(ctx, graph, {20, 4}).sources, sources);
}
TEST(ClosenessRun, RefusesSamplesThatThereAreNot) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(zoo::path()), false);
  expect_error(
      ErrorCode::Usage, [&] { closeness(ctx, graph, {graph.vertices() + 1}); }, "cannot sample");
  expect_error(
      ErrorCode::Usage, [&] { closeness(ctx, graph, {1}); }, "at least 2 samples");
}
TEST(ClosenessRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  expect_error(ErrorCode::Interrupted, [&] { closeness(ctx, graph); });
}

class ClosenessCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_closeness(ctx_, graph_, options_, result_); },
        reason);
  }
  /// Another sum for v, and the value that follows from it.
  void set_sum(VertexId v, std::uint64_t sum) {
    result_.distance_sum[v] = sum;
    const bool source = std::count(result_.sources.begin(), result_.sources.end(), v) != 0;
    result_.centrality[v] =
        detail::closeness_of(result_.reached[v], sum, result_.sources.size() - (source ? 1 : 0));
  }
  VertexId best() const {
    return static_cast<VertexId>(
        std::max_element(result_.centrality.begin(), result_.centrality.end()) -
        result_.centrality.begin());
  }

  const Context ctx_ = GetParam().context();
  const Graph graph_ = testing::place(ctx_, GetParam(), zoo::rmat(false));
  const ClosenessOptions options_{40, 2};
  ClosenessResult result_ = closeness(ctx_, graph_, options_);
};

TEST_P(ClosenessCertificate, HoldsForWhatWasComputed) {
  EXPECT_NO_THROW(verify_closeness(ctx_, graph_, options_, result_));
}
TEST_P(ClosenessCertificate, RefutesTooFewValues) {
  result_.centrality = Array<double>(6, 0);
  expect_refuted("per vertex");
}
TEST_P(ClosenessCertificate, RefutesOtherSources) {
  result_.sources.pop_back();
  expect_refuted("as many sources");
}
TEST_P(ClosenessCertificate, RefutesASourceGivenTwice) {
  result_.sources[1] = result_.sources[0];
  expect_refuted("distinct");
}
TEST_P(ClosenessCertificate, RefutesAValueThatIsNoNumber) {
  result_.centrality[9] = std::numeric_limits<double>::quiet_NaN();
  expect_refuted("vertex 9");
}
TEST_P(ClosenessCertificate, RefutesAValueThatDoesNotFollowFromItsSums) {
  result_.centrality[best()] *= 1 + 1e-15;
  expect_refuted("expected");
}
TEST_P(ClosenessCertificate, RefutesSumsBelowOneHopEach) {
  set_sum(best(), result_.reached[best()] - 1);
  expect_refuted("no distances have");
}
TEST_P(ClosenessCertificate, RefutesASumFarAboveThatOfNeighbours) {
  set_sum(best(), 3 * result_.distance_sum[best()] + 80);
  expect_refuted("more than a hop farther");
}
TEST_P(ClosenessCertificate, RefutesAVertexThatSourcesOfItsNeighboursDoNotReach) {
  const VertexId v = best();
  result_.reached[v] -= 1;
  set_sum(v, result_.distance_sum[v]);
  expect_refuted("fewer sources");
}
TEST_P(ClosenessCertificate, RefutesASumThatIsOneTooLarge) {
  set_sum(0, result_.distance_sum[0] + 1);
  expect_refuted("vertex 0 is reached by");
}

INSTANTIATE_TEST_SUITE_P(Cpu, ClosenessCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
