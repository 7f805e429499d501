// A search that leaves the fused run at every second superstep.
#include <gtest/gtest.h>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "tests/cuda/configurations.hpp"
#include "tests/suites/layered_graph.hpp"

namespace fathom {
namespace {

using testing::LayeredGraph;

TEST(GpuSmallSupersteps, LeaveTogetherAtEveryLongList) {
  if (!testing::gpu_present()) GTEST_SKIP() << "no GPU";
  const Context ctx = Context::cuda({});
  for (const std::uint32_t width : {6u, 200u, 3000u}) {
    const LayeredGraph layers(120, width, width);
    const std::vector<std::uint32_t> expected = testing::depths_of(layers);
    const CsrView csr{layers.vertices(), layers.target.size(), layers.offset.data(),
                      layers.target.data(), nullptr};
    const Graph graph = make_graph(ctx, csr, nullptr, true);
    for (int round = 0; round < 20; ++round) {
      BfsOptions options;
      options.direction = Direction::Push;
      const BfsResult result = bfs(ctx, graph, std::vector<VertexId>{0}, options);
      std::uint32_t fused = 0;
      for (const auto& step : result.report.supersteps) fused += step.direction == "fused" ? 1 : 0;
      EXPECT_GT(fused, 20u);
      ASSERT_TRUE(std::equal(result.depth.begin(), result.depth.end(), expected.begin()))
          << "width " << width << ", round " << round;
    }
  }
}

}  // namespace
}  // namespace fathom
