// Shortest paths through windows that follow each other on a GPU, and through what is too large for
// its kernel: certificates, and edges that are not visited much more often than they must be.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/ops/cuda/windows.hpp"
#include "tests/cuda/configurations.hpp"

namespace fathom {
namespace {

/// Lists by source, from edges in any order.
struct Lists {
  std::vector<EdgeId> offset;
  std::vector<VertexId> target;
  std::vector<Weight> weight;

  struct Edge {
    VertexId from, to;
    Weight weight;
  };
  Lists(VertexId vertices, const std::vector<Edge>& edges)
      : offset(vertices + std::size_t{1}, 0), target(edges.size()), weight(edges.size()) {
    for (const Edge& e : edges) ++offset[e.from + std::size_t{1}];
    for (std::size_t v = 0; v < vertices; ++v) offset[v + 1] += offset[v];
    std::vector<EdgeId> at(offset.begin(), offset.end() - 1);
    for (const Edge& e : edges) {
      target[at[e.from]] = e.to;
      weight[at[e.from]++] = e.weight;
    }
  }
  CsrView view() const {
    return {static_cast<VertexId>(offset.size() - 1), target.size(), offset.data(), target.data(),
            weight.data()};
  }
};

SsspResult search(const Lists& lists, const SsspOptions& options = {}) {
  const Context ctx = Context::cuda({});
  const Context host = Context::cpu();
  const Graph graph = make_graph(ctx, lists.view(), nullptr, true);
  const Graph on_host = make_graph(host, lists.view(), nullptr, true);
  SsspResult result = sssp(ctx, graph, 0, options);
  verify_sssp(host, on_host, 0, result, options);
  return result;
}

std::size_t steps_of(const SsspResult& result, const std::string& direction) {
  std::size_t count = 0;
  for (const auto& step : result.report.supersteps) count += step.direction == direction ? 1 : 0;
  return count;
}

std::uint64_t edges_of(const SsspResult& result) {
  std::uint64_t sum = 0;
  for (const auto& step : result.report.supersteps) sum += step.edges;
  return sum;
}

class GpuWindows : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::gpu_present()) GTEST_SKIP() << "no GPU";
  }
};

TEST_F(GpuWindows, FollowEachOtherThroughAGrid) {
  constexpr VertexId kSide = 300;
  std::mt19937 random(1);
  std::vector<Lists::Edge> edges;
  const auto both = [&](VertexId u, VertexId v) {
    const auto weight = static_cast<Weight>(1 + random() % 255);
    edges.push_back({u, v, weight});
    edges.push_back({v, u, weight});
  };
  for (VertexId y = 0; y < kSide; ++y)
    for (VertexId x = 0; x < kSide; ++x) {
      if (x + 1 < kSide) both(y * kSide + x, y * kSide + x + 1);
      if (y + 1 < kSide) both(y * kSide + x, y * kSide + x + kSide);
    }
  const Lists lists(kSide * kSide, edges);
  for (const SsspPrecision precision : {SsspPrecision::Float, SsspPrecision::Double}) {
    const SsspResult result = search(lists, {.precision = precision});
    EXPECT_EQ(result.reached, kSide * kSide);
    EXPECT_EQ(result.report.supersteps.size(), 1u);
    EXPECT_LT(edges_of(result), 4 * edges.size());  // one window for all visits 30 times as many
  }
}

TEST_F(GpuWindows, LeaveLongListsToOtherKernels) {
  // Each hub is found through a path, and has more edges than a window walks.
  constexpr VertexId kLeaves = static_cast<VertexId>(kLongestList) + 100;
  constexpr VertexId kHubs = 4;
  std::vector<Lists::Edge> edges;
  for (VertexId h = 0; h < kHubs; ++h) {
    const VertexId hub = h * (kLeaves + 1);
    for (VertexId leaf = 1; leaf <= kLeaves; ++leaf)
      edges.push_back({hub, hub + leaf, static_cast<Weight>(leaf % 50)});
    if (h + 1 < kHubs) edges.push_back({hub + kLeaves, hub + kLeaves + 1, 3});
  }
  const SsspResult result = search(Lists(kHubs * (kLeaves + 1), edges));
  EXPECT_EQ(result.reached, kHubs * (kLeaves + 1));
  EXPECT_GE(steps_of(result, "window"), kHubs);
  EXPECT_GE(steps_of(result, "fused"), kHubs);
}

TEST_F(GpuWindows, LeaveWhatIsTooWideToOtherKernels) {
  // Three layers, each with more vertices than a list of near ones has room for.
  constexpr VertexId kLayer = cuda::kMostNear * 3;
  constexpr VertexId kFans = 64;
  std::vector<Lists::Edge> edges;
  for (VertexId fan = 0; fan < kFans; ++fan) edges.push_back({0, 1 + fan, 1});
  for (VertexId v = 0; v < kLayer; ++v) {
    edges.push_back({1 + v % kFans, 1 + kFans + v, 1});
    edges.push_back({1 + kFans + v, 1 + kFans + kLayer + v, static_cast<Weight>(1 + v % 3)});
    edges.push_back({1 + kFans + kLayer + v, 1 + kFans + (v * 7 + 1) % kLayer, 0});
  }
  const VertexId vertices = 1 + kFans + 2 * kLayer;
  for (const double delta : {0., 2., 1e6}) {
    const SsspResult result = search(Lists(vertices, edges), {.delta = delta});
    EXPECT_EQ(result.reached, vertices);
    EXPECT_GE(steps_of(result, "window"), 2u);
  }
}

TEST_F(GpuWindows, EndWhereNothingIsReached) {
  EXPECT_EQ(search(Lists(1, {})).reached, 1u);
  EXPECT_EQ(search(Lists(100, {{0, 0, 0}, {5, 6, 1}})).reached, 1u);
  const SsspResult far = search(Lists(3, {{0, 1, 3e38f}, {1, 2, 3e38f}}));  // a sum that overflows
  EXPECT_EQ(far.reached, 2u);
}

TEST_F(GpuWindows, RefuseANegativeWeight) {
  EXPECT_THROW(search(Lists(3, {{0, 1, 1}, {1, 2, -1}})), Error);
}

}  // namespace
}  // namespace fathom
