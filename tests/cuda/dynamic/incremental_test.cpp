// Results that follow a graph in the memory of a GPU. Skipped without a device.
#include "tests/cuda/dynamic/dynamic_gpu.hpp"
#include "tests/cuda/dynamic/live_kernels.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/incremental_suite.hpp"

namespace fathom::testing {
namespace {

class GpuIncremental : public ::testing::TestWithParam<FollowedGraph> {
 protected:
  void SetUp() override {
    if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
  }
};

TEST_P(GpuIncremental, LevelsAreThoseOfASearch) {
  Following f(Context::cuda(), GetParam(), 11);
  expect_levels_of_a_search(f, GetParam());
}
TEST_P(GpuIncremental, ComponentsAreThoseOfASearch) {
  Following f(Context::cuda(), GetParam(), 12);
  expect_components_of_a_search(f, GetParam());
}
TEST_P(GpuIncremental, RanksAreWithinTheTolerance) {
  Following f(Context::cuda(), GetParam(), 13);
  expect_ranks_within_tolerance(f, GetParam());
}
TEST_P(GpuIncremental, ResultsAreRightAfterPhasesAndBatchesThatWereNotRecorded) {
  Following f(Context::cuda(), GetParam(), 14);
  expect_right_results_after_what_is_not_recorded(
      f, GetParam().by, [](const LiveLists& lists, const std::vector<EdgeUpdate>& edges) {
        change_on_device(lists, edges, LiveLanes::Warp);
      });
}
INSTANTIATE_TEST_SUITE_P(Graphs, GpuIncremental, ::testing::ValuesIn(followed_graphs()),
                         [](const auto& param) { return param.param.name; });

class GpuIncrementalResults : public GpuIncremental {};

TEST_P(GpuIncrementalResults, AreComputedAnewWhereThatTakesLess) {
  expect_right_results_of_a_path(Context::cuda(), FollowBy::Auto);
  expect_right_results_of_a_wheel(Context::cuda(), FollowBy::Auto);
}
TEST_P(GpuIncrementalResults, AreRightWhereManyVerticesBecomeOne) {
  expect_right_results_of_joined_vertices(Context::cuda(), FollowBy::Auto);
}

TEST_P(GpuIncrementalResults, AreRefusedToLoopsOnTheHost) {
  Following f(Context::cuda(), GetParam(), 1);
  expect_error(
      ErrorCode::Usage, [&] { IncrementalComponents(f.graph(), FollowBy::Host); }, "GPU's");
}

/// The same batches from the memory of either.
TEST_P(GpuIncrementalResults, ABatchInTheGpusMemoryIsRecordedAsOneOfTheHost) {
  const Context gpu = Context::cuda(), host = Context::cpu();
  DynamicGraph graph(gpu, {.directed = false, .memory = 1 << 26, .most_vertices = 1000});
  DynamicGraph twin(host, {.directed = false, .memory = 1 << 26, .most_vertices = 1000});
  zoo::Dice dice(4);
  for (int b = 0; b < 5; ++b) {
    std::vector<EdgeUpdate> updates;
    for (int i = 0; i < 500; ++i)
      updates.push_back({dice.roll(900), dice.roll(900), 1, dice.roll(3) == 0});
    Array<EdgeUpdate> there(updates.size(), gpu.devices()[0].memory());
    gpu.copy(there.data(), updates.data(), updates.size() * sizeof(EdgeUpdate));
    const VertexId fresh = b == 0 ? 900 : 0;
    const AppliedBatch mine = graph.apply_recorded({fresh, {there.data(), there.size()}, {}, true});
    const AppliedBatch known = twin.apply_recorded({fresh, updates, {}});
    ASSERT_EQ(mine.edge.size(), known.edge.size());
    for (std::size_t i = 0; i < mine.edge.size(); ++i) {
      ASSERT_EQ(mine.edge[i].source, known.edge[i].source);
      ASSERT_EQ(mine.edge[i].target, known.edge[i].target);
      ASSERT_EQ(mine.edge[i].before, known.edge[i].before);
      ASSERT_EQ(mine.edge[i].after, known.edge[i].after);
    }
    ASSERT_EQ(mine.list.size(), known.list.size());
    for (std::size_t i = 0; i < mine.list.size(); ++i) {
      ASSERT_EQ(mine.list[i].before, known.list[i].before);
      ASSERT_EQ(mine.list[i].after, known.list[i].after);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Graphs, GpuIncrementalResults,
                         ::testing::Values(followed_graphs().front()),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace fathom::testing
