// Algorithms one after the other on one graph whose devices have little memory: what one of them
// has left in frames and caches is no loss to the next.
#include <gtest/gtest.h>

#include <algorithm>
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
#include "tests/suites/every_algorithm.hpp"

namespace fathom {
namespace {

using testing::Configuration;
using testing::every_algorithm;
using testing::EveryAlgorithm;
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

constexpr std::size_t kTables = 4096;

/// Where there is little memory: of one device, or of the host.
struct TightPlace {
  const char* name;
  int devices;
  bool slotted;
  ResidencyOptions::Kind kind;
  Configuration with(std::size_t bytes) const {
    Configuration c;
    c.cpu.threads = 1;
    c.cpu.devices = devices;
    (devices > 0 ? c.cpu.device_memory : c.cpu.host_memory) = bytes;
    c.residency.kind = kind;
    c.residency.paging.page_bytes = 2048;
    c.slotted = slotted;
    return c;
  }
};

class InTheLeastBudget : public ::testing::TestWithParam<TightPlace> {
 protected:
  InTheLeastBudget() {
    zoo::RawGraph raw = mixed_graph();
    raw.directed = true;
    raw.edges.resize(4 * kMixedVertices);
    raw.weights.resize(raw.edges.size());
    lists_ = zoo::build(raw);
  }
  Graph place(const Context& ctx, const Configuration& c) const {
    const CsrView out = lists_.out.view(), in = lists_.in->view();
    return c.place(ctx, out, &in, true);
  }
  /// Why it does not fit; empty: it does.
  static std::string refusal(const Context& ctx, const Graph& graph,
                             const EveryAlgorithm& algorithm) {
    try {
      algorithm.run(ctx, graph, nullptr);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::DoesNotFit) << error.what();
      return error.what();
    }
  }
  bool fits(const Configuration& c, const EveryAlgorithm& algorithm) const {
    const Context ctx = c.context();
    return refusal(ctx, place(ctx, c), algorithm).empty();
  }
  /// The least budget in which it runs alone, to half a page.
  std::size_t least(const EveryAlgorithm& algorithm) const {
    std::size_t low = 0, high = std::size_t{1} << 22;
    while (high - low > 1024) {
      const std::size_t middle = (low + high) / 2;
      (fits(GetParam().with(middle), algorithm) ? high : low) = middle;
    }
    return high;
  }

  graph::BuiltGraph lists_;
};

TEST_P(InTheLeastBudget, OneAfterTheOtherRunsWhereEachDoesAlone) {
  std::vector<EveryAlgorithm> all;
  for (const EveryAlgorithm& algorithm : every_algorithm())
    if (!algorithm.name.starts_with("order_")) all.push_back(algorithm);
  std::vector<std::size_t> needs;
  for (const EveryAlgorithm& algorithm : all) needs.push_back(least(algorithm));
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < all.size(); ++b) {
      // Tables of pages, of lists that another one read, do not give way.
      const std::size_t budget = std::max(needs[a], needs[b]) + kTables;
      const Configuration c = GetParam().with(budget);
      const Context ctx = c.context();
      const Graph graph = place(ctx, c);
      for (const std::size_t i : {a, b, a})
        EXPECT_EQ(refusal(ctx, graph, all[i]), "")
            << all[i].name << " of " << all[a].name << " and " << all[b].name << " in "
            << budget << " bytes";
    }
}

INSTANTIATE_TEST_SUITE_P(
    Places, InTheLeastBudget,
    ::testing::Values(TightPlace{"host", 0, false, ResidencyOptions::Kind::Auto},
                      TightPlace{"host_streamed", 0, false, ResidencyOptions::Kind::Stream},
                      TightPlace{"host_slotted", 0, true, ResidencyOptions::Kind::Auto},
                      TightPlace{"device", 1, false, ResidencyOptions::Kind::Stream},
                      TightPlace{"two_devices", 2, false, ResidencyOptions::Kind::Stream},
                      TightPlace{"device_slotted", 1, true, ResidencyOptions::Kind::Stream}),
    [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace fathom
