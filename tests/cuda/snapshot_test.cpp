// Snapshots of graphs that change on a GPU, read through other contexts while batches are applied.
// Skipped without a device.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "fathom/fathom.hpp"
#include "tests/cuda/configurations.hpp"
#include "tests/suites/zoo_csr.hpp"

namespace fathom::testing {
namespace {

constexpr VertexId kPeople = 1u << 15;

std::vector<EdgeUpdate> some_updates(zoo::Dice& dice, std::size_t count) {
  std::vector<EdgeUpdate> updates;
  for (std::size_t i = 0; i < count; ++i) {
    const VertexId u = i % 8 == 0 ? dice.roll(4) : dice.roll(kPeople);
    updates.push_back({u, dice.roll(kPeople), 1, dice.roll(3) == 0});
  }
  return updates;
}

CudaOptions a_gpu() {
  CudaOptions options;
  options.device_memory = std::size_t{2} << 30;
  return options;
}

class GpuSnapshots : public ::testing::TestWithParam<DynamicLayoutKind> {
 protected:
  void SetUp() override {
    if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
  }
};

TEST_P(GpuSnapshots, AreReadByOtherContextsWhileBatchesAreApplied) {
  const Context writer = Context::cuda(a_gpu());
  DynamicGraphOptions options;
  options.layout = GetParam();
  options.memory = std::size_t{1} << 28;
  options.most_vertices = 1u << 20;
  DynamicGraph graph(writer, options);
  zoo::Dice dice(11);
  graph.apply({kPeople, some_updates(dice, 200000), {}});
  std::atomic<bool> enough{false};
  std::atomic<int> analyses{0};
  std::vector<std::jthread> readers;
  for (int r = 0; r < 2; ++r)
    readers.emplace_back([&] {
      const Context mine = Context::cuda(a_gpu());
      while (!enough || analyses < 6) {
        const Snapshot shot = graph.snapshot();
        const Graph lists = shot.graph();
        PagerankOptions ten;
        ten.max_iterations = 10;
        ten.tolerance = 1e-30;
        ten.in_place = false;  // which differs from run to run
        const PagerankResult first = pagerank(mine, lists, ten);
        const BfsResult search = bfs(mine, lists, {{VertexId{0}}});
        // Once more through a graph of its own, whose sums of degrees are made again.
        const PagerankResult second = pagerank(mine, shot.graph(), ten);
        double off = 0;
        for (VertexId v = 0; v < shot.vertices(); ++v)
          off += std::abs(first.rank[v] - second.rank[v]);
        EXPECT_LT(off, 1e-6) << "after " << shot.batches() << " batches";
        const BfsResult again = bfs(mine, shot.graph(), {{VertexId{0}}});
        EXPECT_TRUE(std::ranges::equal(search.depth, again.depth))
            << "after " << shot.batches() << " batches";
        ++analyses;
      }
    });
  for (int b = 0; b < 60; ++b) graph.apply({0, some_updates(dice, 20000), {}});
  enough = true;
  readers.clear();
  EXPECT_EQ(graph.memory().snapshot_bytes, 0u);
}

INSTANTIATE_TEST_SUITE_P(Layouts, GpuSnapshots,
                         ::testing::Values(DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim,
                                           DynamicLayoutKind::Aim));

}  // namespace
}  // namespace fathom::testing
