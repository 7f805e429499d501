#include "fathom/algorithms/cdlp/cdlp.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/reference/communities/label_propagation.hpp"
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

using Labels = std::vector<VertexId>;

/// An order that is not that of ids: n - 1, 0, n - 2, 1, ...
Labels other_rows(VertexId n) {
  Labels row(n);
  for (VertexId v = 0; v < n; ++v) row[v] = v % 2 == 1 ? v / 2 : n - 1 - v / 2;
  return row;
}

class Cdlp : public AlgorithmSuite {
 protected:
  void expect_right_by_blocks(bool in_edges, std::uint32_t iterations, std::uint64_t seed,
                              const Labels& row = {}) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const CdlpOptions options{iterations, row, true, seed};
    const CdlpResult result = label_propagation(ctx, graph, options);
    const auto expected = found_by<reference::propagate_labels_by_blocks>(iterations, seed, row);
    EXPECT_EQ(to_vector(result.label), expected.label);
    EXPECT_EQ(result.iterations, expected.iterations);
    EXPECT_EQ(result.stable, expected.stable);
    EXPECT_NO_THROW(verify_cdlp(ctx, graph, options, result));
  }

  /// Compares with the reference and runs the certificate.
  void expect_right(bool in_edges, std::uint32_t iterations, const Labels& row = {}) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const CdlpOptions options{iterations, row};
    const CdlpResult result = label_propagation(ctx, graph, options);
    const auto expected = found_by<reference::propagate_labels>(iterations, row);
    EXPECT_EQ(to_vector(result.label), expected.label);
    EXPECT_EQ(result.iterations, expected.iterations);
    EXPECT_EQ(result.stable, expected.stable);
    EXPECT_EQ(result.communities,
              std::set<VertexId>(expected.label.begin(), expected.label.end()).size());
    EXPECT_NO_THROW(verify_cdlp(ctx, graph, options, result));
  }
};

TEST_P(Cdlp, TakesTheLabelOfMostNeighbours) {
  for (const std::uint32_t iterations : {0, 1, 2, 10}) expect_right(true, iterations);
}
TEST_P(Cdlp, DoesNotNeedInEdges) {
  if (!raw().directed) return;
  expect_right(false, 1);
  expect_right(false, 10);
}
TEST_P(Cdlp, ComparesLabelsByRows) {
  expect_right(true, 4, other_rows(static_cast<VertexId>(raw().vertices)));
}
TEST_P(Cdlp, TakesLabelsBlockByBlock) {
  for (const std::uint32_t iterations : {1, 2, 200}) expect_right_by_blocks(true, iterations, 7);
  expect_right_by_blocks(false, 3, 8, other_rows(static_cast<VertexId>(raw().vertices)));
}
TEST_P(Cdlp, BecomesStableBlockByBlock) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  const CdlpOptions options{1000, {}, true};
  const CdlpResult result = label_propagation(ctx, graph, options);
  EXPECT_TRUE(result.stable);
  EXPECT_LT(result.iterations, 200u);
  EXPECT_NO_THROW(verify_cdlp(ctx, graph, options, result));
}

INSTANTIATE_TEST_SUITE_P(Zoo, Cdlp, testing::each_in_each(zoo::unweighted_graphs()),
                         testing::suite_name);

/// With loops, parallel edges, and lists both shorter and longer than those that are sorted or have
/// room.
RC_GTEST_PROP(CdlpProperty, EqualsTheReferenceOnRandomGraphs, ()) {
  zoo::RawGraph raw = zoo::random_graph(false);
  if (!raw.edges.empty())
    for (const std::size_t times : {std::size_t{40}, std::size_t{200}}) {
      const zoo::Pair edge = *rc::gen::elementOf(raw.edges);
      if (*rc::gen::arbitrary<bool>())
        raw.edges.insert(raw.edges.end(), *rc::gen::inRange<std::size_t>(0, times), edge);
    }
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw, *rc::gen::arbitrary<bool>());
  const Labels row = *rc::gen::arbitrary<bool>() ? other_rows(graph.vertices()) : Labels{};
  const bool async = *rc::gen::arbitrary<bool>();
  const CdlpOptions options{*rc::gen::inRange<std::uint32_t>(0, 12), row, async, 5};
  const CdlpResult result = label_propagation(ctx, graph, options);
  const reference::Graph oracle = zoo::to_reference(raw);
  const auto expected =
      async ? reference::propagate_labels_by_blocks(oracle, options.iterations, 5, row)
            : reference::propagate_labels(oracle, options.iterations, row);
  RC_ASSERT(to_vector(result.label) == expected.label);
  RC_ASSERT(result.iterations == expected.iterations);
  RC_ASSERT(result.stable == expected.stable);
  verify_cdlp(ctx, graph, options, result);
}

class CdlpOfLongLists : public ::testing::TestWithParam<Configuration> {};

/// Lists of 1 to 300 entries of 4096 vertices, and one of more than half of these, with labels
/// that differ and labels that repeat.
TEST_P(CdlpOfLongLists, CountsInTablesAndByRanges) {
  zoo::RawGraph raw;
  raw.name = "Long";
  raw.vertices = 4096;
  raw.directed = false;
  for (std::uint32_t v = 0; v < 300; ++v)
    for (std::uint32_t i = 0; i < v; ++i)
      raw.edges.emplace_back(v, 300 + (v * 37 + i * i * (v % 3 + 1)) % 3700);
  for (std::uint32_t v = 1; v < 4096; v += v % 5 == 0 ? 1 : 2)
    raw.edges.emplace_back(4095, v % 4090);
  const Context ctx = GetParam().context();
  const Graph graph = testing::place(ctx, GetParam(), raw);
  for (const std::uint32_t iterations : {1u, 2u, 5u}) {
    const CdlpResult result = label_propagation(ctx, graph, {iterations});
    EXPECT_EQ(to_vector(result.label),
              reference::propagate_labels(zoo::to_reference(raw), iterations).label);
    EXPECT_NO_THROW(verify_cdlp(ctx, graph, {iterations}, result));
    EXPECT_EQ(to_vector(label_propagation(ctx, graph, {iterations, {}, true, 3}).label),
              reference::propagate_labels_by_blocks(zoo::to_reference(raw), iterations, 3).label);
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, CdlpOfLongLists, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

TEST(CdlpRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  expect_error(ErrorCode::Interrupted, [&] { label_propagation(ctx, graph); });
}

TEST(CdlpRun, RefusesRowsThatAreNoOrderOfTheVertices) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build({"Path", 3, true, {{0, 1}, {1, 2}}, {}}), true);
  const auto refuses = [&](const Labels& row, const std::string& why) {
    expect_error(
        ErrorCode::Usage,
        [&] {
          label_propagation(ctx, graph, {1, row});
        },
        why);
  };
  refuses({0, 1}, "2 rows, but 3 vertices");
  refuses({0, 3, 1}, "vertex 1 has the row 3, which there is not");
  refuses({0, 1, 1}, "vertex 2 has the row 1, as a vertex before it");
}

/// 0 has an edge to 1 and one from it, and one each to 2 and 3: the label of 1 counts twice.
TEST(CdlpOfDirectedGraphs, CountsANeighbourInBothDirectionsTwice) {
  const zoo::RawGraph raw{"Twice", 5, true, {{3, 4}, {4, 3}, {3, 0}, {3, 1}, {2, 3}}, {}};
  const Context ctx = Context::cpu();
  const CdlpResult result = label_propagation(ctx, make_graph(ctx, zoo::build(raw), true), {1});
  EXPECT_EQ(to_vector(result.label), (Labels{3, 3, 3, 4, 3}));
}

/// The ends of an edge change labels for ever, a triangle agrees, a vertex alone keeps its own.
TEST(CdlpRun, TellsWhetherLabelsAreStable) {
  const Context ctx = Context::cpu();
  const auto run = [&](zoo::RawGraph raw) {
    return label_propagation(ctx, make_graph(ctx, zoo::build(raw), false));
  };
  const CdlpResult edge = run({"Edge", 3, false, {{0, 1}}, {}});
  EXPECT_FALSE(edge.stable);
  EXPECT_EQ(edge.iterations, 10u);
  EXPECT_EQ(to_vector(edge.before), (Labels{1, 0, 2}));
  const CdlpResult clique = run({"Clique", 4, false, zoo::clique_edges(0, 4), {}});
  EXPECT_TRUE(clique.stable);
  EXPECT_EQ(to_vector(clique.label), (Labels{0, 0, 0, 0}));
  EXPECT_EQ(clique.before.size(), 0u);
  EXPECT_EQ(clique.communities, 1u);
}

/// Two cliques of four with an edge between, a vertex that hangs on one of them, one alone, and an
/// edge whose ends change labels for ever.
class CdlpCertificate : public ::testing::TestWithParam<std::tuple<Configuration, bool>> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_cdlp(ctx_, graph_, options_, result_); },
        reason);
  }
  static zoo::RawGraph cliques() {
    zoo::RawGraph raw{"Cliques", 12, true, zoo::clique_edges(0, 4), {}};
    for (const zoo::Pair& edge : zoo::clique_edges(4, 4)) raw.edges.push_back(edge);
    raw.edges.emplace_back(3, 4);
    raw.edges.emplace_back(8, 7);
    raw.edges.emplace_back(10, 11);
    return raw;
  }

  const Context ctx_ = std::get<0>(GetParam()).context();
  const Graph graph_ =
      testing::place(ctx_, std::get<0>(GetParam()), cliques(), std::get<1>(GetParam()));
  CdlpOptions options_{2};
  CdlpResult result_ = label_propagation(ctx_, graph_, options_);
};

TEST_P(CdlpCertificate, HoldsForWhatWasComputed) {
  EXPECT_NO_THROW(verify_cdlp(ctx_, graph_, options_, result_));
  EXPECT_FALSE(result_.stable);
}
TEST_P(CdlpCertificate, RefutesTooFewLabels) {
  result_.label = Array<VertexId>(3, 0);
  expect_refuted("not one label per vertex");
}
TEST_P(CdlpCertificate, RefutesLabelsThatAreNoVertices) {
  result_.before[4] = 12;
  expect_refuted("vertex 4 has a label that is no vertex");
}
TEST_P(CdlpCertificate, RefutesAnotherLabel) {
  result_.label[6] = result_.label[0];
  expect_refuted("vertex 6 has the label");
}
TEST_P(CdlpCertificate, RefutesAnotherLabelOfAVertexWithoutNeighbours) {
  result_.label[9] = result_.label[0];
  --result_.communities;
  expect_refuted("vertex 9 has no neighbours");
}
TEST_P(CdlpCertificate, RefutesAWrongNumberOfCommunities) {
  ++result_.communities;
  expect_refuted("communities, not");
}
TEST_P(CdlpCertificate, RefutesFewerIterationsThanWereAskedFor) {
  result_.iterations = 1;
  expect_refuted("where 2 were asked for");
}
TEST_P(CdlpCertificate, RefutesLabelsThatAreNotStable) {
  result_.stable = true;
  result_.before = {};
  expect_refuted("vertex 10 has the label 10, which is not the first of the most frequent ones");
}
TEST_P(CdlpCertificate, RefutesAsyncLabelsThatAreNotStable) {
  options_ = {100, {}, true};
  result_ = label_propagation(ctx_, graph_, options_);
  EXPECT_TRUE(result_.stable);
  EXPECT_NO_THROW(verify_cdlp(ctx_, graph_, options_, result_));
  result_.label[6] = result_.label[9];
  expect_refuted("vertex 6 has the label 9, which is not one of the most frequent ones");
}
TEST_P(CdlpCertificate, RefutesLabelsBeforeTheFirstIterationThatAreNotTheVertices) {
  options_.iterations = 1;
  result_ = label_propagation(ctx_, graph_, options_);
  std::swap(result_.before[0], result_.before[1]);
  expect_refuted("vertex 0 does not start with itself");
}
TEST_P(CdlpCertificate, RefutesTheLabelsOfAnotherGraph) {
  const Context host = Context::cpu();
  zoo::RawGraph other = cliques();
  other.edges.emplace_back(9, 0);
  result_ = label_propagation(host, make_graph(host, zoo::build(other), true), options_);
  expect_refuted("vertex 9 has no neighbours");
}

INSTANTIATE_TEST_SUITE_P(Cpu, CdlpCertificate,
                         ::testing::Combine(::testing::ValuesIn(cpu_configurations()),
                                            ::testing::Bool()),
                         [](const auto& its) {
                           return std::get<0>(its.param).name +
                                  (std::get<1>(its.param) ? "" : "_without_in_edges");
                         });

}  // namespace
}  // namespace fathom
