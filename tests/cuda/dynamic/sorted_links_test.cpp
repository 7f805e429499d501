// Linked lists that ascend over all of their pages in the memory of a GPU: those of the host, which
// searches that rely on their order find. Skipped without a device.
#include <tuple>
#include <vector>

#include "fathom/dynamic/live/live_changes.hpp"
#include "tests/cuda/dynamic/dynamic_gpu.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {
namespace {

constexpr VertexId kSortedVertices = 30000;

DynamicGraphOptions sorted_faim(std::uint32_t page_bytes, EdgeKind edges) {
  DynamicGraphOptions options = small();
  options.layout = DynamicLayoutKind::Faim;
  options.sorted_links = true;
  options.page_bytes = page_bytes;
  options.edges = edges;
  options.duplicates = DuplicatePolicy::Overwrite;
  return options;
}

/// Half of them of four hubs, whose lists have thousands of edges.
std::vector<EdgeUpdate> draw_updates(zoo::Dice& dice, std::size_t count, bool deletes) {
  std::vector<EdgeUpdate> updates;
  for (std::size_t i = 0; i < count; ++i) {
    const VertexId u = i % 2 == 0 ? dice.roll(4) : dice.roll(kSortedVertices);
    updates.push_back({u, dice.roll(kSortedVertices), static_cast<Weight>(dice.roll(100)),
                       deletes && dice.roll(2) == 0});
  }
  return updates;
}

/// All edges of the twin, and as many that may not be there.
void expect_found(const DynamicGraph& graph, const DynamicGraph& twin, zoo::Dice& dice) {
  const Csr lists = twin.to_csr();
  std::vector<Edge> asked;
  for (VertexId v = 0; v < kSortedVertices; ++v)
    for (EdgeId e = lists.offset[v]; e < lists.offset[v + std::size_t{1}]; ++e) {
      asked.push_back({v, lists.target[e]});
      asked.push_back({v, dice.roll(kSortedVertices)});
    }
  EXPECT_EQ(graph.has_edges(asked), twin.has_edges(asked));
}

using SortedSetting = std::tuple<UpdateStrategy, std::uint32_t, EdgeKind>;
class GpuSortedLinks : public ::testing::TestWithParam<SortedSetting> {
 protected:
  void SetUp() override {
    if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
  }
};

TEST_P(GpuSortedLinks, AreThoseOfTheHostAfterAnyBatches) {
  const Context ctx = small_gpu(), host = Context::cpu();
  const auto [strategy, page_bytes, edges] = GetParam();
  DynamicGraphOptions options = sorted_faim(page_bytes, edges), unsorted = options;
  options.strategy = strategy;
  unsorted.sorted_links = false;
  DynamicGraph graph(ctx, options), twin(host, unsorted);
  zoo::Dice dice(page_bytes);
  constexpr std::size_t kCounts[] = {60000, 60000, 300, 20000, 1};
  for (std::size_t b = 0; b < std::size(kCounts); ++b) {
    SCOPED_TRACE(b);
    const std::vector<EdgeUpdate> updates = draw_updates(dice, kCounts[b], b > 0);
    const VertexId fresh = b == 0 ? kSortedVertices : 0;
    std::vector<Snapshot> shots;
    if (b == 3) shots = {graph.snapshot(), twin.snapshot()};
    expect_same_report(graph.apply({fresh, updates, {}}), twin.apply({fresh, updates, {}}));
    expect_equal(graph.to_csr(), twin.to_csr());
    expect_found(graph, twin, dice);
    EXPECT_EQ(graph.memory().page_bytes, twin.memory().page_bytes);
    ASSERT_FALSE(HasFailure());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Strategies, GpuSortedLinks,
    ::testing::Combine(::testing::Values(UpdateStrategy::Auto, UpdateStrategy::Update,
                                         UpdateStrategy::Warp, UpdateStrategy::Vertex),
                       ::testing::Values(32u, 128u, 1024u),
                       ::testing::Values(EdgeKind::Simple, EdgeKind::Semantic)));

TEST(GpuSortedLinksOptions, KernelsDoNotChangeThem) {
  if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
  const Context ctx = small_gpu();
  DynamicGraph graph(ctx, sorted_faim(64, EdgeKind::Simple));
  expect_error(
      ErrorCode::Usage, [&] { graph.change_in_kernels({}); }, "batches alone");
}

}  // namespace
}  // namespace fathom::testing
