// Small supersteps in one run of a team whose threads go on in orders that are drawn: searches
// through graphs in which every other superstep has a list that is too long for it.
#include "fathom/ops/small_supersteps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/suites/fiber_lanes.hpp"
#include "tests/suites/layered_graph.hpp"

namespace fathom {
namespace {

using testing::depths_of;
using testing::Fibers;
using testing::LayeredGraph;

constexpr std::uint32_t kTeam = 24;
constexpr std::uint32_t kMostVertices = 40;  // of a superstep in the run
constexpr std::uint64_t kMostSwitches = 200000;
constexpr std::uint32_t kFar = testing::kNoDepth;

/// A fiber of a team that meets at a barrier.
struct FiberTeam {
  struct Meeting {
    std::uint32_t arrived = 0, round = 0;
  };
  std::uint32_t me;
  Meeting* meeting;

  std::uint32_t rank() const { return me; }
  std::uint32_t size() const { return kTeam; }
  void barrier() const {
    const std::uint32_t round = meeting->round;
    if (++meeting->arrived == kTeam) {
      meeting->arrived = 0;
      ++meeting->round;
    }
    while (meeting->round == round) Fibers::wait();
  }
};

/// Flat lists; another thread may go on whenever one is looked up.
struct YieldingEdges : FlatEdges {
  Cursor begin(VertexId v) const {
    Fibers::interleave();
    return FlatEdges::begin(v);
  }
};

struct DepthPush {
  std::uint32_t* depth;
  std::uint32_t next;
  DepthPush at(std::uint32_t k) const { return {depth, next + k}; }
  bool visit(VertexId, VertexId v, Weight) const {
    Fibers::interleave();
    if (depth[v] != kFar) return false;
    depth[v] = next;
    return true;
  }
};

/// A search that runs small supersteps where it can, and does one itself wherever a run ends.
void search_by_runs(const LayeredGraph& graph, std::uint64_t seed, std::uint32_t least_runs) {
  const std::vector<std::uint32_t> expected = depths_of(graph);
  std::vector<std::uint32_t> depth(graph.vertices(), kFar);
  depth[0] = 0;
  std::vector<VertexId> now{0};
  std::uint32_t runs = 0;
  const YieldingEdges edges{{graph.offset.data(), graph.target.data()}};
  for (std::uint32_t level = 0; !now.empty();) {
    SCOPED_TRACE("level " + std::to_string(level));
    std::vector<VertexId> lists[2];
    for (auto& list : lists) list.resize(std::size_t{kMostVertices} * kSmallList);
    SmallState state{};
    const auto is_long = [&](VertexId v) { return graph.degree(v) > kSmallList; };
    std::copy(now.begin(), now.end(), lists[0].begin());
    state.size[0] = static_cast<std::uint32_t>(now.size());
    state.has_long[0] = std::any_of(now.begin(), now.end(), is_long) ? 1 : 0;
    FiberTeam::Meeting meeting;
    Fibers fibers(seed + level);
    ASSERT_TRUE(fibers.run(kTeam, kMostSwitches, [&](std::uint32_t i, const Fibers::Lanes&) {
      walk_small_supersteps(FiberTeam{i, &meeting}, edges, DepthPush{depth.data(), level + 1},
                            lists[0].data(), lists[1].data(), &state, kMostVertices, 1000);
    })) << "threads wait for others that have left";
    runs += state.steps > 0 ? 1 : 0;
    level += state.steps;
    const std::vector<VertexId>& list = lists[state.steps % 2];
    now.assign(list.begin(), list.begin() + state.size[state.steps % 3]);
    std::sort(now.begin(), now.end());
    std::vector<VertexId> frontier;
    for (VertexId v = 0; v < graph.vertices(); ++v) {
      if (expected[v] == level) frontier.push_back(v);
      if (expected[v] <= level) {
        ASSERT_EQ(depth[v], expected[v]) << "vertex " << v;
      }
    }
    ASSERT_EQ(now, frontier);
    if (now.empty()) break;
    ASSERT_TRUE(now.size() > kMostVertices || std::any_of(now.begin(), now.end(), is_long))
        << "a run ended for no reason";
    std::vector<VertexId> next;
    for (const VertexId u : now)
      for (EdgeId e = graph.offset[u]; e < graph.offset[u + 1]; ++e)
        if (DepthPush{depth.data(), level + 1}.visit(u, graph.target[e], 1))
          next.push_back(graph.target[e]);
    now = next;
    ++level;
  }
  EXPECT_GE(runs, least_runs);
  EXPECT_EQ(depth, expected);
}

TEST(SmallSupersteps, LeaveTogetherAtALongListInAnyOrderOfThreads) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "fibers are not for sanitizers";
#endif
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    search_by_runs(LayeredGraph(24, 30, seed), seed * 100, 6);
    if (HasFatalFailure()) return;
  }
}

TEST(SmallSupersteps, EndWithWhatIsTooWideForThem) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "fibers are not for sanitizers";
#endif
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    search_by_runs(LayeredGraph(30, 60, seed), seed * 100, 1);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace fathom
