#include "fathom/algorithms/edge_betweenness/edge_betweenness.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "tests/reference/betweenness.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/random_graphs.hpp"

namespace fathom {
namespace {

using testing::AlgorithmSuite;
using testing::Configuration;
using testing::cpu_configurations;
using testing::expect_error;
using Ids = std::vector<VertexId>;

std::string text_of(VertexId u, VertexId v, double value) {
  return std::to_string(u) + " - " + std::to_string(v) + ": " + std::to_string(value);
}

/// Empty when rows are those expected up to the rounding of sums, or what differs.
std::string edge_difference(const EdgeBetweennessResult& is,
                            const std::vector<reference::EdgeValue>& expected) {
  if (is.rows != expected.size())
    return std::to_string(is.rows) + " rows instead of " + std::to_string(expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const reference::EdgeValue& its = expected[i];
    if (is.u[i] != its.u || is.v[i] != its.v ||
        !(std::abs(is.centrality[i] - its.value) <= 1e-9 * (std::abs(its.value) + 1e-6)))
      return text_of(is.u[i], is.v[i], is.centrality[i]) + " instead of " +
             text_of(its.u, its.v, its.value);
  }
  return "";
}

reference::BetweennessOptions for_reference(const EdgeBetweennessOptions& options) {
  return {.weighted = options.weighted,
          .normalized = options.normalized,
          .sources = {options.sources.begin(), options.sources.end()},
          .targets = {options.targets.begin(), options.targets.end()}};
}

/// Thirteen: batches of eight, four and one.
Ids spread(VertexId n, VertexId count = 13) {
  Ids sources;
  for (VertexId i = 0; i < std::min(n, count); ++i)
    sources.push_back(static_cast<VertexId>(std::uint64_t{n} * i / std::min(n, count)));
  return sources;
}

Ids every_third(VertexId n) {
  Ids targets;
  for (VertexId v = 0; v < n; v += 3) targets.push_back(v);
  return targets;
}

class EdgeBetweenness : public AlgorithmSuite {
 protected:
  void expect_reference(const EdgeBetweennessOptions& options, bool in_edges = true) {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const EdgeBetweennessResult result = edge_betweenness(ctx, graph, options);
    EXPECT_EQ(edge_difference(result, expected(options)), "");
    verify_edge_betweenness(ctx, graph, options, result, 2);
    verify_edge_betweenness(ctx, graph, options, result, 1000);
  }

 private:
  /// Once per process and graph.
  const std::vector<reference::EdgeValue>& expected(const EdgeBetweennessOptions& options) {
    return found_by<edge_values>(options.weighted, options.normalized, options.sources,
                                 options.targets);
  }
  static std::vector<reference::EdgeValue> edge_values(const reference::Graph& g, bool weighted,
                                                       bool normalized, const Ids& sources,
                                                       const Ids& targets) {
    return reference::edge_betweenness(
        g,
        {weighted, normalized, {sources.begin(), sources.end()}, {targets.begin(), targets.end()}});
  }
};

TEST_P(EdgeBetweenness, ByHopsEqualsTheReference) {
  EdgeBetweennessOptions options;
  options.sources = spread(raw().vertices);
  expect_reference(options);
  options.normalized = false;
  options.targets = every_third(raw().vertices);
  expect_reference(options, false);
}

TEST_P(EdgeBetweenness, ByWeightEqualsTheReference) {
  EdgeBetweennessOptions options;
  options.weighted = true;
  options.sources = spread(raw().vertices, 3);
  expect_reference(options);
}

INSTANTIATE_TEST_SUITE_P(Zoo, EdgeBetweenness, testing::each_in_each(zoo::all_graphs()),
                         testing::suite_name);

TEST(EdgeBetweennessOptions, AllSourcesAreTheDefaultAndNotScaledUp) {
  for (const zoo::RawGraph& raw : {zoo::uniform(true), zoo::bridged_cliques()}) {
    const Context ctx = Context::cpu();
    const Graph graph = make_graph(ctx, zoo::build(raw), raw.directed);
    for (const bool normalized : {true, false}) {
      EdgeBetweennessOptions options;
      options.normalized = normalized;
      const EdgeBetweennessResult result = edge_betweenness(ctx, graph, options);
      EXPECT_EQ(edge_difference(result, reference::edge_betweenness(zoo::to_reference(raw),
                                                                    for_reference(options))),
                "");
      EXPECT_EQ(result.batch, 8);
      EXPECT_NO_THROW(verify_edge_betweenness(ctx, graph, options, result));
    }
  }
}

TEST(EdgeBetweennessOptions, SearchesOfManyLevelsGoOnOneByOne) {
  zoo::RawGraph raw{"Lanes", 3000, true, {}, {}};
  for (VertexId v = 0; v + 2 < raw.vertices; ++v) {
    raw.edges.emplace_back(v, v + 2);
    if (v % 5 == 0) raw.edges.emplace_back(v, v + 1);
  }
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(raw), raw.directed);
  EdgeBetweennessOptions options;
  options.sources = spread(raw.vertices / 2, 23);
  EXPECT_EQ(
      edge_difference(edge_betweenness(ctx, graph, options),
                      reference::edge_betweenness(zoo::to_reference(raw), for_reference(options))),
      "");
}

TEST(EdgeBetweennessOptions, SamplesAreThoseOfVertices) {
  const zoo::RawGraph raw = zoo::uniform(false);
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(raw), raw.directed);
  EdgeBetweennessOptions options;
  options.samples = 21;
  options.seed = 5;
  const EdgeBetweennessResult result = edge_betweenness(ctx, graph, options);
  EXPECT_EQ(result.sources, betweenness(ctx, graph, options).sources);
  EdgeBetweennessOptions given;
  given.sources = result.sources;
  EXPECT_EQ(edge_difference(
                result, reference::edge_betweenness(zoo::to_reference(raw), for_reference(given))),
            "");
}

TEST(EdgeBetweennessOptions, ThatMakeNoSenseAreRefused) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(zoo::path()), false);
  const auto refuses = [&](const std::string& why, const auto& change) {
    EdgeBetweennessOptions options;
    change(options);
    expect_error(
        ErrorCode::Usage, [&] { edge_betweenness(ctx, graph, options); }, why);
  };
  refuses("source 300 is out of range", [](auto& o) { o.sources = {300}; });
  refuses("target 300 is out of range", [](auto& o) { o.targets = {0, 300}; });
  refuses("cannot sample 301", [](auto& o) { o.samples = 301; });
  refuses("not both", [](auto& o) {
    o.samples = 2;
    o.sources = {1};
  });
  refuses("not 0", [](auto& o) { o.batch = 0; });
  const Ids row{0, 1};
  refuses("2 rows, but 300 vertices", [&](auto& o) { o.row = row; });
}

TEST(EdgeBetweennessOptions, NegativeWeightsAreRefusedAndSoAreTooManyPaths) {
  const Context ctx = Context::cpu();
  const zoo::RawGraph negative{"Negative", 2, true, {{0, 1}}, {-1}};
  EdgeBetweennessOptions options;
  options.weighted = true;
  const Graph graph = make_graph(ctx, zoo::build(negative), true);
  expect_error(
      ErrorCode::BadInput, [&] { edge_betweenness(ctx, graph, options); },
      "from vertex 0 to vertex 1 is -1");
  zoo::RawGraph doubled{"Doubled", 1100, true, {}, {}};
  for (VertexId v = 0; v + 1 < doubled.vertices; ++v)
    doubled.edges.insert(doubled.edges.end(), 2, {v, v + 1});
  const Graph many = make_graph(ctx, zoo::build(doubled), true);
  options.sources = {0};
  options.weighted = false;
  expect_error(ErrorCode::DoesNotFit, [&] { edge_betweenness(ctx, many, options); });
}

/// With loops, parallel edges of several weights, rows in another order, some sources and targets.
RC_GTEST_PROP(EdgeBetweennessProperty, EqualsTheReferenceOnRandomGraphs, ()) {
  zoo::RawGraph raw = zoo::random_graph(true);
  if (!raw.edges.empty() && *rc::gen::arbitrary<bool>()) {
    const std::size_t at = *rc::gen::inRange<std::size_t>(0, raw.edges.size());
    const auto copies = *rc::gen::inRange<std::size_t>(0, 20);
    const zoo::Pair edge = raw.edges[at];
    raw.edges.insert(raw.edges.end(), copies, edge);
    if (!raw.weights.empty())
      for (std::size_t i = 0; i < copies; ++i)
        raw.weights.push_back(static_cast<float>(i % 3) + raw.weights[at]);
  }
  EdgeBetweennessOptions options;
  options.weighted = *rc::gen::arbitrary<bool>();
  options.normalized = *rc::gen::arbitrary<bool>();
  options.sources = spread(raw.vertices, *rc::gen::inRange<std::uint32_t>(1, 16));
  if (*rc::gen::arbitrary<bool>()) options.targets = every_third(raw.vertices);
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw);
  const auto expected = reference::edge_betweenness(zoo::to_reference(raw), for_reference(options));
  const EdgeBetweennessResult result = edge_betweenness(ctx, graph, options);
  RC_ASSERT(edge_difference(result, expected) == "");
  verify_edge_betweenness(ctx, graph, options, result, 1);
  verify_edge_betweenness(ctx, graph, options, result, 1000);
}

/// The graph with its vertices turned round, and rows as they were, has the same rows.
TEST(EdgeBetweennessRows, AreInTheOrderAskedFor) {
  for (const bool directed : {false, true})
    for (const Configuration& where : cpu_configurations()) {
      zoo::RawGraph raw = zoo::rmat(directed);
      const Context ctx = where.context();
      EdgeBetweennessOptions options;
      options.sources = {1, 30};
      const Graph graph = testing::place(ctx, where, raw);
      const EdgeBetweennessResult natural = edge_betweenness(ctx, graph, options);
      const VertexId last = static_cast<VertexId>(raw.vertices) - 1;
      for (zoo::Pair& edge : raw.edges) {
        edge.first = static_cast<std::uint32_t>(last - edge.first);
        edge.second = static_cast<std::uint32_t>(last - edge.second);
      }
      for (VertexId& s : options.sources) s = last - s;
      Ids row;
      for (VertexId v = 0; v <= last; ++v) row.push_back(last - v);
      options.row = row;
      const Graph turned = testing::place(ctx, where, raw);
      const EdgeBetweennessResult result = edge_betweenness(ctx, turned, options);
      ASSERT_EQ(result.rows, natural.rows);
      for (std::size_t i = 0; i < result.rows; ++i) {
        ASSERT_EQ(last - result.u[i], natural.u[i]) << where.name;
        ASSERT_EQ(last - result.v[i], natural.v[i]) << where.name;
        ASSERT_NEAR(result.centrality[i], natural.centrality[i], 1e-9);
      }
      verify_edge_betweenness(ctx, turned, options, result, 1);
      verify_edge_betweenness(ctx, turned, options, result);
    }
}

/// Devices without room for all entries, whose hub has more than there are vertices.
TEST(EdgeBetweennessMemory, EntriesAreAddedUpOnTheHostWhereADeviceHasNoRoom) {
  zoo::RawGraph raw{"Hub", 2000, false, {}, {}};
  for (VertexId v = 1; v < raw.vertices; ++v)
    for (VertexId i = 0; i < 1 + v % 5 * 5; ++i) raw.edges.emplace_back(v % 7 == 0 ? v - 1 : 0, v);
  const auto expected_of = [&](const EdgeBetweennessOptions& options) {
    return reference::edge_betweenness(zoo::to_reference(raw), for_reference(options));
  };
  for (const int devices : {1, 2, 3}) {
    CpuOptions cpu;
    cpu.threads = 2;
    cpu.devices = devices;
    cpu.device_memory = std::size_t{240} << 10;
    const Context ctx = Context::cpu(cpu);
    ResidencyOptions residency;
    residency.kind = ResidencyOptions::Kind::Stream;
    residency.paging.page_bytes = 4096;
    const Graph graph = make_graph(ctx, zoo::build(raw), raw.directed, residency);
    EdgeBetweennessOptions options;
    options.sources = spread(raw.vertices, 5);
    const EdgeBetweennessResult result = edge_betweenness(ctx, graph, options);
    EXPECT_GT(graph.edges() * sizeof(double), cpu.device_memory);
    EXPECT_EQ(edge_difference(result, expected_of(options)), "") << devices;
    EXPECT_NO_THROW(verify_edge_betweenness(ctx, graph, options, result));
  }
}

class CorruptedEdgeBetweenness : public ::testing::TestWithParam<VertexId> {
 protected:
  /// The parameter: sources to recompute, fewer than all (bounds and flow) or all (values).
  void expect_refuted(const std::string& reason,
                      const std::function<void(EdgeBetweennessResult&)>& corrupt,
                      bool directed = true) {
    const Context ctx = Context::cpu();
    const zoo::RawGraph raw = directed ? zoo::directed_acyclic() : zoo::grid();
    const Graph graph = make_graph(ctx, zoo::build(raw), raw.directed);
    EdgeBetweennessOptions options;
    options.sources = spread(graph.vertices());
    EdgeBetweennessResult result = edge_betweenness(ctx, graph, options);
    ASSERT_NO_THROW(verify_edge_betweenness(ctx, graph, options, result, GetParam()));
    corrupt(result);
    expect_error(
        ErrorCode::VerificationFailed,
        [&] { verify_edge_betweenness(ctx, graph, options, result, GetParam()); }, reason);
  }
};

std::size_t greatest(const EdgeBetweennessResult& result) {
  const auto all = result.centrality.span().first(result.rows);
  return static_cast<std::size_t>(std::max_element(all.begin(), all.end()) - all.begin());
}

TEST_P(CorruptedEdgeBetweenness, IsRefutedWhenAValueIsTooSmall) {
  expect_refuted("expected", [](auto& r) { r.centrality[greatest(r)] = 0; });
}
TEST_P(CorruptedEdgeBetweenness, IsRefutedWhenAValueIsTooLarge) {
  for (const bool directed : {false, true})
    expect_refuted(
        "expected", [](auto& r) { r.centrality[greatest(r)] *= 1 + 1e-6; }, directed);
}
TEST_P(CorruptedEdgeBetweenness, IsRefutedWhenFlowIsLostOnTheWay) {
  expect_refuted(GetParam() < 13 ? "end there" : "expected", [](auto& r) {
    const std::size_t most = greatest(r);
    const double part = r.centrality[most] * 1e-6;
    r.centrality[most] -= part;
    r.centrality[most == 0 ? 1 : 0] += part;
  });
}
TEST_P(CorruptedEdgeBetweenness, IsRefutedWhenAValueIsNoNumber) {
  expect_refuted("expected a finite value",
                 [](auto& r) { r.centrality[3] = std::numeric_limits<double>::quiet_NaN(); });
}
TEST_P(CorruptedEdgeBetweenness, IsRefutedWhenARowIsMissing) {
  expect_refuted("is not of the edge", [](auto& r) { --r.rows; });
}
TEST_P(CorruptedEdgeBetweenness, IsRefutedWhenARowIsOfAnotherEdge) {
  expect_refuted("row 2 is not of the edge", [](auto& r) { r.v[2] = r.u[2]; });
}
INSTANTIATE_TEST_SUITE_P(Samples, CorruptedEdgeBetweenness, ::testing::Values(4, 20));

}  // namespace
}  // namespace fathom
