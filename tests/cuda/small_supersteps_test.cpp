// A search that leaves the fused run at every second superstep.
#include <gtest/gtest.h>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "tests/cuda/configurations.hpp"
#include "tests/suites/layered_graph.hpp"

namespace fathom {
namespace {

using testing::LayeredGraph;

struct Layers {
  std::uint32_t count, width;
  int searches;
};

class GpuSmallSupersteps : public ::testing::TestWithParam<Layers> {};

TEST_P(GpuSmallSupersteps, LeaveTogetherAtEveryLongList) {
  if (!testing::gpu_present()) GTEST_SKIP() << "no GPU";
  const Context ctx = Context::cuda({});
  const auto [count, width, searches] = GetParam();
  const LayeredGraph layers(count, width, width);
  const std::vector<std::uint32_t> expected = testing::depths_of(layers);
  const CsrView csr{layers.vertices(), layers.target.size(), layers.offset.data(),
                    layers.target.data(), nullptr};
  const Graph graph = make_graph(ctx, csr, nullptr, true);
  for (int search = 0; search < searches; ++search) {
    BfsOptions options;
    options.direction = Direction::Push;
    const BfsResult result = bfs(ctx, graph, std::vector<VertexId>{0}, options);
    std::uint32_t fused = 0;
    for (const auto& step : result.report.supersteps) fused += step.direction == "fused" ? 1 : 0;
    EXPECT_GT(fused, count / 6);
    ASSERT_TRUE(std::equal(result.depth.begin(), result.depth.end(), expected.begin()))
        << "search " << search;
  }
}

// The first two are for racecheck, which did not come to the end of the others in two minutes.
INSTANTIATE_TEST_SUITE_P(, GpuSmallSupersteps,
                         ::testing::Values(Layers{24, 6, 1}, Layers{24, 200, 1}, Layers{120, 6, 20},
                                           Layers{120, 200, 20}, Layers{120, 3000, 20}),
                         [](const auto& test) {
                           return std::to_string(test.param.count) + "_of_" +
                                  std::to_string(test.param.width);
                         });

}  // namespace
}  // namespace fathom
