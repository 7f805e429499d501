// Pages of graphs in the memory of a GPU from each allocator: what comes back, what is refused, and
// what it counts. Skipped without a device.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "fathom/dynamic/live/live_changes.hpp"
#include "fathom/fathom.hpp"
#include "tests/cuda/dynamic/dynamic_gpu.hpp"
#include "tests/cuda/dynamic/live_kernels.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {
namespace {

class GpuAllocators : public ::testing::TestWithParam<PageAllocator> {
 protected:
  void SetUp() override {
    if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
    ctx_.emplace(small_gpu());
    // The first graph of a process decides how large CUDA's heap is: as all tests together need it.
    if (GetParam() == PageAllocator::Cuda) DynamicGraph(ctx(), options());
  }
  const Context& ctx() const { return *ctx_; }
  static DynamicGraphOptions options(DynamicLayoutKind layout = DynamicLayoutKind::Ouro) {
    DynamicGraphOptions wanted = small();
    wanted.layout = layout;
    wanted.allocator = GetParam();
    wanted.in_edges = false;
    return wanted;
  }
  static DynamicGraphOptions of_host(DynamicGraphOptions options) {
    options.allocator = PageAllocator::Pool;
    return options;
  }
  const MemoryPool& budget() const { return *ctx().devices()[0].memory(); }

 private:
  std::optional<Context> ctx_;
};

/// Of vertices [0, vertices): lists of different lengths, and a hub.
std::vector<EdgeUpdate> lists_and_hub(VertexId vertices, VertexId hub, bool deletion) {
  std::vector<EdgeUpdate> updates;
  for (VertexId v = 1; v <= hub; ++v) updates.push_back({0, v, 1, deletion});
  for (VertexId u = 1; u < vertices; ++u)
    for (VertexId k = 1; k <= 1 + u % 40; ++k)
      updates.push_back({u, (u + k * k) % vertices, 1, deletion});
  return updates;
}

TEST_P(GpuAllocators, ABatchThatDoesNotFitChangesNothingAndAHubFits) {
  constexpr VertexId kVertices = 400000;
  DynamicGraphOptions wanted = options();
  wanted.memory = std::size_t{8} << 20;
  DynamicGraph graph(ctx(), wanted);
  std::vector<EdgeUpdate> hub, many;
  for (VertexId v = 1; v < kVertices; ++v) hub.push_back(EdgeUpdate::insert(0, v));
  graph.apply({kVertices, hub, {}});  // a page of 2 MiB
  EXPECT_EQ(graph.memory().page_bytes, std::size_t{2} << 20);
  for (VertexId v = 1; v < kVertices; ++v)
    for (VertexId t = 0; t < 3; ++t) many.push_back(EdgeUpdate::insert(v, t));
  const Csr before = graph.to_csr();
  std::size_t reserved = 0;
  // 6.4 MB, and 2 MiB. More often than any memory has room for pages that do not come back.
  for (int again = 0; again < 50; ++again) {
    expect_error(
        ErrorCode::DoesNotFit,
        [&] {
          graph.apply({0, many, {}});
        },
        "needed");
    if (again == 0) reserved = graph.memory().reserved_bytes;
    ASSERT_EQ(graph.memory().reserved_bytes, reserved);
  }
  EXPECT_EQ(graph.memory().page_bytes, std::size_t{2} << 20);
  EXPECT_EQ(graph.memory().pages, 1u);
  EXPECT_EQ(graph.batches(), 1u);
  expect_equal(graph.to_csr(), before);
  EXPECT_EQ(graph.apply({0, std::span(many).first(3000), {}}).inserted, 3000u);
  EXPECT_EQ(graph.memory().pages, 1001u);
}

TEST_P(GpuAllocators, ABatchBeyondTheBudgetIsRefusedWhole) {
  CudaOptions cuda;
  cuda.device_memory = std::size_t{96} << 20;
  const Context tight = Context::cuda(cuda);
  DynamicGraphOptions wanted = options(DynamicLayoutKind::Faim);
  wanted.page_bytes = 4096;
  wanted.host_pages = false;
  DynamicGraph graph(tight, wanted);
  constexpr VertexId kVertices = 40000;
  std::vector<EdgeUpdate> few, many;
  for (VertexId v = 0; v < 1000; ++v) few.push_back(EdgeUpdate::insert(v, (v * 7) % 1000));
  graph.apply({kVertices, few, {}});
  const Csr before = graph.to_csr();
  const DynamicMemory memory = graph.memory();
  for (VertexId v = 0; v < kVertices; ++v) many.push_back(EdgeUpdate::insert(v, v / 2 + 1));
  for (int again = 0; again < 3; ++again)
    expect_error(ErrorCode::DoesNotFit, [&] { graph.apply({0, many, {}}); });  // 160 MB of pages
  expect_equal(graph.to_csr(), before);
  EXPECT_EQ(graph.memory().page_bytes, memory.page_bytes);
  EXPECT_EQ(graph.memory().pages, memory.pages);
  EXPECT_EQ(graph.apply({0, few, {}}).ignored, 1000u);
  EXPECT_GT(graph.apply({0, std::span(many).subspan(1000, 1000), {}}).inserted, 0u);
}

TEST_P(GpuAllocators, PagesOfABatchThatIsWrongComeBack) {
  DynamicGraph graph(ctx(), options());
  constexpr VertexId kVertices = 50000;
  std::vector<EdgeUpdate> wrong = lists_and_hub(kVertices, 1000, false);
  graph.apply({kVertices, wrong, {}});
  graph.apply({0, lists_and_hub(kVertices, 1000, true), {}});  // now there is memory
  wrong.push_back(EdgeUpdate::insert(kVertices, 0));
  std::size_t reserved = 0;
  for (int again = 0; again < 100; ++again) {
    expect_error(
        ErrorCode::Usage,
        [&] {
          graph.apply({0, wrong, {}});
        },
        "names vertex 50000,");
    if (again == 9) reserved = graph.memory().reserved_bytes;
  }
  EXPECT_EQ(graph.memory().reserved_bytes, reserved);
  EXPECT_EQ(graph.memory().page_bytes, 0u);
  wrong.pop_back();
  EXPECT_EQ(graph.apply({0, wrong, {}}).inserted, wrong.size());
}

TEST_P(GpuAllocators, RoundsOfTheSameUpdatesReuseTheirMemory) {
  for (const DynamicLayoutKind layout : {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim}) {
    SCOPED_TRACE(name_of_layout(layout));
    DynamicGraph graph(ctx(), options(layout));
    constexpr VertexId kVertices = 20000;
    const auto in = lists_and_hub(kVertices, 19000, false);
    const auto out = lists_and_hub(kVertices, 19000, true);
    graph.apply({kVertices, in, {}});
    const EdgeId edges = graph.edges();
    const std::size_t used = graph.memory().page_bytes;
    std::size_t reserved = 0;
    std::uint64_t waits = 0;
    for (int round = 0; round < 40; ++round) {
      waits += graph.apply({0, out, {}}).waits;
      ASSERT_EQ(graph.edges(), 0u);
      ASSERT_EQ(graph.memory().page_bytes, 0u);
      ASSERT_EQ(graph.memory().pages, 0u);
      waits += graph.apply({0, in, {}}).waits;
      ASSERT_EQ(graph.edges(), edges);
      ASSERT_EQ(graph.memory().page_bytes, used);
      if (round == 9) {
        reserved = graph.memory().reserved_bytes;
        waits = 0;
      }
    }
    EXPECT_EQ(graph.memory().reserved_bytes, reserved);
    EXPECT_LE(waits, 2u * 30 + 6);  // one each, and a few where pages were sought twice
  }
}

TEST_P(GpuAllocators, PagesOfSnapshotsComeBackWithTheLast) {
  for (const DynamicLayoutKind layout : {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim}) {
    SCOPED_TRACE(name_of_layout(layout));
    DynamicGraph graph(ctx(), options(layout));
    constexpr VertexId kVertices = 20000;
    const auto in = lists_and_hub(kVertices, 19000, false);
    const auto out = lists_and_hub(kVertices, 19000, true);
    graph.apply({kVertices, in, {}});
    const Csr before = graph.to_csr();
    const std::size_t alone = graph.memory().page_bytes;
    std::size_t reserved = 0;
    for (int round = 0; round < 20; ++round) {
      std::optional<Snapshot> first = graph.snapshot(), second = graph.snapshot();
      graph.apply({0, out, {}});
      ASSERT_EQ(graph.memory().snapshot_bytes, alone);
      graph.apply({0, in, {}});
      first.reset();
      ASSERT_EQ(graph.memory().snapshot_bytes, alone);
      ASSERT_EQ(second->graph().edges(), graph.edges());
      if (round == 0) {
        EXPECT_EQ(connected_components(ctx(), second->graph()).components,
                  connected_components(ctx(), graph.graph()).components);
      }
      second.reset();
      ASSERT_EQ(graph.memory().snapshot_bytes, 0u);
      ASSERT_EQ(graph.memory().page_bytes, alone);
      if (round == 9) reserved = graph.memory().reserved_bytes;
    }
    // Who asked beside thousands may have found nothing, once or twice.
    EXPECT_LE(graph.memory().reserved_bytes, reserved + (std::size_t{4} << 20));
    expect_equal(graph.to_csr(), before);
  }
}

TEST_P(GpuAllocators, GraphsComeAndGoAndLeaveNothing) {
  const Context host = Context::cpu();
  // CUDA's malloc looks through what is free, and takes longer the more there is.
  const VertexId kVertices = GetParam() == PageAllocator::Cuda ? 40000 : 300000;
  std::vector<EdgeId> offset{0};
  std::vector<VertexId> target;
  for (VertexId v = 0; v < kVertices; ++v) {
    const VertexId degree = v == 11 ? kVertices : v % 20;  // a page of 2 MiB
    for (VertexId t = 0; t < degree; ++t) target.push_back(t);
    offset.push_back(target.size());
  }
  const CsrView csr{kVertices, target.size(), offset.data(), target.data(), nullptr};
  const std::vector<EdgeUpdate> updates = lists_and_hub(30000, 5000, false);
  const DynamicLayoutKind layouts[] = {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim,
                                       DynamicLayoutKind::Aim};
  const std::size_t before = budget().used();
  std::size_t reserved = 0;
  // Together they take several times what there is.
  for (int round = 0; round < 12; ++round) {
    const DynamicGraphOptions wanted = options(layouts[round % 3]);
    DynamicGraph graph(ctx(), csr, nullptr, wanted);
    EXPECT_EQ(graph.edges(), target.size());
    std::optional<Snapshot> snapshot = graph.snapshot();
    graph.apply({0, updates, {}});
    reserved = graph.memory().reserved_bytes;
    EXPECT_GE(budget().used(), before + reserved);
    EXPECT_GE(reserved, graph.memory().page_bytes);
    if (round >= 3) continue;
    DynamicGraph twin(host, csr, nullptr, of_host(wanted));
    const Snapshot of_twin = twin.snapshot();
    twin.apply({0, updates, {}});
    expect_equal(graph.to_csr(), twin.to_csr());
    EXPECT_EQ(graph.memory().page_bytes, twin.memory().page_bytes);
    EXPECT_EQ(graph.memory().pages, twin.memory().pages);
    EXPECT_EQ(graph.memory().snapshot_bytes, twin.memory().snapshot_bytes);
  }
  EXPECT_LT(budget().used(), before + reserved);
}

TEST_P(GpuAllocators, GraphsSideBySideDoNotShareAPage) {
  const Context host = Context::cpu();
  constexpr VertexId kVertices = 4000;
  struct Pair {
    DynamicGraph graph, twin;
  };
  std::vector<std::unique_ptr<Pair>> pairs;
  for (const DynamicLayoutKind layout :
       {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim, DynamicLayoutKind::Aim}) {
    DynamicGraphOptions wanted = options(layout);
    wanted.memory = std::size_t{64} << 20;
    pairs.push_back(std::unique_ptr<Pair>(
        new Pair{DynamicGraph(ctx(), wanted), DynamicGraph(host, of_host(wanted))}));
  }
  zoo::Dice dice(4);
  for (int b = 0; b < 12; ++b)
    for (const auto& pair : pairs) {
      std::vector<EdgeUpdate> updates;
      for (int i = 0; i < 20000; ++i)
        updates.push_back({dice.roll(kVertices), dice.roll(kVertices), 1, dice.roll(3) == 0});
      const VertexId fresh = b == 0 ? kVertices : 0;
      expect_same_report(pair->graph.apply({fresh, updates, {}}),
                         pair->twin.apply({fresh, updates, {}}));
    }
  for (const auto& pair : pairs) {
    expect_equal(pair->graph.to_csr(), pair->twin.to_csr());
    EXPECT_EQ(pair->graph.memory().page_bytes, pair->twin.memory().page_bytes);
  }
}

/// Edges between [0, n), each once; one in `hub` of vertex 0.
std::vector<EdgeUpdate> edges_of_kernels(std::uint64_t seed, VertexId n, std::size_t count,
                                         std::uint32_t hub = 4) {
  zoo::Dice dice(seed);
  std::set<std::pair<VertexId, VertexId>> taken;
  std::vector<EdgeUpdate> updates;
  const auto draw = [&] { return VertexId{dice.roll(static_cast<std::uint32_t>(n))}; };
  while (updates.size() < count) {
    const EdgeUpdate e{dice.roll(hub) == 0 ? VertexId{0} : draw(), draw(), 1, dice.roll(3) == 0};
    if (taken.insert({e.source, e.target}).second) updates.push_back(e);
  }
  return updates;
}

constexpr DynamicLayoutKind kEachLayout[] = {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim,
                                             DynamicLayoutKind::Aim};

TEST_P(GpuAllocators, KernelsThatChangeGraphsTakeTheirPagesFromIt) {
  if (GetParam() == PageAllocator::Cuda) return;
  constexpr VertexId kVertices = 3000;
  for (const DynamicLayoutKind layout : kEachLayout) {
    SCOPED_TRACE(name_of_layout(layout));
    DynamicGraphOptions wanted = options(layout);
    wanted.page_bytes = 64;
    wanted.in_edges = true;
    DynamicGraph graph(ctx(), wanted), batches(ctx(), of_host(wanted));
    const auto first = edges_of_kernels(1, kVertices, 20000);
    for (DynamicGraph* g : {&graph, &batches}) g->apply({kVertices, first, {}});
    for (std::uint64_t round = 0; round < 3; ++round) {
      std::optional<Snapshot> shot;
      if (round == 1) shot = graph.snapshot();
      const EdgeId edges = graph.edges();
      const auto updates = edges_of_kernels(10 + round, kVertices, 20000);
      const BatchReport expected = batches.apply({0, updates, {}});
      LiveChanges changing = graph.change_in_kernels({.reserve = std::size_t{1} << 24});
      change_on_device(changing, updates);
      const LiveReport report = changing.finish();
      EXPECT_EQ(report.inserted, expected.inserted);
      EXPECT_EQ(report.removed, expected.removed);
      EXPECT_EQ(report.no_memory, 0u);
      expect_equal(graph.to_csr(), batches.to_csr());
      if (shot) {
        EXPECT_EQ(shot->graph().edges(), edges);
      }
      shot.reset();
      // Batches go on with what kernels left.
      const auto more = edges_of_kernels(20 + round, kVertices, 5000);
      for (DynamicGraph* g : {&graph, &batches}) g->apply({0, more, {}});
      expect_equal(graph.to_csr(), batches.to_csr());
    }
    if (layout == DynamicLayoutKind::Aim) continue;  // it keeps pages with their vertices
    std::vector<VertexId> all(kVertices);
    std::iota(all.begin(), all.end(), VertexId{0});
    graph.apply({0, {}, all});
    EXPECT_EQ(graph.memory().page_bytes, 0u);
    EXPECT_EQ(graph.memory().pages, 0u);
  }
}

TEST_P(GpuAllocators, KernelsFindPagesThatOthersGiveBack) {
  if (GetParam() == PageAllocator::Cuda) return;
  DynamicGraphOptions wanted = options();
  DynamicGraph graph(ctx(), wanted);
  constexpr VertexId kVertices = 20000;
  graph.apply({kVertices, {}, {}});
  auto updates = edges_of_kernels(5, kVertices, 100000, 1000);
  // Room for all of them once, not for each time.
  LiveChanges changing = graph.change_in_kernels({.reserve = std::size_t{4} << 20});
  for (int round = 0; round < 20; ++round) {
    for (EdgeUpdate& e : updates) e.deletion = round % 2 == 1;
    const auto results = change_on_device(changing, updates);
    EXPECT_EQ(std::count(results.begin(), results.end(), LiveResult::NoMemory), 0) << round;
  }
  EXPECT_EQ(changing.finish().removed, 1000000u);
  EXPECT_EQ(graph.memory().pages, 0u);
}

TEST_P(GpuAllocators, KernelsThatFindNoPageDoOnceThereIsMore) {
  if (GetParam() == PageAllocator::Cuda) return;
  DynamicGraph graph(ctx(), options());
  constexpr VertexId kVertices = 3000;
  graph.apply({kVertices, {}, {}});
  LiveChanges changing = graph.change_in_kernels({.reserve = 0});
  auto left = edges_of_kernels(7, kVertices, 60000);
  for (EdgeUpdate& e : left) e.deletion = false;
  std::uint64_t refused = 0;
  for (int round = 0; !left.empty(); ++round) {
    ASSERT_LT(round, 60);
    const auto results = change_on_device(changing, left);
    std::vector<EdgeUpdate> again;
    for (std::size_t i = 0; i < left.size(); ++i)
      if (results[i] == LiveResult::NoMemory) again.push_back(left[i]);
    refused += again.size();
    left = again;
    changing.reserve(std::size_t{1} << 20);
  }
  const LiveReport report = changing.finish();
  EXPECT_GT(refused, 0u);
  EXPECT_EQ(report.no_memory, refused);
  EXPECT_EQ(report.inserted, 60000u);
  EXPECT_EQ(graph.edges(), 60000u);
}

TEST_P(GpuAllocators, KernelsGetListsThatKnowWhereTheirPagesComeFrom) {
  DynamicGraph graph(ctx(), options());
  graph.apply({10, {}, {}});
  if (GetParam() == PageAllocator::Cuda) {
    expect_error(
        ErrorCode::Usage, [&] { graph.change_in_kernels({.reserve = 1 << 20}); }, "CUDA's malloc");
  } else if (GetParam() != PageAllocator::Pool) {
    const LiveChanges changing = graph.change_in_kernels({.reserve = 1 << 20});
    expect_error(
        ErrorCode::Usage, [&] { changing.lists(); }, "visit_live_lists");
  }
  const std::vector<EdgeUpdate> one{EdgeUpdate::insert(1, 2)};
  EXPECT_EQ(graph.apply({0, one, {}}).inserted, 1u);
}

INSTANTIATE_TEST_SUITE_P(Each, GpuAllocators,
                         ::testing::ValuesIn(page_allocators().begin(), page_allocators().end()),
                         [](const auto& param) { return name_of_allocator(param.param); });

}  // namespace
}  // namespace fathom::testing
