#include "fathom/algorithms/assortativity/assortativity.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

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
using testing::PlacedGraph;
using testing::to_vector;

bool is_near(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-9;
}

void expect_clubs(const std::vector<RichClub>& clubs,
                  const std::vector<reference::Club>& expected) {
  ASSERT_EQ(clubs.size(), expected.size());
  for (std::size_t i = 0; i < clubs.size(); ++i) {
    const auto vertices = static_cast<double>(expected[i].vertices);
    EXPECT_EQ(clubs[i].degree, expected[i].degree);
    EXPECT_EQ(clubs[i].vertices, expected[i].vertices);
    EXPECT_EQ(clubs[i].edges, expected[i].edges);
    EXPECT_DOUBLE_EQ(clubs[i].coefficient,
                     2 * static_cast<double>(expected[i].edges) / (vertices * (vertices - 1)));
  }
}

class Assortativity : public AlgorithmSuite {
 protected:
  void expect_right(bool in_edges) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const AssortativityResult result = degree_assortativity(ctx, graph);
    const reference::Assortativity expected = found_by<reference::assortativity>();
    EXPECT_EQ(to_vector(result.neighbor_degree), expected.neighbor_degree);
    EXPECT_PRED2(is_near, result.coefficient, expected.coefficient);
    EXPECT_EQ(result.loops, expected.loops);
    EXPECT_NO_THROW(verify_assortativity(ctx, graph, result));
    const Graph elsewhere = testing::place(host_, testing::plain_host(), raw());
    const double there = degree_assortativity(host_, elsewhere).coefficient;
    EXPECT_TRUE(result.coefficient == there || std::isnan(there));
  }

 private:
  const Context host_ = testing::plain_host().context();
};

TEST_P(Assortativity, EqualsTheReferenceAndIsVerified) {
  expect_right(true);
}
TEST_P(Assortativity, DoesNotNeedInEdges) {
  expect_right(false);
}

TEST_P(Assortativity, CountsRichClubs) {
  if (raw().directed) return;
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  const AssortativityResult result = degree_assortativity(ctx, graph, {true});
  expect_clubs(result.rich_club, found_by<reference::rich_clubs>());
  EXPECT_NO_THROW(verify_assortativity(ctx, graph, result));
}

INSTANTIATE_TEST_SUITE_P(Zoo, Assortativity, testing::each_in_each(zoo::unweighted_graphs()),
                         testing::suite_name);

RC_GTEST_PROP(AssortativityProperty, EqualsTheReferenceOnRandomGraphs, ()) {
  const zoo::RawGraph raw = zoo::random_graph(false);
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const PlacedGraph placed(where, raw);
  const AssortativityResult result = degree_assortativity(placed.ctx, placed.graph);
  const reference::Assortativity expected = reference::assortativity(zoo::to_reference(raw));
  RC_ASSERT(to_vector(result.neighbor_degree) == expected.neighbor_degree);
  RC_ASSERT(is_near(result.coefficient, expected.coefficient));
  verify_assortativity(placed.ctx, placed.graph, result);
}

TEST(AssortativityRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::directed_acyclic()), true);
  expect_error(ErrorCode::Interrupted, [&] { degree_assortativity(ctx, graph); });
}

/// A triangle with a loop and a tail.
class AssortativityCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_assortativity(ctx_, graph_, result_); },
        reason);
  }

  const Context ctx_ = GetParam().context();
  const Graph graph_ = testing::place(
      ctx_, GetParam(), {"Tailed", 5, false, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {1, 1}}, {}});
  AssortativityResult result_ = degree_assortativity(ctx_, graph_);
};

TEST_P(AssortativityCertificate, HoldsForWhatWasComputed) {
  EXPECT_EQ(to_vector(result_.neighbor_degree), (std::vector<double>{3.5, 3, 7 / 3., 3, 0}));
  EXPECT_EQ(result_.loops, 1u);
  EXPECT_NO_THROW(verify_assortativity(ctx_, graph_, result_));
}
TEST_P(AssortativityCertificate, RefutesTooFewMeans) {
  result_.neighbor_degree = Array<double>(4, 0);
  expect_refuted("per vertex");
}
TEST_P(AssortativityCertificate, RefutesAnotherMean) {
  result_.neighbor_degree[2] += 0x1p-40;
  expect_refuted("vertex 2 has");
}
TEST_P(AssortativityCertificate, RefutesAnotherCoefficient) {
  result_.coefficient = std::nextafter(result_.coefficient, 2);
  expect_refuted("the coefficient is");
  result_.coefficient = std::numeric_limits<double>::quiet_NaN();
  expect_refuted("the coefficient is");
}
TEST_P(AssortativityCertificate, RefutesOtherRichClubs) {
  result_ = degree_assortativity(ctx_, graph_, {true});
  EXPECT_NO_THROW(verify_assortativity(ctx_, graph_, result_));
  const std::vector<RichClub> clubs = result_.rich_club;
  ASSERT_EQ(clubs.size(), 3u);  // of degrees above 0, 1 and 2: 1 has 4, 2 has 3
  EXPECT_EQ(clubs[2], (RichClub{2, 2, 1, 1}));
  ++result_.rich_club[1].edges;
  expect_refuted("the rich club above the degree 1 has 3 vertices and 3 edges");
  result_.rich_club = {clubs[0], clubs[1]};
  expect_refuted("the rich club above the degree 2");
  result_.rich_club = clubs;
  result_.rich_club.push_back({3, 1, 0, 0});
  expect_refuted("of fewer than two vertices");
}
TEST(AssortativityRun, RefusesRichClubsOfADirectedGraph) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(zoo::directed_acyclic()), true);
  expect_error(
      ErrorCode::Usage, [&] { degree_assortativity(ctx, graph, {true}); }, "undirected");
}
TEST_P(AssortativityCertificate, RefutesOtherLoops) {
  result_.loops = 0;
  expect_refuted("1 loops, not 0");
}

INSTANTIATE_TEST_SUITE_P(Cpu, AssortativityCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
