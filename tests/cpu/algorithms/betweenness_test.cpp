#include "fathom/algorithms/betweenness/betweenness.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "tests/reference/betweenness.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/random_graphs.hpp"

namespace fathom {
namespace {

using testing::AlgorithmSuite;
using testing::Configuration;
using testing::expect_error;
using testing::to_vector;

/// Empty when the values agree up to the rounding of sums, or what differs.
std::string difference(const std::vector<double>& is, const std::vector<double>& expected) {
  if (is.size() != expected.size()) return "one value per vertex expected";
  for (std::size_t v = 0; v < is.size(); ++v)
    if (!(std::abs(is[v] - expected[v]) <= 1e-9 * (std::abs(expected[v]) + 1e-6)))
      return "vertex " + std::to_string(v) + ": " + std::to_string(is[v]) + " instead of " +
             std::to_string(expected[v]);
  return "";
}

std::vector<double> expected_values(const reference::Graph& g, const BetweennessOptions& options) {
  return reference::betweenness(g, {.weighted = options.weighted,
                                    .normalized = options.normalized,
                                    .sources = {options.sources.begin(), options.sources.end()},
                                    .targets = {options.targets.begin(), options.targets.end()}});
}

/// Thirteen sources: batches of eight, four and one.
std::vector<VertexId> spread_sources(VertexId n, VertexId count = 13) {
  std::vector<VertexId> sources;
  for (VertexId i = 0; i < std::min(n, count); ++i)
    sources.push_back(static_cast<VertexId>(std::uint64_t{n} * i / std::min(n, count)));
  return sources;
}

Context host(int threads) {
  CpuOptions options;
  options.threads = threads;
  return Context::cpu(options);
}

class Betweenness : public AlgorithmSuite {
 protected:
  void expect_reference(const BetweennessOptions& options, bool in_edges = true) {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const BetweennessResult result = betweenness(ctx, graph, options);
    EXPECT_EQ(difference(to_vector(result.centrality), expected_values(reference_graph(), options)),
              "");
    verify_betweenness(ctx, graph, options, result);
    verify_betweenness(ctx, graph, options, result, 1000);
  }
};

TEST_P(Betweenness, ByHopsEqualsTheReference) {
  BetweennessOptions options;
  options.sources = spread_sources(raw().vertices);
  expect_reference(options);
  options.normalized = false;
  expect_reference(options, false);
}

TEST_P(Betweenness, ByWeightEqualsTheReference) {
  BetweennessOptions options;
  options.weighted = true;
  options.sources = spread_sources(raw().vertices, 2);
  expect_reference(options);
  options.normalized = false;
  expect_reference(options, false);
}

TEST_P(Betweenness, OfTargetsEqualsTheReference) {
  BetweennessOptions options;
  options.sources = spread_sources(raw().vertices, 9);
  options.targets = spread_sources(raw().vertices, 5);
  if (options.targets.size() > 2) options.targets.push_back(options.targets[1]);
  options.normalized = false;
  expect_reference(options);
  options.weighted = true;
  options.sources.resize(std::min<std::size_t>(options.sources.size(), 2));
  expect_reference(options);
}

INSTANTIATE_TEST_SUITE_P(Zoo, Betweenness, testing::each_in_each(zoo::all_graphs()),
                         testing::suite_name);

TEST(BetweennessOptions, AllSourcesAreTheDefaultAndNotScaledUp) {
  for (const zoo::RawGraph& raw : {zoo::uniform(true), zoo::bridged_cliques()}) {
    const Context ctx = host(2);
    const Graph graph = make_graph(ctx, zoo::build(raw), raw.directed);
    for (const bool normalized : {true, false}) {
      BetweennessOptions options;
      options.normalized = normalized;
      const BetweennessResult result = betweenness(ctx, graph, options);
      EXPECT_EQ(difference(to_vector(result.centrality),
                           expected_values(zoo::to_reference(raw), options)),
                "");
      EXPECT_EQ(result.batch, 8);
      EXPECT_NO_THROW(verify_betweenness(ctx, graph, options, result));
    }
  }
}

TEST(BetweennessOptions, ABatchOfOneSharesNoLists) {
  const zoo::RawGraph raw = zoo::uniform(true);
  const Context ctx = host(2);
  const Graph graph = make_graph(ctx, zoo::build(raw), raw.directed);
  BetweennessOptions options;
  options.sources = spread_sources(raw.vertices);
  const auto expected = expected_values(zoo::to_reference(raw), options);
  std::uint64_t edges = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [batch, used] : std::map<int, int>{{8, 8}, {7, 4}, {2, 2}, {1, 1}}) {
    options.batch = batch;
    const BetweennessResult result = betweenness(ctx, graph, options);
    EXPECT_EQ(result.batch, used);
    EXPECT_EQ(difference(to_vector(result.centrality), expected), "");
    EXPECT_LT(result.report.edges_traversed, edges);  // from 1 to 8
    edges = result.report.edges_traversed;
  }
  options.batch = 0;
  expect_error(
      ErrorCode::Usage, [&] { betweenness(ctx, graph, options); }, "not 0");
}

/// Supersteps of the way back.
std::size_t steps_back(const BetweennessResult& result) {
  return static_cast<std::size_t>(
      std::count_if(result.report.supersteps.begin(), result.report.supersteps.end(),
                    [](const Superstep& step) { return step.direction == "back"; }));
}

TEST(BetweennessOptions, SearchesOfManyLevelsGoOnOneByOne) {
  // Batches would take as many steps back as their longest search; each alone takes its own.
  for (const bool reversible : {false, true}) {
    zoo::RawGraph raw{"Lanes", 6000, true, {}, {}};
    for (VertexId v = 0; v + 2 < raw.vertices; ++v) {
      raw.edges.emplace_back(v, v + 2);
      if (reversible) raw.edges.emplace_back(v + 2, v);
      if (v % 5 == 0) raw.edges.emplace_back(v, v + 1);
    }
    const Context ctx = host(2);
    const Graph graph = make_graph(ctx, zoo::build(raw), raw.directed);
    BetweennessOptions options;
    options.sources = spread_sources(raw.vertices / 2, 23);
    const BetweennessResult together = betweenness(ctx, graph, options);
    EXPECT_EQ(difference(to_vector(together.centrality),
                         expected_values(zoo::to_reference(raw), options)),
              "");
    options.batch = 1;
    const BetweennessResult alone = betweenness(ctx, graph, options);
    EXPECT_EQ(difference(to_vector(alone.centrality), to_vector(together.centrality)), "");
    EXPECT_GT(2 * steps_back(together), steps_back(alone));
  }
}

TEST(BetweennessOptions, SearchesOfFewLevelsStayTogether) {
  const zoo::RawGraph raw = zoo::grid();
  const Context ctx = host(2);
  const Graph graph = make_graph(ctx, zoo::build(raw), raw.directed);
  BetweennessOptions options;
  options.sources = spread_sources(raw.vertices, 16);
  const std::size_t together = steps_back(betweenness(ctx, graph, options));
  options.batch = 1;
  EXPECT_LT(4 * together, steps_back(betweenness(ctx, graph, options)));
}

TEST(BetweennessOptions, SamplesAreDistinctSeededAndScaledUp) {
  const zoo::RawGraph raw = zoo::uniform(false);
  const Context ctx = host(2);
  const Graph graph = make_graph(ctx, zoo::build(raw), raw.directed);
  BetweennessOptions options;
  options.samples = 21;
  options.seed = 5;
  const BetweennessResult result = betweenness(ctx, graph, options);
  EXPECT_EQ(std::set(result.sources.begin(), result.sources.end()).size(), 21u);
  EXPECT_EQ(betweenness(ctx, graph, options).sources, result.sources);
  BetweennessOptions given;
  given.sources = result.sources;
  EXPECT_EQ(
      difference(to_vector(result.centrality), expected_values(zoo::to_reference(raw), given)), "");
  options.seed = 6;
  EXPECT_NE(betweenness(ctx, graph, options).sources, result.sources);
  options.samples = raw.vertices;
  EXPECT_EQ(betweenness(ctx, graph, options).sources.back(), raw.vertices - 1);
}

TEST(BetweennessOptions, ARepeatedSourceCountsAsOftenAsItIsGiven) {
  const zoo::RawGraph raw = zoo::grid();
  const Context ctx = host(1);
  const Graph graph = make_graph(ctx, zoo::build(raw), raw.directed);
  BetweennessOptions options;
  options.sources = {7, 7, 50, 7};
  EXPECT_EQ(difference(to_vector(betweenness(ctx, graph, options).centrality),
                       expected_values(zoo::to_reference(raw), options)),
            "");
}

TEST(BetweennessOptions, OfAPathBetweenTargetsTheirsAloneCount) {
  const Context ctx = host(1);
  const zoo::RawGraph raw{"Line", 5, false, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}, {}};
  const Graph graph = make_graph(ctx, zoo::build(raw), false);
  BetweennessOptions options;
  options.normalized = false;
  options.sources = {0, 2};
  options.targets = {4, 2, 4};
  // From 0 to 2 and 4, and from 2 to 4: halves, as if all had been counted both ways.
  EXPECT_EQ(to_vector(betweenness(ctx, graph, options).centrality),
            (std::vector<double>{0, 1, .5, 1, 0}));
  options.normalized = true;
  EXPECT_EQ(betweenness(ctx, graph, options).centrality[1], 2. / 12);
}

TEST(BetweennessOptions, ThatMakeNoSenseAreRefused) {
  const Context ctx = host(1);
  const Graph graph = make_graph(ctx, zoo::build(zoo::path()), false);
  expect_error(
      ErrorCode::Usage,
      [&] {
        BetweennessOptions options;
        options.targets = {0, 300};
        betweenness(ctx, graph, options);
      },
      "target 300 is out of range");
  const auto run = [&](VertexId samples, std::vector<VertexId> sources) {
    BetweennessOptions options;
    options.samples = samples;
    options.sources = std::move(sources);
    betweenness(ctx, graph, options);
  };
  expect_error(ErrorCode::Usage, [&] { run(0, {300}); });
  expect_error(ErrorCode::Usage, [&] { run(301, {}); });
  expect_error(ErrorCode::Usage, [&] { run(2, {1}); });
}

TEST(BetweennessMemory, LeavesRoomForFewerSourcesAtOnceWhenItIsShort) {
  const zoo::RawGraph raw = zoo::star(false);  // 2548 vertices: 8 searches take 588 KB
  CpuOptions cpu;
  cpu.threads = 1;
  cpu.host_memory = std::size_t{700} << 10;
  const Context ctx = Context::cpu(cpu);
  const Graph graph = make_graph(ctx, zoo::build(raw), raw.directed);
  BetweennessOptions options;
  options.sources = spread_sources(raw.vertices);
  const BetweennessResult result = betweenness(ctx, graph, options);
  EXPECT_EQ(result.batch, 4);
  EXPECT_EQ(
      difference(to_vector(result.centrality), expected_values(zoo::to_reference(raw), options)),
      "");
  EXPECT_LE(result.report.peak_host_bytes, cpu.host_memory);
}

/// So many diamonds in a row have 2^n shortest paths.
zoo::RawGraph diamonds(std::uint32_t n) {
  zoo::RawGraph g{"Diamonds", 3 * n + 1, true, {}, {}};
  for (std::uint32_t i = 0; i < n; ++i)
    for (const std::uint32_t side : {1u, 2u}) {
      g.edges.emplace_back(3 * i, 3 * i + side);
      g.edges.emplace_back(3 * i + side, 3 * i + 3);
    }
  return g;
}

TEST(BetweennessPaths, BeyondTheRangeOfDoubleAreReported) {
  for (const Configuration& configuration : testing::cpu_configurations())
    for (const bool weighted : {false, true}) {
      BetweennessOptions options;
      options.sources = {0};
      options.weighted = weighted;
      for (const std::uint32_t stages : {1000u, 1030u}) {
        zoo::RawGraph raw = diamonds(stages);
        raw.weights.assign(raw.edges.size(), 2.0f);
        const Context ctx = configuration.context();
        const Graph graph = make_graph(ctx, zoo::build(raw), true);
        if (stages == 1000)
          EXPECT_NO_THROW(betweenness(ctx, graph, options));
        else
          expect_error(ErrorCode::DoesNotFit, [&] { betweenness(ctx, graph, options); });
      }
    }
}

TEST(BetweennessWeights, ThatAreAbsorbedByALengthCountAsZero) {
  // 0 -> 1 is so long that going round 1 -> 2 -> 1 changes nothing in double.
  const zoo::RawGraph raw{"Absorbed", 4, true, {{0, 1}, {1, 2}, {2, 1}, {2, 3}}, {1e30f, 1, 1, 1}};
  for (const Configuration& configuration : testing::cpu_configurations()) {
    const Context ctx = configuration.context();
    const Graph graph = make_graph(ctx, zoo::build(raw), true);
    BetweennessOptions options;
    options.weighted = true;
    options.normalized = false;
    const BetweennessResult result = betweenness(ctx, graph, options);
    EXPECT_EQ(to_vector(result.centrality), (std::vector<double>{0, 2, 2, 0}));
  }
}

TEST(BetweennessWeights, ThatAreNegativeAreRefused) {
  const zoo::RawGraph raw{"Negative", 2, true, {{0, 1}}, {-1}};
  const Context ctx = host(1);
  const Graph graph = make_graph(ctx, zoo::build(raw), true);
  BetweennessOptions options;
  options.weighted = true;
  expect_error(
      ErrorCode::BadInput, [&] { betweenness(ctx, graph, options); },
      "from vertex 0 to vertex 1 is -1");
}

class CorruptedBetweenness : public ::testing::TestWithParam<VertexId> {
 protected:
  /// The parameter: sources to recompute, fewer than all (bounds) or all (values).
  void expect_refuted(const std::function<void(Array<double>&)>& corrupt) {
    const Context ctx = host(1);
    const Graph graph = make_graph(ctx, zoo::build(zoo::directed_acyclic()), true);
    BetweennessOptions options;
    options.sources = spread_sources(graph.vertices());
    BetweennessResult result = betweenness(ctx, graph, options);
    ASSERT_NO_THROW(verify_betweenness(ctx, graph, options, result, GetParam()));
    corrupt(result.centrality);
    expect_error(ErrorCode::VerificationFailed,
                 [&] { verify_betweenness(ctx, graph, options, result, GetParam()); });
  }
};

TEST_P(CorruptedBetweenness, IsRefutedWhenAValueIsTooSmall) {
  expect_refuted([](Array<double>& b) { *std::max_element(b.begin(), b.end()) = 0; });
}
TEST_P(CorruptedBetweenness, IsRefutedWhenAValueIsNoNumber) {
  expect_refuted([](Array<double>& b) { b[3] = std::numeric_limits<double>::quiet_NaN(); });
}
TEST_P(CorruptedBetweenness, IsRefutedWhenAVertexWithoutOutEdgesIsBetween) {
  expect_refuted([](Array<double>& b) { b[b.size() - 1] = 0.25; });
}
TEST_P(CorruptedBetweenness, IsRefutedWhenAValueIsMissing) {
  expect_refuted([](Array<double>& b) { b = Array<double>(b.size() - 1, 0.0); });
}
INSTANTIATE_TEST_SUITE_P(Samples, CorruptedBetweenness, ::testing::Values(4, 20));

TEST(CorruptedBetweennessValue, IsRefutedWhenItIsTooLargeAndAllSourcesAreRecomputed) {
  const Context ctx = host(1);
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  BetweennessOptions options;
  options.samples = 8;
  BetweennessResult result = betweenness(ctx, graph, options);
  ASSERT_NO_THROW(verify_betweenness(ctx, graph, options, result));
  result.centrality[9] *= 1.001;
  expect_error(ErrorCode::VerificationFailed,
               [&] { verify_betweenness(ctx, graph, options, result); });
}

RC_GTEST_PROP(BetweennessProperty, EqualsTheReferenceOnRandomGraphs, ()) {
  const zoo::RawGraph raw = zoo::random_graph(true);
  BetweennessOptions options;
  options.weighted = *rc::gen::arbitrary<bool>();
  options.sources = spread_sources(raw.vertices, *rc::gen::inRange<std::uint32_t>(1, 16));
  const std::vector<double> expected = expected_values(zoo::to_reference(raw), options);
  for (const Configuration& configuration : testing::cpu_configurations()) {
    const Context ctx = configuration.context();
    const Graph graph = testing::place(ctx, configuration, raw);
    RC_ASSERT(difference(to_vector(betweenness(ctx, graph, options).centrality), expected) == "");
  }
}

}  // namespace
}  // namespace fathom
