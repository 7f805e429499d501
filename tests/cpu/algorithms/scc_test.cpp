#include "fathom/algorithms/scc/scc.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/scc/functors.hpp"
#include "tests/reference/structure/scc.hpp"
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

/// What the reference says, as a result.
SccResult expected_of(const zoo::RawGraph& raw) {
  const std::vector<VertexId> label = reference::strong_components(zoo::to_reference(raw));
  std::map<VertexId, VertexId> sizes;
  SccResult result;
  result.label = Array<VertexId>(label.size());
  for (std::size_t v = 0; v < label.size(); ++v) {
    result.label[v] = label[v];
    ++sizes[label[v]];
  }
  result.components = static_cast<VertexId>(sizes.size());
  for (const auto& [root, size] : sizes) {
    result.largest = std::max(result.largest, size);
    result.trivial += size == 1 ? 1 : 0;
  }
  return result;
}

void expect_equal(const SccResult& result, const SccResult& expected) {
  EXPECT_EQ(to_vector(result.label), to_vector(expected.label));
  EXPECT_EQ(result.components, expected.components);
  EXPECT_EQ(result.largest, expected.largest);
  EXPECT_EQ(result.trivial, expected.trivial);
}

class Scc : public AlgorithmSuite {
 protected:
  /// Compares everything with the reference and runs the certificate.
  void expect_right(bool in_edges) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const SccResult result = strongly_connected_components(ctx, graph);
    expect_equal(result, expected_of(raw()));
    EXPECT_NO_THROW(verify_scc(ctx, graph, result));
  }
};

TEST_P(Scc, EqualTarjansSearch) {
  expect_right(true);
}
TEST_P(Scc, DoNotNeedInEdges) {
  if (raw().directed) expect_right(false);
}

INSTANTIATE_TEST_SUITE_P(Zoo, Scc, testing::each_in_each(zoo::all_graphs()), testing::suite_name);

/// Circles of 2 to 5 vertices, chained by edges in one direction, in any order of ids: nothing that
/// trimming or one search can settle.
zoo::RawGraph chained_circles(std::uint32_t circles, std::uint64_t seed) {
  zoo::Dice dice(seed);
  std::vector<std::uint32_t> id(circles * 5);
  for (std::uint32_t v = 0; v < id.size(); ++v) id[v] = v;
  for (std::size_t v = id.size(); v > 1; --v)
    std::swap(id[v - 1], id[dice.roll(static_cast<std::uint32_t>(v))]);
  zoo::RawGraph raw{"Circles", 0, true, {}, {}};
  std::uint32_t first = 0;
  for (std::uint32_t c = 0; c < circles; ++c) {
    const std::uint32_t size = 2 + static_cast<std::uint32_t>(dice.roll(4));
    for (std::uint32_t i = 0; i < size; ++i)
      raw.edges.emplace_back(id[first + i], id[first + (i + 1) % size]);
    if (first > 0) raw.edges.emplace_back(id[first - 1], id[first]);
    if (first > 20) raw.edges.emplace_back(id[first - 20], id[first]);
    first += size;
  }
  raw.vertices = static_cast<std::uint32_t>(id.size());
  return raw;
}

class SccOfCircles : public ::testing::TestWithParam<Configuration> {};

TEST_P(SccOfCircles, InAChainEqualTarjansSearchInAFewRounds) {
  const zoo::RawGraph raw = chained_circles(500, 11);
  const Context ctx = GetParam().context();
  for (const bool in_edges : {true, false}) {
    const Graph graph = testing::place(ctx, GetParam(), raw, in_edges);
    const SccResult result = strongly_connected_components(ctx, graph);
    expect_equal(result, expected_of(raw));
    verify_scc(ctx, graph, result);
    const auto& steps = result.report.supersteps;
    const auto rounds = std::count_if(steps.begin(), steps.end(), [](const Superstep& step) {
      return std::string_view(step.direction) == "colour";
    });
    EXPECT_GE(rounds, 2);
    EXPECT_LE(rounds, 20);
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, SccOfCircles, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

RC_GTEST_PROP(SccProperty, EqualTarjansSearchOnRandomGraphs, ()) {
  const zoo::RawGraph raw = zoo::random_graph(false);
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw, *rc::gen::arbitrary<bool>());
  const SccResult result = strongly_connected_components(ctx, graph);
  RC_ASSERT(to_vector(result.label) == reference::strong_components(zoo::to_reference(raw)));
  verify_scc(ctx, graph, result);
}

TEST(SccPalette, GivesEachVertexAColourOfItsOwnThatIsNotZero) {
  for (const std::uint64_t round : {0, 1, 7}) {
    const Palette palette = Palette::of_round(round);
    std::vector<VertexId> colours;
    for (VertexId v = 0; v < 100000; ++v) colours.push_back(palette(v));
    colours.push_back(palette(kNoVertex - 1));  // the last vertex that there can be
    std::sort(colours.begin(), colours.end());
    EXPECT_NE(colours.front(), 0);
    EXPECT_EQ(std::adjacent_find(colours.begin(), colours.end()), colours.end());
  }
}

TEST(SccRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  expect_error(ErrorCode::Interrupted, [&] { strongly_connected_components(ctx, graph); });
}

/// The circles 0 1 2 and 3 4, an edge from the first to the second, and 5 behind both.
class SccCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    for (const bool in_edges : {true, false}) {
      const Graph graph = testing::place(ctx_, GetParam(), raw_, in_edges);
      expect_error(
          ErrorCode::VerificationFailed, [&] { verify_scc(ctx_, graph, result_); }, reason);
    }
  }

  const Context ctx_ = GetParam().context();
  const zoo::RawGraph raw_{
      "Circles", 6, true, {{0, 1}, {1, 2}, {2, 0}, {1, 3}, {3, 4}, {4, 3}, {4, 5}, {2, 5}}, {}};
  SccResult result_ = expected_of(raw_);
};

TEST_P(SccCertificate, HoldsForWhatIsRight) {
  EXPECT_EQ(to_vector(result_.label), (std::vector<VertexId>{0, 0, 0, 3, 3, 5}));
  for (const bool in_edges : {true, false})
    EXPECT_NO_THROW(verify_scc(ctx_, testing::place(ctx_, GetParam(), raw_, in_edges), result_));
}
TEST_P(SccCertificate, RefutesTooFewLabels) {
  result_.label = Array<VertexId>(5, 0);
  expect_refuted("one label per vertex");
}
TEST_P(SccCertificate, RefutesALabelThatIsNotTheSmallest) {
  result_.label[3] = 4;
  expect_refuted("greater");
}
TEST_P(SccCertificate, RefutesALabelThatIsNoVertex) {
  result_.label[3] = kNoVertex;
  expect_refuted("greater");
}
TEST_P(SccCertificate, RefutesALabelOfAnotherClass) {
  result_.label[4] = 2;
  expect_refuted("not of its own class");
}
TEST_P(SccCertificate, RefutesAWrongNumberOfComponents) {
  ++result_.components;
  expect_refuted("are reported");
}
TEST_P(SccCertificate, RefutesAWrongLargestSize) {
  --result_.largest;
  expect_refuted("the largest has 3 vertices, not 2");
}
TEST_P(SccCertificate, RefutesAWrongNumberOfTrivialOnes) {
  ++result_.trivial;
  expect_refuted("1 have one vertex, not 2");
}
TEST_P(SccCertificate, RefutesAComponentInTwoClasses) {
  result_.label[4] = 4;
  ++result_.components;
  result_.trivial += 2;
  expect_refuted("vertex 3 has a class on a circle of several");
}
TEST_P(SccCertificate, RefutesAClassOfTwoComponentsInARow) {
  result_.label[5] = 3;
  --result_.components;
  --result_.trivial;
  expect_refuted("vertex 5 does not reach 3");
}
TEST_P(SccCertificate, RefutesAClassOfVerticesThatItsFirstDoesNotReach) {
  // 1 2 is of the circle, but 2 reaches 1 through 0 alone.
  result_.label = Array<VertexId>(6, 0);
  const std::vector<VertexId> label{0, 1, 1, 3, 3, 5};
  std::copy(label.begin(), label.end(), result_.label.begin());
  result_.components = 4;
  result_.largest = 2;
  result_.trivial = 2;
  expect_refuted("vertex 2 does not reach 1 within its class");
}
TEST_P(SccCertificate, RefutesAClassThatIsNotConnected) {
  const std::vector<VertexId> label{0, 0, 0, 3, 3, 0};
  std::copy(label.begin(), label.end(), result_.label.begin());
  result_.components = 2;
  result_.largest = 4;
  result_.trivial = 0;
  expect_refuted("vertex 5 does not reach 0 within its class");
}

/// Of an undirected graph with the pieces 0 1 2 and 3.
TEST_P(SccCertificate, RefutesWrongClassesOfAnUndirectedGraph) {
  const Graph graph = testing::place(ctx_, GetParam(), {"Pieces", 4, false, {{0, 1}, {1, 2}}, {}});
  SccResult result = strongly_connected_components(ctx_, graph);
  EXPECT_EQ(to_vector(result.label), to_vector(connected_components(ctx_, graph).label));
  EXPECT_EQ(result.trivial, 1u);
  EXPECT_NO_THROW(verify_scc(ctx_, graph, result));
  result.label[3] = 0;
  result.components = 1;
  result.largest = 4;
  result.trivial = 0;
  expect_error(
      ErrorCode::VerificationFailed, [&] { verify_scc(ctx_, graph, result); },
      "vertex 3 is not connected with 0");
  result.label[3] = 3;
  result.label[2] = 2;
  result.components = 3;
  result.largest = 2;
  result.trivial = 2;
  expect_error(
      ErrorCode::VerificationFailed, [&] { verify_scc(ctx_, graph, result); },
      "vertex 0 has a class on a circle of several");
}

INSTANTIATE_TEST_SUITE_P(Cpu, SccCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
