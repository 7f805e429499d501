// The bodies shared with the CPU executor do the same on a GPU. Skipped without a device.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cpu/engine/sample_graph.hpp"
#include "tests/cuda/shared_bodies.hpp"

namespace fathom {
namespace {

using testing::Layout;

class SharedBodies : public ::testing::TestWithParam<std::tuple<Layout, bool>> {};

TEST_P(SharedBodies, WalkListsOnADeviceAsOnTheHost) {
  if (!testing::device_present()) GTEST_SKIP() << "no CUDA device";
  Csr csr = testing::sample_graph(2000, 9, 21);
  for (VertexId v = 0; v < csr.vertices(); ++v) {  // distinct targets: positions are unambiguous
    VertexId* list = csr.target.data() + csr.offset[v];
    for (EdgeId i = 0; i < csr.view().degree(v); ++i)
      list[i] = static_cast<VertexId>((v + 1 + 7 * i) % csr.vertices());
  }
  const auto [layout, warp] = GetParam();
  const testing::DeviceRun run = testing::walk_on_device(csr.view(), layout, warp);

  EXPECT_EQ(std::count(run.visits.begin(), run.visits.end(), 1u),
            static_cast<std::ptrdiff_t>(csr.edges()));
  std::vector<Weight> least(csr.vertices(), 1e30f);
  std::uint64_t odd = 0;
  for (VertexId u = 0; u < csr.vertices(); ++u) {
    double sum = 0;
    for (EdgeId e = csr.offset[u]; e < csr.offset[u + 1]; ++e) {
      sum += csr.weight[e];
      least[csr.target[e]] = std::min(least[csr.target[e]], csr.weight[e]);
      odd += csr.target[e] % 2;
    }
    EXPECT_EQ(run.weight_sum[u], sum) << u;
  }
  EXPECT_EQ(run.least, least);
  EXPECT_EQ(run.kept, odd);
}

INSTANTIATE_TEST_SUITE_P(Gpu, SharedBodies,
                         ::testing::Combine(::testing::Values(Layout::Flat, Layout::Interleaved,
                                                              Layout::Paged),
                                            ::testing::Bool()));

}  // namespace
}  // namespace fathom
