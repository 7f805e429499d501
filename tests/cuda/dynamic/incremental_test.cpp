// Results that follow a graph in the memory of a GPU. Skipped without a device.
#include "tests/cuda/dynamic/dynamic_gpu.hpp"
#include "tests/cuda/dynamic/live_kernels.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/incremental_suite.hpp"
#include "tests/suites/long_graphs.hpp"

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
TEST_P(GpuIncrementalResults, AreRightForComponentsOfLongGraphs) {
  expect_components_of_long_graphs(Context::cuda(), FollowBy::Auto);
}
TEST_P(GpuIncrementalResults, AreRightWhereManyVerticesBecomeOne) {
  expect_right_results_of_joined_vertices(Context::cuda(), FollowBy::Auto);
}

TEST_P(GpuIncrementalResults, AreRefusedToLoopsOnTheHost) {
  Following f(Context::cuda(), GetParam(), 1);
  expect_error(
      ErrorCode::Usage, [&] { IncrementalComponents(f.graph(), FollowBy::Host); }, "GPU's");
}

using Rows = std::vector<std::vector<std::size_t>>;

Rows edges_of(const AppliedBatch& batch) {
  Rows rows;
  for (const ChangedEdge& e : batch.edges())
    rows.push_back({e.source, e.target, e.before, e.after});
  return rows;
}
Rows lists_of(const AppliedBatch& batch) {
  Rows rows;
  for (const ChangedList& l : batch.lists())
    rows.push_back({l.source, l.before, l.after, l.first, l.last});
  return rows;
}

/// A graph in the GPU's memory and one on the host tell the same of batches that come from the
/// memory of either.
TEST_P(GpuIncrementalResults, ABatchIsRecordedOnTheGpuAsOnTheHost) {
  const Context gpu = Context::cuda(), host = Context::cpu();
  for (const auto& [directed, in_edges] : {std::pair{false, false}, {true, true}, {true, false}})
    for (const DuplicatePolicy duplicates : {DuplicatePolicy::Ignore, DuplicatePolicy::Keep}) {
      const DynamicGraphOptions options{.directed = directed,
                                        .in_edges = in_edges,
                                        .duplicates = duplicates,
                                        .memory = 1 << 26,
                                        .most_vertices = 1000};
      DynamicGraph graph(gpu, options), twin(host, options);
      zoo::Dice dice(4);
      for (int b = 0; b < 12; ++b) {
        std::vector<EdgeUpdate> updates;
        for (int i = 0; i < (b % 4 == 3 ? 3 : 500); ++i)
          updates.push_back(
              {dice.roll(900), dice.roll(900) % (b % 3 == 0 ? 7 : 900), 1, dice.roll(3) == 0});
        GraphBatch batch{.new_vertices = b == 0 ? 900u : 0u, .edges = updates};
        std::vector<VertexId> gone;
        if (b % 5 == 4) gone = {VertexId(b), VertexId(b + 100)};
        for (EdgeUpdate& e : updates)  // from the first deletion on of nobody that goes, or went
          for (VertexId* const v : {&e.source, &e.target})
            if (b >= 4 && *v % 100 < 20) *v += 20;
        batch.deleted_vertices = gone;
        const AppliedBatch known = twin.apply_recorded(batch);
        Array<EdgeUpdate> there(updates.size(), gpu.devices()[0].memory());
        if (b % 2 == 0) {
          gpu.copy(there.data(), updates.data(), updates.size() * sizeof(EdgeUpdate));
          batch.edges = {there.data(), there.size()};
          batch.edges_on_device = true;
        }
        const AppliedBatch mine = graph.apply_recorded(batch);
        ASSERT_EQ(mine.changed_edges(), known.changed_edges());
        ASSERT_EQ(edges_of(mine), edges_of(known));
        ASSERT_EQ(lists_of(mine), lists_of(known));
      }
      EXPECT_EQ(graph.apply_recorded({}).changed_edges(), 0u);
    }
}
INSTANTIATE_TEST_SUITE_P(Graphs, GpuIncrementalResults,
                         ::testing::Values(followed_graphs().front()),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace fathom::testing
