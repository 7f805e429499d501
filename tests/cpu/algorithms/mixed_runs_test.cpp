// Algorithms one after the other on one graph whose devices have little memory: what one of them
// has left in frames and caches is no loss to the next.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "fathom/algorithms/betweenness/betweenness.hpp"
#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/kcore/kcore.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/radius/radius.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/core/random.hpp"
#include "tests/suites/algorithm_suite.hpp"

namespace fathom {
namespace {

using testing::Configuration;
using testing::to_vector;

constexpr VertexId kMixedVertices = 2000;

zoo::RawGraph mixed_graph() {
  zoo::RawGraph raw;
  raw.name = "mixed";
  raw.vertices = kMixedVertices;
  raw.edges = zoo::random_edges(kMixedVertices, 32 * kMixedVertices, 7);
  zoo::Dice dice(3);
  for (std::size_t i = 0; i < raw.edges.size(); ++i)
    raw.weights.push_back(static_cast<float>(1 + dice.roll(9)));
  return raw;
}

Configuration bytes_per_vertex(std::size_t bytes) {
  Configuration c;
  c.cpu.threads = 1;
  c.cpu.devices = 1;
  c.cpu.device_memory = bytes * kMixedVertices;
  c.residency.kind = ResidencyOptions::Kind::Stream;
  c.residency.paging.page_bytes = 2048;
  c.residency.paging.strategy = Strategy::Performance;
  return c;
}

BetweennessOptions eight_sources() {
  BetweennessOptions options;
  for (VertexId s = 0; s < 8; ++s) options.sources.push_back(10 * s + 3);
  return options;
}

/// A run, as numbers that equal runs have in common.
struct MixedRun {
  const char* name;
  std::function<std::vector<double>(const Context&, const Graph&)> run;
};

template <class T>
std::vector<double> numbers(const Array<T>& a) {
  return {a.begin(), a.end()};
}

std::vector<MixedRun> mixed_runs() {
  const auto source = std::array<VertexId, 1>{5};
  return {
      {"bfs", [=](const Context& c, const Graph& g) { return numbers(bfs(c, g, source).depth); }},
      {"bc", [](const Context& c,
                const Graph& g) { return numbers(betweenness(c, g, eight_sources()).centrality); }},
      {"sssp", [](const Context& c, const Graph& g) { return numbers(sssp(c, g, 5).distance); }},
      {"radius",
       [](const Context& c, const Graph& g) {
         return numbers(estimate_radius(c, g, {}).effective_radius);
       }},
      {"pagerank", [](const Context& c, const Graph& g) { return numbers(pagerank(c, g).rank); }},
      {"cc",
       [](const Context& c, const Graph& g) { return numbers(connected_components(c, g).label); }},
      {"kcore", [](const Context& c, const Graph& g) { return numbers(kcore(c, g).core); }}};
}

TEST(MixedRuns, KeepTheBatchOfSourcesThatOneHasAlone) {
  const Configuration c = bytes_per_vertex(320);
  const auto batch_after = [&](const std::vector<const char*>& before) {
    const Context ctx = c.context();
    const Graph graph = testing::place(ctx, c, mixed_graph());
    for (const char* name : before)
      for (const MixedRun& run : mixed_runs())
        if (std::string(run.name) == name) run.run(ctx, graph);
    return betweenness(ctx, graph, eight_sources()).batch;
  };
  const int alone = batch_after({});
  EXPECT_EQ(alone, 4);
  EXPECT_EQ(batch_after({"bfs"}), alone);
  EXPECT_EQ(batch_after({"sssp", "pagerank"}), alone);
  EXPECT_EQ(batch_after({"radius", "bc", "bfs"}), alone);
}

TEST(MixedRuns, InAnyOrderAnswerAsTheyDoAloneInsideTheBudget) {
  const Configuration c = bytes_per_vertex(320);
  const std::vector<MixedRun> runs = mixed_runs();
  std::vector<std::vector<double>> alone;
  for (const MixedRun& run : runs) {
    const Context ctx = c.context();
    alone.push_back(run.run(ctx, testing::place(ctx, c, mixed_graph())));
  }
  const Context ctx = c.context();
  const Graph graph = testing::place(ctx, c, mixed_graph());
  const Graph other = testing::place(ctx, c, mixed_graph());  // of the same device
  const RandomStream random(20, 0);
  for (std::uint64_t round = 0; round < 20; ++round) {
    const std::size_t i = random.at(round) % runs.size();
    SCOPED_TRACE(std::string(runs[i].name) + " in round " + std::to_string(round));
    const std::vector<double> found = runs[i].run(ctx, round % 3 == 2 ? other : graph);
    ASSERT_EQ(found.size(), alone[i].size());
    for (std::size_t v = 0; v < found.size(); ++v)
      ASSERT_TRUE(found[v] == alone[i][v] ||
                  std::abs(found[v] - alone[i][v]) <= 1e-5 * (1 + std::abs(alone[i][v])))
          << found[v] << " and alone " << alone[i][v] << " at " << v;
    ASSERT_LE(ctx.peak_device_bytes(), c.cpu.device_memory);
  }
}

}  // namespace
}  // namespace fathom
