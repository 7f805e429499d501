// Algorithms one after the other, in random order, on one graph whose GPU has little memory: equal
// answers, never more memory than the budget, and each finds the cache that it has alone.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "fathom/algorithms/betweenness/betweenness.hpp"
#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/radius/radius.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/core/random.hpp"
#include "fathom/residency/spare_memory.hpp"
#include "tests/cuda/configurations.hpp"
#include "tests/suites/zoo.hpp"
#include "tests/suites/zoo_csr.hpp"

namespace fathom {
namespace {

using Kind = ResidencyOptions::Kind;

constexpr VertexId kMixed = 400000;

const graph::BuiltGraph& mixed_lists(bool directed) {
  const auto make = [](bool arcs) {
    zoo::RawGraph raw;
    raw.vertices = kMixed;
    raw.directed = arcs;
    raw.edges = zoo::random_edges(kMixed, 16 * kMixed, 7);
    zoo::Dice dice(3);
    for (std::size_t i = 0; i < raw.edges.size(); ++i)
      raw.weights.push_back(static_cast<float>(1 + dice.roll(9)));
    return zoo::build(raw);
  };
  static const graph::BuiltGraph edges = make(false), arcs = make(true);
  return directed ? arcs : edges;
}

struct MixedGpu {
  Context ctx;
  Graph graph;
  MixedGpu(bool directed, ResidencyOptions residency, std::size_t memory)
      : ctx(context(memory)), graph(place(ctx, directed, residency)) {}

  static Context context(std::size_t memory) {
    CudaOptions cuda;
    cuda.device_memory = memory;
    return Context::cuda(cuda);
  }
  static Graph place(const Context& ctx, bool directed, const ResidencyOptions& residency) {
    const graph::BuiltGraph& built = mixed_lists(directed);
    const CsrView out = built.out.view();
    if (!directed) return make_graph(ctx, out, nullptr, false, residency);
    const CsrView in = built.in->view();
    return make_graph(ctx, out, &in, true, residency);
  }
};

struct Answer {
  std::vector<double> values;
  RunReport report;
};

struct MixedRun {
  const char* name;
  std::function<Answer(const Context&, const Graph&)> run;
};

template <class T>
std::vector<double> numbers(const Array<T>& a) {
  return {a.begin(), a.end()};
}

std::vector<MixedRun> mixed_runs() {
  const auto source = std::array<VertexId, 1>{5};
  return {{"bfs",
           [=](const Context& c, const Graph& g) {
             BfsResult r = bfs(c, g, source);
             return Answer{numbers(r.depth), r.report};
           }},
          {"bc",
           [](const Context& c, const Graph& g) {
             BetweennessOptions options;
             options.sources = {3, 13, 23, 33};
             BetweennessResult r = betweenness(c, g, options);
             std::vector<double> values = numbers(r.centrality);
             values.push_back(r.batch);
             return Answer{values, r.report};
           }},
          {"sssp",
           [](const Context& c, const Graph& g) {
             SsspResult r = sssp(c, g, 5);
             return Answer{numbers(r.distance), r.report};
           }},
          {"radius",
           [](const Context& c, const Graph& g) {
             RadiusResult r = estimate_radius(c, g, {});
             return Answer{numbers(r.effective_radius), r.report};
           }},
          {"pagerank", [](const Context& c, const Graph& g) {
             PagerankResult r = pagerank(c, g);
             return Answer{numbers(r.rank), r.report};
           }}};
}

void expect_equal(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t v = 0; v < a.size(); ++v)
    ASSERT_TRUE(a[v] == b[v] || std::abs(a[v] - b[v]) <= 1e-4 * (1 + std::abs(b[v])))
        << a[v] << " and alone " << b[v] << " at " << v;
}

ResidencyOptions zerocopy() {
  ResidencyOptions options;
  options.kind = Kind::ZeroCopy;
  return options;
}

class GpuMixedRuns : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!testing::gpu_present()) GTEST_SKIP() << "no CUDA device";
  }
  bool directed() const { return GetParam(); }
  // Radii take 284 bytes a vertex, lists with weights 128 (256 for a directed graph).
  static constexpr std::size_t kMemory = 340 * std::size_t{kMixed};
};

TEST_P(GpuMixedRuns, InRandomOrderReadWhatTheyReadAloneInsideTheBudget) {
  const std::vector<MixedRun> runs = mixed_runs();
  std::vector<Answer> alone;
  for (const MixedRun& run : runs) {
    SCOPED_TRACE(run.name);
    const MixedGpu its(directed(), zerocopy(), kMemory);
    // Offsets are no cache: here too those of both graphs are there, in both directions.
    const Graph other = MixedGpu::place(its.ctx, directed(), zerocopy());
    for (const Graph* graph : {&its.graph, &other}) {
      graph->out();
      if (graph->has_in()) graph->in();
    }
    alone.push_back(run.run(its.ctx, its.graph));
    EXPECT_LE(its.ctx.peak_device_bytes(), kMemory);
  }
  const MixedGpu mixed(directed(), zerocopy(), kMemory);
  const Graph other = MixedGpu::place(mixed.ctx, directed(), zerocopy());
  const RandomStream random(20, 0);
  for (std::uint64_t round = 0; round < 20; ++round) {
    const std::size_t i = round < runs.size() ? round : random.at(round) % runs.size();
    SCOPED_TRACE(std::string(runs[i].name) + " in round " + std::to_string(round));
    const Answer found = runs[i].run(mixed.ctx, round % 7 == 6 ? other : mixed.graph);
    expect_equal(found.values, alone[i].values);
    EXPECT_LE(static_cast<double>(found.report.link.bytes),
              1.1 * static_cast<double>(alone[i].report.link.bytes));
    ASSERT_LE(mixed.ctx.peak_device_bytes(), kMemory);
  }
}

TEST_P(GpuMixedRuns, HaveACacheEach) {
  ResidencyOptions none = zerocopy();
  none.gpu.cache = CachePolicy::None;
  const MixedGpu cached(directed(), zerocopy(), kMemory), bare(directed(), none, kMemory);
  for (const MixedRun& run : mixed_runs()) {
    if (std::string(run.name) == "radius") continue;  // leaves no room for one
    SCOPED_TRACE(run.name);
    const Answer with = run.run(cached.ctx, cached.graph), without = run.run(bare.ctx, bare.graph);
    EXPECT_LT(static_cast<double>(with.report.link.bytes),
              .9 * static_cast<double>(without.report.link.bytes));
  }
}

TEST_P(GpuMixedRuns, LeaveDeviceMemoryToVertexStateThatNeedsItWhereNobodyAskedForIt) {
  // For lists, of 32 entries to a vertex, and all but radii.
  constexpr std::size_t kRoomy = (272 + 32 * sizeof(VertexId)) * kMixed;
  const MixedGpu its(directed(), {}, kRoomy);
  ASSERT_EQ(its.graph.residency(), "resident");
  const std::vector<MixedRun> runs = mixed_runs();
  const Answer first = runs[0].run(its.ctx, its.graph);
  EXPECT_EQ(first.report.link.bytes, 0u);
  estimate_radius(its.ctx, its.graph, {});
  expect_equal(runs[2].run(its.ctx, its.graph).values, runs[2].run(its.ctx, its.graph).values);
  const Answer again = runs[0].run(its.ctx, its.graph);
  EXPECT_EQ(again.report.link.bytes, 0u);
  expect_equal(again.values, first.values);
  EXPECT_LE(its.ctx.peak_device_bytes(), kRoomy);
}

TEST(GpuMixedCaches, OfADirectedSearchTheListsThatItPullsFromAreCached) {
  if (!testing::gpu_present()) GTEST_SKIP() << "no CUDA device";
  const MixedGpu its(true, zerocopy(), std::size_t{60} << 20);
  bfs(its.ctx, its.graph, std::array<VertexId, 1>{5});
  EXPECT_GE(its.graph.in().near_edges(), its.graph.edges() / 2);
  sssp(its.ctx, its.graph, 5);
  bfs(its.ctx, its.graph, std::array<VertexId, 1>{5});
  EXPECT_GE(its.graph.in().near_edges(), its.graph.edges() / 2);
}

/// A view that is handed out is of memory that stays, whatever is allocated meanwhile.
TEST(GpuMixedCaches, WhatAViewShowsDoesNotGiveWayBeforeTheRunEnds) {
  if (!testing::gpu_present()) GTEST_SKIP() << "no CUDA device";
  const MixedGpu its(false, zerocopy(), std::size_t{60} << 20);
  MemoryPool& pool = *its.ctx.devices()[0].memory();
  bfs(its.ctx, its.graph, std::array<VertexId, 1>{5});
  const EdgeId near = its.graph.out().near_edges();
  ASSERT_GT(near, 0u);
  SpareMemory::of(pool).begin_run(0);
  ASSERT_TRUE(its.graph.out().whole({}));
  // The cache is held; what else gives way, such as the search's hints, would not do.
  EXPECT_THROW(Array<std::byte>(obtainable(pool) + 1, its.ctx.devices()[0].memory()), Error);
  EXPECT_EQ(its.graph.out().near_edges(), near);
  SpareMemory::of(pool).end_run();
  EXPECT_NO_THROW(Array<std::byte>(pool.available() + 1, its.ctx.devices()[0].memory()));
  EXPECT_EQ(its.graph.out().near_edges(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Graphs, GpuMixedRuns, ::testing::Bool(), [](const auto& directed) {
  return directed.param ? "directed" : "undirected";
});

}  // namespace
}  // namespace fathom
