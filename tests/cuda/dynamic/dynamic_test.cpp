// Graphs that change in the memory of a GPU: against a model, and against the same graph in host
// memory, batch by batch. Skipped without a device.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "fathom/dynamic/dynamic_state.hpp"
#include "fathom/fathom.hpp"
#include "tests/cuda/dynamic/dynamic_gpu.hpp"
#include "tests/cuda/dynamic/model_batches.hpp"
#include "tests/suites/dynamic_model.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo_csr.hpp"

namespace fathom::testing {
namespace {

std::string name_of_strategy(UpdateStrategy strategy) {
  return strategy == UpdateStrategy::Auto     ? "auto"
         : strategy == UpdateStrategy::Update ? "update"
         : strategy == UpdateStrategy::Warp   ? "warp"
         : strategy == UpdateStrategy::Sorted ? "sorted"
                                              : "vertex";
}

/// Lists in the memory of the graph's GPU, those of a snapshot too, with their fields.
void expect_entries_there(const DynamicGraph& graph, const DynamicEdges& lists, VertexId vertices,
                          const Model& model, bool in) {
  if (!lists.record) return;
  Array<EdgeFields> fields;
  const Csr csr = graph.state()->gpu->to_csr({&lists, 1}, vertices, &fields);
  ASSERT_EQ(fields.size(), graph.semantic() ? csr.edges() : 0);
  for (VertexId v = 0; v < vertices; ++v) {
    std::vector<Model::Entry> its;
    for (EdgeId e = csr.offset[v]; e < csr.offset[v + std::size_t{1}]; ++e)
      its.emplace_back(csr.target[e], csr.weight.empty() ? Weight{1} : csr.weight[e],
                       fields.empty() ? EdgeFields{} : fields[e]);
    ASSERT_EQ(its, model.entries(v, in)) << (in ? "in-list of " : "list of ") << v;
  }
}

using Setting = std::tuple<DynamicLayoutKind, UpdateStrategy, PageAllocator>;

class GpuDynamicModel : public ::testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
    if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
  }
  void run(const Context& ctx, const Context& host, std::uint64_t seed) {
    zoo::Dice dice(seed);
    Model model;
    model.directed = dice.roll(2) == 0;
    model.kind = static_cast<EdgeKind>(dice.roll(3));
    model.policy = static_cast<DuplicatePolicy>(dice.roll(3));
    DynamicGraphOptions options = small();
    std::tie(options.layout, options.strategy, options.allocator) = GetParam();
    options.directed = model.directed;
    options.edges = model.kind;
    options.duplicates = model.policy;
    options.in_edges = dice.roll(2) == 0;
    options.structure_of_arrays = dice.roll(2) == 0;
    options.page_bytes = (model.kind == EdgeKind::Semantic ? 32u : 16u) << dice.roll(4);
    options.sorted_links = options.layout == DynamicLayoutKind::Faim && dice.roll(2) == 0;
    if (options.layout == DynamicLayoutKind::Ouro && dice.roll(2) == 0) {
      options.slack = 0.5;
      options.shrink_below = 0.25;
    }
    SCOPED_TRACE("seed " + std::to_string(seed) + (model.directed ? " directed" : " undirected") +
                 " kind " + std::to_string(static_cast<int>(model.kind)) +
                 (options.in_edges ? " in" : "") + (options.structure_of_arrays ? " soa" : "") +
                 (options.sorted_links ? " sorted" : "") + " policy " +
                 std::to_string(static_cast<int>(model.policy)) + " page " +
                 std::to_string(options.page_bytes));
    DynamicGraphOptions of_host = options;
    of_host.allocator = PageAllocator::Pool;
    std::vector<std::pair<Snapshot, Model>> left;  // snapshots outlive their graph
    {
      DynamicGraph graph(ctx, options), twin(host, of_host);
      ModelShots shots;
      for (int b = 0; b < 10; ++b) {
        SCOPED_TRACE("batch " + std::to_string(b));
        const ModelBatch batch = draw_batch(dice, graph, model);
        const BatchReport report = graph.apply(batch.whole());
        expect_same_report(report, twin.apply(batch.whole()));
        ASSERT_EQ(graph.edges(), twin.edges());
        expect_lists(graph.graph(), model);
        for (const bool in : {false, true}) {
          expect_entries_there(graph, graph.lists(in), graph.vertices(), model, in);
          for (const auto& [shot, known] : shots.shots)
            expect_entries_there(graph, shot.lists(in), shot.vertices(), known, in);
        }
        if (b % 3 == 0) expect_queries(graph, model);
        if (HasFatalFailure()) return;
        expect_same_pages(graph, twin);
        shots.turn(dice, graph, twin, model);
        ASSERT_FALSE(HasFailure());
      }
      left = std::move(shots.shots);
    }
    for (const auto& [shot, known] : left) expect_lists(shot.graph(), known);
  }
};

TEST_P(GpuDynamicModel, EqualsTheModelAndTheHostAfterAnyBatches) {
  const Context ctx = small_gpu(), host = Context::cpu();
  const bool pool = std::get<2>(GetParam()) == PageAllocator::Pool;
  for (std::uint64_t seed = 1; seed <= (pool ? 12 : 4); ++seed) {
    run(ctx, host, seed);
    ASSERT_FALSE(HasFailure());
  }
}

std::string name_of_setting(const ::testing::TestParamInfo<Setting>& param) {
  const auto [layout, strategy, allocator] = param.param;
  const std::string with = name_of_layout(layout) + "_" + name_of_strategy(strategy);
  return allocator == PageAllocator::Pool ? with : with + "_" + name_of_allocator(allocator);
}

constexpr auto kEachLayout = {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim,
                              DynamicLayoutKind::Aim};

INSTANTIATE_TEST_SUITE_P(
    Settings, GpuDynamicModel,
    ::testing::Combine(::testing::ValuesIn(kEachLayout),
                       ::testing::Values(UpdateStrategy::Auto, UpdateStrategy::Update,
                                         UpdateStrategy::Warp, UpdateStrategy::Sorted,
                                         UpdateStrategy::Vertex),
                       ::testing::Values(PageAllocator::Pool)),
    name_of_setting);

INSTANTIATE_TEST_SUITE_P(
    Allocators, GpuDynamicModel,
    ::testing::Combine(::testing::ValuesIn(kEachLayout), ::testing::Values(UpdateStrategy::Auto),
                       ::testing::ValuesIn(page_allocators().begin() + 1, page_allocators().end())),
    name_of_setting);

TEST_P(GpuDynamic, ABatchThatDoesNotFitChangesNothing) {
  DynamicGraphOptions wanted = options();
  wanted.directed = false;
  wanted.memory = 1 << 14;
  wanted.page_bytes = 64;
  DynamicGraph graph(ctx(), wanted);
  std::vector<EdgeUpdate> updates;
  for (VertexId v = 1; v < 100; ++v) updates.push_back(EdgeUpdate::insert(0, v));
  graph.apply({100, updates, {}});
  const Csr before = graph.to_csr();
  const DynamicMemory memory = graph.memory();
  std::vector<EdgeUpdate> many;
  for (VertexId u = 0; u < 105; ++u)
    for (VertexId v = 0; v < u; ++v) many.push_back(EdgeUpdate::insert(u, v));
  const std::vector<VertexId> gone{7};
  for (int again = 0; again < 2; ++again)
    expect_error(
        ErrorCode::DoesNotFit,
        [&] {
          graph.apply({5, many, gone});
        },
        "needed");
  EXPECT_EQ(graph.vertices(), 100u);
  EXPECT_TRUE(graph.exists(7));
  EXPECT_EQ(graph.batches(), 1u);
  EXPECT_EQ(graph.memory().page_bytes, memory.page_bytes);
  EXPECT_EQ(graph.memory().pages, memory.pages);
  expect_equal(graph.to_csr(), before);
  EXPECT_EQ(graph.apply({0, {updates.data(), 1}, {}}).ignored, 1u);
  std::vector<EdgeUpdate> few(many.begin(), many.begin() + 200);
  EXPECT_GT(graph.apply({5, few, {}}).inserted, 0u);
}

TEST_P(GpuDynamic, ABatchBeyondTheDevicesMemoryIsRefusedWhole) {
  CudaOptions cuda;
  cuda.device_memory = std::size_t{64} << 20;
  const Context tight = Context::cuda(cuda);
  DynamicGraph graph(tight, options());
  std::vector<EdgeUpdate> updates;
  for (VertexId v = 0; v < 1000; ++v) updates.push_back(EdgeUpdate::insert(v, (v * 7) % 1000));
  graph.apply({1000, updates, {}});
  const Csr before = graph.to_csr();
  std::vector<EdgeUpdate> many;
  for (VertexId i = 0; i < 4u << 20; ++i) many.push_back(EdgeUpdate::insert(i % 1000, i % 997));
  expect_error(ErrorCode::DoesNotFit, [&] { graph.apply({0, many, {}}); });
  expect_equal(graph.to_csr(), before);
  EXPECT_EQ(graph.apply({0, updates, {}}).ignored, 1000u);
}

TEST_P(GpuDynamic, StartsFromAGraphAtRestAndChangesFromThere) {
  const Context host = Context::cpu();
  std::vector<EdgeId> offset{0};
  std::vector<VertexId> target;
  std::vector<Weight> weight;
  constexpr VertexId kVertices = 3000;
  for (VertexId v = 0; v < kVertices; ++v) {
    const VertexId degree = v == 11 ? kVertices : v % 70;
    for (VertexId t = 0; t < degree; ++t) {
      target.push_back(t);
      weight.push_back(static_cast<Weight>(v + t));
    }
    offset.push_back(target.size());
  }
  const CsrView csr{kVertices, target.size(), offset.data(), target.data(), weight.data()};
  for (const bool soa : {false, true}) {
    DynamicGraphOptions wanted = options();
    wanted.edges = EdgeKind::Weighted;
    wanted.structure_of_arrays = soa;
    DynamicGraph graph(ctx(), csr, nullptr, wanted), twin(host, csr, nullptr, wanted);
    expect_equal(graph.to_csr(), twin.to_csr());
    EXPECT_EQ(graph.edges(), target.size());
    EXPECT_EQ(graph.memory().page_bytes, twin.memory().page_bytes);
    std::vector<EdgeUpdate> back;
    for (VertexId v = 1; v < kVertices; v += 2) {
      back.push_back(EdgeUpdate::remove(v, v % 7));
      back.push_back(EdgeUpdate::insert(v, kVertices - v, 5));
    }
    expect_same_report(graph.apply({0, back, {}}), twin.apply({0, back, {}}));
    expect_equal(graph.to_csr(), twin.to_csr());
    const Graph now = graph.graph();
    EXPECT_EQ(now.in().edges(), graph.edges());
  }
}

TEST_P(GpuDynamic, TypesAndTimestampsMoveBetweenHostAndGpuWithTheirEdges) {
  const Context host = Context::cpu();
  constexpr VertexId kVertices = 3000;
  for (const bool soa : {false, true}) {
    DynamicGraphOptions wanted = options();
    wanted.edges = EdgeKind::Semantic;
    wanted.duplicates = DuplicatePolicy::Keep;
    wanted.structure_of_arrays = soa;
    DynamicGraph there(host, wanted);
    std::vector<EdgeUpdate> updates;
    std::vector<EdgeFields> fields;
    for (std::uint32_t i = 0; i < 60000; ++i) {
      const VertexId u = i % 8 == 0 ? 11 : i % kVertices;
      updates.push_back(EdgeUpdate::insert(u, i * 7 % kVertices, static_cast<Weight>(i % 5)));
      fields.push_back(some_fields(i));
    }
    const std::vector<VertexUpdate> said{{5, {6, 7}}};
    there.apply({kVertices, updates, {}, false, fields, said});
    const DynamicGraph here = there.rebuilt(ctx(), wanted);
    const DynamicGraph back = here.rebuilt(host, wanted);
    EXPECT_EQ(back.vertex_fields(std::vector<VertexId>{5})[0], (VertexFields{6, 7}));
    for (const bool in : {false, true})
      for (VertexId v = 0; v < kVertices; ++v)
        ASSERT_EQ(entries_of(back.lists(in), v), entries_of(there.lists(in), v)) << v;
  }
}

TEST_P(GpuDynamic, MemoryComesBackWhenTheLastSnapshotDies) {
  DynamicGraph graph(ctx(), options());
  std::vector<EdgeUpdate> updates;
  for (VertexId v = 1; v < 500; ++v) updates.push_back(EdgeUpdate::insert(v % 3, v));
  graph.apply({500, updates, {}});
  const std::size_t alone = graph.memory().page_bytes;
  const Csr then = graph.to_csr();
  std::optional<Snapshot> first = graph.snapshot(), second = graph.snapshot();
  // An edge whose pages are there before and after it: those of aim stay.
  const std::vector<EdgeUpdate> more{EdgeUpdate::insert(0, 1)};
  const std::vector<EdgeUpdate> less{EdgeUpdate::remove(0, 1)};
  for (int round = 0; round < 5; ++round) {
    graph.apply({0, more, {}});
    graph.apply({0, less, {}});
  }
  EXPECT_GT(graph.memory().snapshot_bytes, 0u);
  first.reset();
  EXPECT_EQ(second->graph().edges(), 499u);
  EXPECT_EQ(connected_components(ctx(), second->graph()).components,
            connected_components(ctx(), graph.graph()).components);
  EXPECT_GT(graph.memory().snapshot_bytes, 0u);
  second.reset();
  EXPECT_EQ(graph.memory().snapshot_bytes, 0u);
  EXPECT_EQ(graph.memory().page_bytes, alone);
  expect_equal(graph.to_csr(), then);
}

TEST_P(GpuDynamic, AGraphFromBeforeABatchIsRefused) {
  DynamicGraph graph(ctx(), options());
  graph.apply({3, {}, {}});
  const Graph old = graph.graph();
  EXPECT_NO_THROW(old.out().offsets(ctx().devices()[0]));
  graph.apply({1, {}, {}});
  expect_error(
      ErrorCode::Usage, [&] { old.out().offsets(ctx().devices()[0]); }, "changed");
}

TEST_P(GpuDynamic, AlgorithmsGiveWhatTheyGiveOnTheSameGraphAtRest) {
  const Context host = Context::cpu();
  for (const zoo::RawGraph& g : zoo::all_graphs()) {
    if (g.vertices == 0) continue;
    SCOPED_TRACE(g.name);
    const DynamicGraph changing = grown(ctx(), g, options());
    zoo::RawGraph with_one_more = g;
    ++with_one_more.vertices;
    const Graph still = make_graph(host, zoo::build(with_one_more), g.directed);
    const Snapshot shot = changing.snapshot();
    for (const Graph& graph : {changing.graph(), shot.graph()}) {
      ASSERT_EQ(graph.edges(), still.edges());
      EXPECT_EQ(graph.residency_reason(), "kernels read the lists where they are");
      const BfsResult hops = bfs(ctx(), graph, {{0}});
      EXPECT_TRUE(std::ranges::equal(hops.depth, bfs(host, still, {{0}}).depth));
      const SsspResult paths = sssp(ctx(), graph, 0);
      EXPECT_TRUE(std::ranges::equal(paths.distance, sssp(host, still, 0).distance));
      const ComponentsResult parts = connected_components(ctx(), graph);
      EXPECT_TRUE(std::ranges::equal(parts.label, connected_components(host, still).label));
      EXPECT_EQ(count_triangles(ctx(), graph).total, count_triangles(host, still).total);
      EXPECT_TRUE(std::ranges::equal(kcore(ctx(), graph).core, kcore(host, still).core));
      verify_pagerank(host, still, {}, pagerank(ctx(), graph));
    }
    ASSERT_FALSE(HasFailure());
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, GpuDynamic,
                         ::testing::Values(DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim,
                                           DynamicLayoutKind::Aim),
                         [](const auto& param) { return name_of_layout(param.param); });

}  // namespace
}  // namespace fathom::testing
