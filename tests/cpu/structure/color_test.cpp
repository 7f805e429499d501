#include "fathom/algorithms/color/color.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "tests/reference/structure/greedy_colors.hpp"
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

class Color : public AlgorithmSuite {
 protected:
  /// Compares with the reference and runs the certificate.
  void expect_right(bool in_edges, const ColorOptions& options) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const ColorResult result = color_vertices(ctx, graph, options);
    const auto expected = found_by<reference::greedy_colors>(options.seed);
    EXPECT_EQ(to_vector(result.color), expected);
    const auto highest = std::max_element(expected.begin(), expected.end());
    EXPECT_EQ(result.colors, highest == expected.end() ? 0 : *highest + 1);
    EXPECT_EQ(result.rounds == 0, expected.empty());
    EXPECT_NO_THROW(verify_color(ctx, graph, options, result));
  }
};

TEST_P(Color, EqualsTheGreedyChoice) {
  expect_right(true, {5});
}
TEST_P(Color, DoesNotNeedInEdges) {
  if (raw().directed) expect_right(false, {7});
}

/// Several windows of colours, of vertices that all wait for each other, and leaves that do not.
zoo::RawGraph wide_clique(bool directed) {
  zoo::RawGraph g{directed ? "WideCliqueDirected" : "WideClique", 160, directed, {}, {}};
  g.edges = zoo::clique_edges(0, 135);
  if (directed)
    for (std::size_t i = 0; i < g.edges.size(); i += 3)
      std::swap(g.edges[i].first, g.edges[i].second);
  for (std::uint32_t v = 135; v < 160; ++v) g.edges.emplace_back(v - 135, v);
  return g;
}

std::vector<zoo::RawGraph> colored_graphs() {
  std::vector<zoo::RawGraph> all = zoo::unweighted_graphs();
  all.push_back(wide_clique(false));
  all.push_back(wide_clique(true));
  return all;
}

INSTANTIATE_TEST_SUITE_P(Zoo, Color, testing::each_in_each(colored_graphs()), testing::suite_name);

RC_GTEST_PROP(ColorProperty, EqualsTheReferenceOnRandomGraphs, ()) {
  const zoo::RawGraph raw = zoo::random_graph(false);
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw, *rc::gen::arbitrary<bool>());
  const ColorOptions options{*rc::gen::arbitrary<std::uint64_t>()};
  const ColorResult result = color_vertices(ctx, graph, options);
  RC_ASSERT(to_vector(result.color) ==
            reference::greedy_colors(zoo::to_reference(raw), options.seed));
  verify_color(ctx, graph, options, result);
}

TEST(ColorRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  expect_error(ErrorCode::Interrupted, [&] { color_vertices(ctx, graph); });
}

TEST(ColorRun, SeedsGiveOtherColours) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  EXPECT_NE(to_vector(color_vertices(ctx, graph, {1}).color),
            to_vector(color_vertices(ctx, graph, {2}).color));
}

/// The hub of a star, by degree; a loop does not matter, nobody else is there.
TEST(ColorRun, TakesHubsBeforeLeaves) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(
      ctx, zoo::build({"Star", 6, true, {{0, 1}, {2, 0}, {0, 3}, {4, 0}, {5, 5}}, {}}), true);
  EXPECT_EQ(to_vector(color_vertices(ctx, graph).color),
            (std::vector<std::uint32_t>{0, 1, 1, 1, 1, 0}));
}

/// The hub 0 of the leaves 1 to 4, tied to 5, the hub of 6, 7 and a loop.
class ColorCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_color(ctx_, graph_, {}, result_); }, reason);
  }
  void set(std::vector<std::uint32_t> color) {
    std::copy(color.begin(), color.end(), result_.color.begin());
    result_.colors = 1 + *std::max_element(color.begin(), color.end());
  }

  const Context ctx_ = GetParam().context();
  const Graph graph_ =
      testing::place(ctx_, GetParam(),
                     {"Hubs",
                      8,
                      true,
                      {{0, 1}, {0, 2}, {3, 0}, {4, 0}, {0, 5}, {5, 0}, {5, 6}, {7, 5}, {7, 7}},
                      {}});
  ColorResult result_ = color_vertices(ctx_, graph_);
};

TEST_P(ColorCertificate, HoldsForWhatWasComputed) {
  EXPECT_EQ(to_vector(result_.color), (std::vector<std::uint32_t>{0, 1, 1, 1, 1, 1, 0, 0}));
  EXPECT_NO_THROW(verify_color(ctx_, graph_, {}, result_));
}
TEST_P(ColorCertificate, RefutesTooFewColours) {
  result_.color = Array<std::uint32_t>(7, 0);
  expect_refuted("per vertex");
}
TEST_P(ColorCertificate, RefutesAWrongNumberOfColours) {
  ++result_.colors;
  expect_refuted("2 colours, not 3");
}
TEST_P(ColorCertificate, RefutesNeighboursOfOneColour) {
  set({0, 1, 1, 0, 1, 1, 0, 0});
  expect_refuted("vertex 0 has the colour of a neighbour");
}
TEST_P(ColorCertificate, RefutesAColourThatIsNotTheSmallest) {
  set({0, 1, 1, 1, 1, 1, 2, 0});
  expect_refuted("vertex 6 could have a smaller colour");
}
TEST_P(ColorCertificate, RefutesALoopThatCounts) {
  set({0, 1, 1, 1, 1, 1, 0, 2});
  expect_refuted("vertex 7 could have a smaller colour");
}
TEST_P(ColorCertificate, RefutesTheColoursOfAnotherOrder) {
  set({1, 0, 0, 0, 0, 0, 1, 1});
  expect_refuted("vertex 0 could have a smaller colour");
}
TEST_P(ColorCertificate, RefutesAColourOfAFarWindow) {
  set({0, 1, 1, 1, ~0u - 1, 1, 0, 0});
  expect_refuted("vertex 4 could have a smaller colour");
}

INSTANTIATE_TEST_SUITE_P(Cpu, ColorCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
