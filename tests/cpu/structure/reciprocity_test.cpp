#include "fathom/algorithms/reciprocity/reciprocity.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/reference/structure/assortativity.hpp"
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

class Reciprocity : public AlgorithmSuite {
 protected:
  void expect_right(bool in_edges) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    if (!raw().directed) {
      expect_error(ErrorCode::Usage, [&] { reciprocity(ctx, graph); });
      return;
    }
    const ReciprocityResult result = reciprocity(ctx, graph);
    const std::vector<std::uint64_t> expected = found_by<reference::answered_edges>();
    EXPECT_EQ(to_vector(result.answered), expected);
    const std::uint64_t all = std::accumulate(expected.begin(), expected.end(), std::uint64_t{0});
    EXPECT_EQ(result.edges, all);
    if (graph.edges() == 0)
      EXPECT_TRUE(std::isnan(result.reciprocity));
    else
      EXPECT_DOUBLE_EQ(result.reciprocity,
                       static_cast<double>(all) / static_cast<double>(graph.edges()));
    EXPECT_NO_THROW(verify_reciprocity(ctx, graph, result));
  }
};

TEST_P(Reciprocity, CountsEdgesWithOneBack) {
  expect_right(true);
}
TEST_P(Reciprocity, DoesNotNeedInEdges) {
  expect_right(false);
}

INSTANTIATE_TEST_SUITE_P(Zoo, Reciprocity, testing::each_in_each(zoo::unweighted_graphs()),
                         testing::suite_name);

/// With loops, parallel edges, and lists that have no room.
RC_GTEST_PROP(ReciprocityProperty, EqualsTheReferenceOnRandomGraphs, ()) {
  zoo::RawGraph raw = zoo::random_graph(false);
  raw.directed = true;
  if (!raw.edges.empty()) {
    const zoo::Pair edge = *rc::gen::elementOf(raw.edges);
    raw.edges.insert(raw.edges.end(), *rc::gen::inRange<std::size_t>(0, 60), edge);
    if (*rc::gen::arbitrary<bool>()) raw.edges.emplace_back(edge.second, edge.first);
  }
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw, *rc::gen::arbitrary<bool>());
  const ReciprocityResult result = reciprocity(ctx, graph);
  RC_ASSERT(to_vector(result.answered) == reference::answered_edges(zoo::to_reference(raw)));
  verify_reciprocity(ctx, graph, result);
}

TEST(ReciprocityRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::directed_acyclic()), true);
  expect_error(ErrorCode::Interrupted, [&] { reciprocity(ctx, graph); });
}

/// Two vertices that answer each other, one twice, a loop, and an edge without one back.
class ReciprocityCertificate : public ::testing::TestWithParam<std::tuple<Configuration, bool>> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_reciprocity(ctx_, graph_, result_); }, reason);
  }

  const Context ctx_ = std::get<0>(GetParam()).context();
  const Graph graph_ =
      testing::place(ctx_, std::get<0>(GetParam()),
                     {"Answering", 4, true, {{0, 1}, {0, 1}, {1, 0}, {1, 1}, {1, 2}}, {}},
                     std::get<1>(GetParam()));
  ReciprocityResult result_ = reciprocity(ctx_, graph_);
};

TEST_P(ReciprocityCertificate, HoldsForWhatWasComputed) {
  EXPECT_EQ(to_vector(result_.answered), (std::vector<EdgeId>{2, 1, 0, 0}));
  EXPECT_DOUBLE_EQ(result_.reciprocity, .6);
  EXPECT_NO_THROW(verify_reciprocity(ctx_, graph_, result_));
}
TEST_P(ReciprocityCertificate, RefutesTooFewNumbers) {
  result_.answered = Array<EdgeId>(3, 0);
  expect_refuted("not one number per vertex");
}
TEST_P(ReciprocityCertificate, RefutesAnotherNumber) {
  result_.answered[1] = 2;
  expect_refuted("vertex 1 has 2.000000, expected 1 edges with one back");
}
TEST_P(ReciprocityCertificate, RefutesAnotherSum) {
  ++result_.edges;
  expect_refuted("there are 3 edges with one back, not 4");
}
TEST_P(ReciprocityCertificate, RefutesAnotherShare) {
  result_.reciprocity = std::nextafter(result_.reciprocity, 1);
  expect_refuted("the share is");
}

INSTANTIATE_TEST_SUITE_P(Cpu, ReciprocityCertificate,
                         ::testing::Combine(::testing::ValuesIn(cpu_configurations()),
                                            ::testing::Bool()),
                         [](const auto& its) {
                           return std::get<0>(its.param).name +
                                  (std::get<1>(its.param) ? "" : "_without_in_edges");
                         });

}  // namespace
}  // namespace fathom
