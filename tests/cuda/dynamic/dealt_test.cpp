// Graphs that change on several GPUs, to which their vertices are dealt out: against a model, and
// against the same graph in host memory, batch by batch. On one card with devices that share it,
// and across cards where there are two.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "fathom/dynamic/follow/incremental.hpp"
#include "fathom/dynamic/live/live_changes.hpp"
#include "fathom/fathom.hpp"
#include "tests/cuda/dynamic/dynamic_gpu.hpp"
#include "tests/cuda/dynamic/model_batches.hpp"
#include "tests/suites/dynamic_model.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo_csr.hpp"

namespace fathom::testing {
namespace {

struct Cards {
  const char* name;
  std::vector<int> ordinals;
};

void PrintTo(const Cards& cards, std::ostream* out) {
  *out << cards.name;
}

std::vector<Cards> all_cards() {
  std::vector<Cards> all{{"Two", {0, 0}}, {"Three", {0, 0, 0}}};
  if (gpu_count() > 1) all.push_back({"Cards", {0, 1}});
  return all;
}

class Dealt : public ::testing::TestWithParam<Cards> {
 protected:
  void SetUp() override {
    if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
  }
  static Context gpus(std::size_t memory = std::size_t{1} << 30) {
    CudaOptions options;
    options.devices = GetParam().ordinals;
    options.device_memory = memory;
    return Context::cuda(options);
  }
  static DynamicGraphOptions dealt(DynamicGraphOptions options = {}) {
    options = small(options);
    options.deal_vertices = true;
    return options;
  }
};

DynamicGraphOptions random_options(zoo::Dice& dice, Model& model) {
  DynamicGraphOptions options;
  options.directed = model.directed = dice.roll(2) == 0;
  options.edges = model.kind = static_cast<EdgeKind>(dice.roll(3));
  options.duplicates = model.policy = static_cast<DuplicatePolicy>(dice.roll(3));
  options.layout = static_cast<DynamicLayoutKind>(dice.roll(3));
  options.strategy = dice.roll(2) == 0 ? UpdateStrategy::Auto : UpdateStrategy::Sorted;
  options.in_edges = dice.roll(2) == 0;
  options.structure_of_arrays = dice.roll(2) == 0;
  options.page_bytes = (model.kind == EdgeKind::Semantic ? 32u : 16u) << dice.roll(4);
  options.sorted_links = options.layout == DynamicLayoutKind::Faim && dice.roll(2) == 0;
  return options;
}

TEST_P(Dealt, EqualsTheModelAndTheHostAfterAnyBatches) {
  const Context ctx = gpus(), host = Context::cpu();
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    zoo::Dice dice(seed);
    Model model;
    DynamicGraphOptions options = dealt(random_options(dice, model));
    SCOPED_TRACE("seed " + std::to_string(seed));
    DynamicGraph graph(ctx, options), twin(host, options);
    ModelShots shots;
    for (int b = 0; b < 8; ++b) {
      SCOPED_TRACE("batch " + std::to_string(b));
      const ModelBatch batch = draw_batch(dice, graph, model);
      expect_same_report(graph.apply(batch.whole()), twin.apply(batch.whole()));
      ASSERT_EQ(graph.edges(), twin.edges());
      expect_lists(graph.graph(), model);
      if (b % 3 == 0) expect_queries(graph, model);
      if (HasFatalFailure()) return;
      expect_same_pages(graph, twin);
      for (const auto& [shot, then] : shots.shots) expect_lists(shot.graph(), then);
      shots.turn(dice, graph, twin, model);
      ASSERT_FALSE(HasFailure());
    }
  }
}

/// A graph with hubs, in CSR.
graph::BuiltGraph hubs(bool undirected) {
  generate::Spec spec;
  spec.kind = generate::kind_named("rmat").value();
  spec.scale = 12;
  const generate::Generator generator(spec);
  std::vector<Edge> edges(generator.edges());
  generator.fill(0, edges);
  graph::BuildOptions options;
  options.undirected = undirected;
  const auto push = [&](const auto& consume) { consume(std::span<const Edge>(edges), {}); };
  return graph::build(generator.vertices(), push, options);
}

TEST_P(Dealt, AlgorithmsSayWhatTheHostSays) {
  const Context ctx = gpus(), host = Context::cpu();
  for (const bool undirected : {true, false}) {
    const graph::BuiltGraph built = hubs(undirected);
    const CsrView in = undirected ? CsrView{} : built.in->view();
    DynamicGraphOptions options = dealt();
    options.directed = !undirected;
    const DynamicGraph graph(ctx, built.out.view(), undirected ? nullptr : &in, options);
    const DynamicGraph twin(host, built.out.view(), undirected ? nullptr : &in, options);
    expect_equal(graph.to_csr(), twin.to_csr());
    const Graph its = graph.graph(), known = twin.graph();
    EXPECT_EQ(its.residency(), "resident");
    const VertexId source = 1;
    EXPECT_TRUE(std::ranges::equal(bfs(ctx, its, {&source, 1}).depth,
                                   bfs(host, known, {&source, 1}).depth));
    EXPECT_TRUE(std::ranges::equal(connected_components(ctx, its).label,
                                   connected_components(host, known).label));
    EXPECT_TRUE(
        std::ranges::equal(sssp(ctx, its, source).distance, sssp(host, known, source).distance));
    EXPECT_EQ(count_triangles(ctx, its).total, count_triangles(host, known).total);
    EXPECT_EQ(kcore(ctx, its).degeneracy, kcore(host, known).degeneracy);
    const PagerankResult a = pagerank(ctx, its), b = pagerank(host, known);
    double apart = 0;
    for (std::size_t v = 0; v < a.rank.size(); ++v) apart += std::abs(a.rank[v] - b.rank[v]);
    EXPECT_LT(apart, 1e-5);
  }
}

TEST_P(Dealt, MoveBetweenTheHostOneGpuAndSeveral) {
  const Context ctx = gpus(), host = Context::cpu(), one = small_gpu();
  const graph::BuiltGraph built = hubs(true);
  DynamicGraphOptions options = dealt();
  options.directed = false;
  const DynamicGraph twin(host, built.out.view(), nullptr, options);
  const DynamicGraph there = twin.rebuilt(ctx, options);
  const DynamicGraph alone = there.rebuilt(one, options);
  const DynamicGraph again = alone.rebuilt(ctx, options);
  for (const DynamicGraph* const graph : {&there, &alone, &again})
    expect_equal(graph->to_csr(), twin.to_csr());
}

TEST_P(Dealt, UpdatesMayBeInTheMemoryOfAGpu) {
  const Context ctx = gpus();
  DynamicGraphOptions options = dealt();
  options.directed = false;
  DynamicGraph graph(ctx, options), by_host(ctx, options);
  std::vector<EdgeUpdate> updates;
  for (VertexId v = 0; v + 1 < 1000; ++v) updates.push_back(EdgeUpdate::insert(v, v * 7 % 1000));
  Array<EdgeUpdate> there(updates.size(), ctx.devices().back().memory());
  ctx.copy(there.data(), updates.data(), updates.size() * sizeof(EdgeUpdate));
  expect_same_report(graph.apply({1000, {there.data(), there.size()}, {}, true, {}, {}}),
                     by_host.apply({1000, updates}));
  expect_equal(graph.to_csr(), by_host.to_csr());
}

TEST_P(Dealt, ABatchThatIsRefusedChangesNothingAnywhere) {
  const Context ctx = gpus();
  DynamicGraphOptions options = dealt();
  options.memory = std::size_t{4} << 20;
  options.host_pages = false;
  DynamicGraph graph(ctx, options);
  const auto devices = static_cast<VertexId>(ctx.devices().size());
  const VertexId n = 60'000 * devices;
  graph.apply({n, std::vector<EdgeUpdate>{EdgeUpdate::insert(0, 1), EdgeUpdate::insert(1, 0)}});
  const Csr before = graph.to_csr();
  // A page for each list of the last device is more than it may have; the others have room.
  std::vector<EdgeUpdate> too_many;
  for (VertexId v = devices - 1; v < n; v += devices)
    for (VertexId k = 0; k < 30; ++k) too_many.push_back(EdgeUpdate::insert(v, k));
  too_many.push_back(EdgeUpdate::insert(0, 2));
  expect_error(ErrorCode::DoesNotFit, [&] { graph.apply({0, too_many}); });
  expect_equal(graph.to_csr(), before);
  std::vector<EdgeUpdate> bad(10, EdgeUpdate::insert(1, 2));
  bad[7].target = n;
  try {
    graph.apply({0, bad});
    FAIL() << "an edge to nowhere was taken";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::Usage);
    EXPECT_NE(std::string(e.what()).find("update 7 of the batch"), std::string::npos) << e.what();
  }
  expect_equal(graph.to_csr(), before);
  const BatchReport report = graph.apply({0, std::vector<EdgeUpdate>{EdgeUpdate::insert(5, 6)}});
  EXPECT_EQ(report.inserted, 1u);
  EXPECT_EQ(graph.edges(), before.edges() + 1);
}

TEST_P(Dealt, WhatNeedsOneMemoryIsRefused) {
  const Context ctx = gpus();
  DynamicGraphOptions options = dealt();
  options.directed = false;
  DynamicGraph graph(ctx, options);
  graph.apply({10});
  expect_error(ErrorCode::Usage, [&] { graph.lists(); });
  expect_error(ErrorCode::Usage, [&] { graph.snapshot().lists(); });
  expect_error(ErrorCode::Usage, [&] { graph.apply_recorded({1}); });
  expect_error(ErrorCode::Usage, [&] { graph.change_in_kernels({}); });
  expect_error(ErrorCode::Usage, [&] { IncrementalComponents{graph}; });
  expect_error(ErrorCode::Usage, [&] { graph.has_edges_on_device({}, {}); });
}

INSTANTIATE_TEST_SUITE_P(On, Dealt, ::testing::ValuesIn(all_cards()),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace fathom::testing
