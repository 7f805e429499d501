// Graphs on a GPU that kernels change themselves: against batches, on edges that all want, and
// where memory ends. Skipped without a device.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/cuda/dynamic/dynamic_gpu.hpp"
#include "tests/cuda/dynamic/live_kernels.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {
namespace {

constexpr VertexId kMany = 3000;

/// Layout, lanes, directed.
class GpuLive : public ::testing::TestWithParam<std::tuple<DynamicLayoutKind, LiveLanes, bool>> {
 protected:
  void SetUp() override {
    if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
    ctx_.emplace(small_gpu());
  }
  const Context& ctx() const { return *ctx_; }
  static LiveLanes lanes() { return std::get<1>(GetParam()); }
  static bool directed() { return std::get<2>(GetParam()); }
  static DynamicGraphOptions options() {
    DynamicGraphOptions wanted = small();
    wanted.layout = std::get<0>(GetParam());
    wanted.directed = directed();
    wanted.page_bytes = 64;
    return wanted;
  }

 private:
  std::optional<Context> ctx_;
};

/// Updates between [0, n), a third of them of vertex 0. `once`: each edge, whichever way it goes,
/// at most once.
std::vector<EdgeUpdate> drawn(std::uint64_t seed, VertexId n, std::size_t count, bool once) {
  zoo::Dice dice(seed);
  std::vector<EdgeUpdate> updates;
  std::set<std::pair<VertexId, VertexId>> taken;
  while (updates.size() < count) {
    EdgeUpdate e{dice.roll(3) == 0 ? VertexId{0} : dice.roll(static_cast<std::uint32_t>(n)),
                 dice.roll(static_cast<std::uint32_t>(n)), static_cast<Weight>(1 + dice.roll(7)),
                 dice.roll(3) == 0};
    if (dice.roll(2) == 0) std::swap(e.source, e.target);
    if (once && !taken.insert(std::minmax(e.source, e.target)).second) continue;
    updates.push_back(e);
  }
  return updates;
}

/// Both lists of every edge say the same, and so does the count.
void expect_both_lists(const DynamicGraph& graph) {
  const Csr out = graph.to_csr();
  EXPECT_EQ(graph.edges(), out.edges());
  std::vector<std::tuple<VertexId, VertexId, Weight>> forth, back;
  const Graph now = graph.graph();
  const auto other = (graph.directed() ? now.in() : now.out()).read_lists();
  for (VertexId v = 0; v < graph.vertices(); ++v) {
    for (EdgeId e = out.offset[v]; e < out.offset[v + std::size_t{1}]; ++e)
      forth.emplace_back(v, out.target[e], out.weight.empty() ? Weight{1} : out.weight[e]);
    other->read(v, [&](const PlainSpan& s) {
      for (std::uint32_t i = 0; i < s.size; ++i) back.emplace_back(s.target(i), v, s.weight(i));
    });
  }
  std::sort(forth.begin(), forth.end());
  std::sort(back.begin(), back.end());
  EXPECT_TRUE(forth == back);
  EXPECT_TRUE(std::adjacent_find(forth.begin(), forth.end(),
                                 [](const auto& a, const auto& b) {
                                   return std::get<0>(a) == std::get<0>(b) &&
                                          std::get<1>(a) == std::get<1>(b);
                                 }) == forth.end())
      << "an edge is there twice";
}

TEST_P(GpuLive, ChangesComeToWhatBatchesDo) {
  DynamicGraphOptions wanted = options();
  wanted.edges = EdgeKind::Weighted;
  wanted.duplicates = DuplicatePolicy::Overwrite;
  DynamicGraph graph(ctx(), wanted), batches(ctx(), wanted);
  const auto first = drawn(1, kMany, 20000, false);
  for (DynamicGraph* g : {&graph, &batches}) g->apply({.new_vertices = kMany, .edges = first});
  for (std::uint64_t round = 0; round < 3; ++round) {
    const auto updates = drawn(10 + round, kMany, 20000, true);
    const BatchReport expected = batches.apply({.edges = updates});
    LiveChanges changing = graph.change_in_kernels({.reserve = std::size_t{1} << 24});
    const std::vector<LiveResult> results = change_on_device(changing.lists(), updates, lanes());
    const LiveReport report = changing.finish();
    EXPECT_EQ(report.inserted, expected.inserted);
    EXPECT_EQ(report.overwritten, expected.overwritten);
    EXPECT_EQ(report.removed, expected.removed);
    EXPECT_EQ(report.missing, expected.missing);
    EXPECT_EQ(report.no_memory, 0u);
    EXPECT_EQ(static_cast<std::uint64_t>(
                  std::count(results.begin(), results.end(), LiveResult::Inserted)),
              report.inserted);
    expect_equal(graph.to_csr(), batches.to_csr());
    expect_both_lists(graph);
    // Batches go on with what kernels left.
    const auto more = drawn(20 + round, kMany, 5000, false);
    for (DynamicGraph* g : {&graph, &batches}) g->apply({.edges = more});
    expect_equal(graph.to_csr(), batches.to_csr());
  }
  EXPECT_EQ(graph.edges(), batches.edges());
}

TEST_P(GpuLive, ThoseThatWantTheSameEdgesLeaveBothListsEqual) {
  DynamicGraph graph(ctx(), options());
  constexpr VertexId kFew = 12;
  graph.apply({.new_vertices = kFew, .edges = drawn(3, kFew, 60, false)});
  for (std::uint64_t round = 0; round < 4; ++round) {
    std::optional<Snapshot> shot;
    if (round % 2 == 1) shot = graph.snapshot();
    const Csr before = graph.to_csr();
    const EdgeId edges = graph.edges();
    LiveChanges changing = graph.change_in_kernels({.reserve = std::size_t{1} << 20});
    change_on_device(changing.lists(), drawn(30 + round, kFew, 30000, false), lanes());
    const LiveReport report = changing.finish();
    EXPECT_EQ(report.no_memory, 0u);
    if (directed()) {
      EXPECT_EQ(graph.edges(), edges + report.inserted - report.removed);
    }
    expect_both_lists(graph);
    if (!shot) continue;
    const auto kept = shot->graph().out().read_lists();
    for (VertexId v = 0; v < kFew; ++v)
      EXPECT_EQ(kept->degree(v), before.offset[v + std::size_t{1}] - before.offset[v]);
  }
  EXPECT_EQ(graph.memory().snapshot_bytes, 0u);
}

TEST_P(GpuLive, AHubTakesAllEdgesOfManyThreads) {
  DynamicGraph graph(ctx(), options());
  constexpr VertexId kLeaves = 3000;
  graph.apply({.new_vertices = kLeaves + 1});
  std::vector<EdgeUpdate> forth, back;
  for (VertexId v = 1; v <= kLeaves; ++v) {
    forth.push_back(EdgeUpdate::insert(0, v));
    back.push_back(EdgeUpdate::remove(0, v));
  }
  {
    LiveChanges changing = graph.change_in_kernels({.reserve = std::size_t{1} << 24});
    const auto results = change_on_device(changing.lists(), forth, lanes());
    EXPECT_EQ(std::count(results.begin(), results.end(), LiveResult::Inserted),
              static_cast<std::ptrdiff_t>(kLeaves));
    EXPECT_EQ(changing.finish().inserted, kLeaves);
  }
  EXPECT_EQ(graph.degrees(std::vector<VertexId>{0})[0], kLeaves);
  expect_both_lists(graph);
  LiveChanges changing = graph.change_in_kernels({.reserve = std::size_t{1} << 24});
  back.resize(kLeaves / 2);  // a deletion on linked pages reads the list
  change_on_device(changing.lists(), back, lanes());
  EXPECT_EQ(changing.finish().removed, kLeaves / 2);
  EXPECT_EQ(graph.degrees(std::vector<VertexId>{0})[0], kLeaves - kLeaves / 2);
  expect_both_lists(graph);
}

TEST_P(GpuLive, WhatFindsNoMemoryIsCountedAndFitsOnceThereIsMore) {
  DynamicGraph graph(ctx(), options());
  graph.apply({.new_vertices = kMany});
  std::vector<EdgeUpdate> wanted = drawn(5, kMany, 60000, true);
  for (EdgeUpdate& e : wanted) e.deletion = false;
  LiveChanges changing = graph.change_in_kernels({.reserve = 0});
  const LiveLists lists = changing.lists();
  std::uint64_t refused = 0;
  int rounds = 0;
  while (!wanted.empty()) {
    const auto results = change_on_device(lists, wanted, lanes());
    std::vector<EdgeUpdate> left;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_TRUE(results[i] == LiveResult::Inserted || results[i] == LiveResult::NoMemory);
      if (results[i] == LiveResult::NoMemory) left.push_back(wanted[i]);
    }
    refused += left.size();
    wanted = left;
    changing.reserve(std::size_t{1} << 22);
    ASSERT_LT(++rounds, 60);
  }
  EXPECT_GT(refused, 0u);
  const LiveReport report = changing.finish();
  EXPECT_EQ(report.no_memory, refused);
  EXPECT_EQ(report.inserted, 60000u);
  expect_both_lists(graph);
}

TEST_P(GpuLive, ReadsSeeWhatWasChangedBefore) {
  DynamicGraphOptions wanted = options();
  wanted.edges = EdgeKind::Weighted;
  DynamicGraph graph(ctx(), wanted);
  constexpr VertexId kFew = 50;
  graph.apply({.new_vertices = kFew});
  LiveChanges changing = graph.change_in_kernels({.reserve = std::size_t{1} << 22});
  const LiveLists lists = changing.lists();
  change_on_device(lists, drawn(6, kFew, 2000, false), lanes());
  std::vector<Edge> pairs;
  for (VertexId u = 0; u < kFew; ++u)
    for (VertexId v = 0; v < kFew; ++v) pairs.push_back({u, v});
  const LiveReads reads = read_on_device(lists, pairs);
  changing.finish();
  const auto weight = graph.weights(pairs);
  const Csr out = graph.to_csr();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    ASSERT_EQ(reads.edge[i].found, !std::isnan(weight[i]));
    if (reads.edge[i].found) {
      ASSERT_EQ(reads.edge[i].weight, weight[i]);
    }
    std::uint64_t sum = 0;
    const VertexId u = pairs[i].source;
    for (EdgeId e = out.offset[u]; e < out.offset[u + std::size_t{1}]; ++e) sum += out.target[e];
    ASSERT_EQ(reads.sum[i], sum);
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, GpuLive,
                         ::testing::Combine(::testing::Values(DynamicLayoutKind::Ouro,
                                                              DynamicLayoutKind::Faim,
                                                              DynamicLayoutKind::Aim),
                                            ::testing::Values(LiveLanes::Thread, LiveLanes::Tile,
                                                              LiveLanes::Warp, LiveLanes::Each),
                                            ::testing::Bool()));

TEST(GpuLiveVertices, ThatKernelsInsertAreThoseThatABatchWouldHaveMade) {
  if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
  const Context ctx = small_gpu();
  for (const DynamicLayoutKind layout :
       {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim, DynamicLayoutKind::Aim})
    for (const bool directed : {true, false}) {
      SCOPED_TRACE(name_of_layout(layout) + (directed ? " directed" : " undirected"));
      DynamicGraphOptions wanted = small();
      wanted.layout = layout;
      wanted.directed = directed;
      DynamicGraph graph(ctx, wanted), batches(ctx, wanted);
      const std::vector<VertexId> gone{3, 17, 999};
      for (DynamicGraph* g : {&graph, &batches}) {
        g->apply({.new_vertices = 1000});
        g->apply({.deleted_vertices = gone});
      }
      constexpr VertexId kReserved = 3000;
      std::vector<VertexId> anchors;
      for (VertexId i = 0; i < kReserved + 500; ++i) anchors.push_back(20 + i % 900);
      const std::vector<VertexId> next = graph.next_vertices(kReserved);
      const Snapshot shot = graph.snapshot();
      LiveChanges changing =
          graph.change_in_kernels({.reserve = std::size_t{1} << 22, .reserve_vertices = kReserved});
      const std::vector<VertexId> made = grow_on_device(changing.lists(), anchors);
      const LiveReport report = changing.finish();
      EXPECT_EQ(report.new_vertices, kReserved);
      EXPECT_EQ(report.no_index, 500u);
      EXPECT_EQ(report.inserted, kReserved);
      EXPECT_EQ(shot.vertices(), 1000u);
      std::vector<EdgeUpdate> edges;
      std::set<VertexId> indices;
      for (std::size_t i = 0; i < made.size(); ++i) {
        if (made[i] == kNoVertex) continue;
        indices.insert(made[i]);
        edges.push_back(EdgeUpdate::insert(anchors[i], made[i]));
      }
      EXPECT_TRUE(indices == std::set<VertexId>(next.begin(), next.end()));
      batches.apply({.new_vertices = kReserved, .edges = edges});
      EXPECT_EQ(graph.vertices(), batches.vertices());
      expect_equal(graph.to_csr(), batches.to_csr());
      expect_both_lists(graph);
      // Of some that are reserved, few are inserted; the others do not exist.
      {
        LiveChanges again = graph.change_in_kernels({.reserve_vertices = 100});
        EXPECT_EQ(grow_on_device(again.lists(), {20, 21}).size(), 2u);
      }
      EXPECT_EQ(graph.vertices(), 1000 - 3 + kReserved + 2);
      const std::vector<EdgeUpdate> beyond{EdgeUpdate::insert(20, graph.vertices())};
      expect_error(ErrorCode::Usage, [&] { graph.apply({.edges = beyond}); });
      graph.apply({.new_vertices = 1, .edges = beyond});
    }
}

/// Fills memory of the device that is then free again: what is never written is seen.
void leave_bytes(const Context& ctx) {
  for (std::size_t bytes = 256; bytes <= std::size_t{1} << 20; bytes *= 2) {
    const Array<std::uint8_t> old(bytes, ctx.devices()[0].memory());
    ASSERT_EQ(cudaMemset(const_cast<std::uint8_t*>(old.data()), 0x3a, bytes), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
}

TEST(GpuLiveMemory, AFirstPhaseThatIsRefusedLeavesTheNextAsIfItWereTheFirst) {
  if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
  for (const DynamicLayoutKind layout :
       {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim, DynamicLayoutKind::Aim}) {
    const Context ctx = small_gpu();
    DynamicGraphOptions wanted = small();
    wanted.layout = layout;
    wanted.memory = std::size_t{1} << 20;
    DynamicGraph graph(ctx, wanted), batches(ctx, small(wanted));
    for (DynamicGraph* g : {&graph, &batches}) g->apply({.new_vertices = 200});
    leave_bytes(ctx);
    expect_error(ErrorCode::DoesNotFit,
                 [&] { graph.change_in_kernels({.reserve = std::size_t{1} << 21}); });
    const auto updates = drawn(9, 200, 3000, true);
    LiveChanges changing = graph.change_in_kernels({.reserve = std::size_t{1} << 19});
    change_on_device(changing.lists(), updates, LiveLanes::Warp);
    EXPECT_EQ(changing.finish().no_memory, 0u);
    batches.apply({.edges = updates});
    expect_equal(graph.to_csr(), batches.to_csr());
  }
}

TEST(GpuLiveMemory, PhasesThatTakeAndGiveDoNotGrow) {
  if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
  const Context ctx = small_gpu();
  for (const DynamicLayoutKind layout :
       {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim, DynamicLayoutKind::Aim}) {
    DynamicGraphOptions wanted = small();
    wanted.layout = layout;
    DynamicGraph graph(ctx, wanted);
    graph.apply({.new_vertices = kMany});
    auto updates = drawn(8, kMany, 50000, true);
    std::size_t pages = 0, reserved = 0;
    for (int round = 0; round < 12; ++round) {
      for (EdgeUpdate& e : updates) e.deletion = round % 2 == 1;
      LiveChanges changing = graph.change_in_kernels({.reserve = std::size_t{1} << 22});
      change_on_device(changing.lists(), updates, LiveLanes::Warp);
      EXPECT_EQ(changing.finish().no_memory, 0u);
      const DynamicMemory memory = graph.memory();
      if (round == 1) pages = memory.page_bytes, reserved = memory.reserved_bytes;
      if (round % 2 == 1) {
        EXPECT_EQ(graph.edges(), 0u);
        EXPECT_EQ(memory.page_bytes, layout == DynamicLayoutKind::Aim ? pages : 0u);
        EXPECT_LE(memory.reserved_bytes, reserved + reserved / 4 + (std::size_t{16} << 20));
      }
    }
  }
}

}  // namespace
}  // namespace fathom::testing
