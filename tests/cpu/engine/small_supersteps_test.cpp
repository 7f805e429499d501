// Small supersteps in one run of a team whose threads go on in orders that are drawn: searches
// through graphs in which every other superstep has a list that is too long for it, or parts find
// more than they have room for.
#include "fathom/ops/small_supersteps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/cpu/packed/packed_case.hpp"
#include "tests/suites/fiber_lanes.hpp"
#include "tests/suites/layered_graph.hpp"

namespace fathom {
namespace {

using testing::depths_of;
using testing::Fibers;
using testing::LayeredGraph;

constexpr std::uint32_t kParts = kSmallParts;
constexpr std::uint32_t kMostVertices = 40;     // of a superstep in the run
constexpr std::uint64_t kMostSwitches = 50000;  // of a fiber
constexpr std::uint32_t kFar = testing::kNoDepth;

/// A fiber of a team that meets at a barrier. Its parts have room for so many vertices, and are of
/// 4 fibers that go on alone, or of a warp.
template <std::uint32_t kRoom, bool kWarps>
struct FiberTeam {
  static constexpr std::uint32_t kOfPart = kWarps ? 32 : 4, kTeam = kParts * kOfPart;
  using Part = SmallPart<EdgeCursor, kRoom>;
  struct Meeting {
    std::uint32_t arrived = 0, round = 0;
  };
  std::uint32_t me;
  Fibers::Lanes warp;
  Meeting* meeting;
  Part* parts;

  std::uint32_t rank() const { return me; }
  std::uint32_t size() const { return kTeam; }
  std::uint32_t part_rank() const { return kWarps ? me % kOfPart : me / kParts; }
  std::uint32_t part_size() const { return kOfPart; }
  Part& mine() const { return parts[kWarps ? me / kOfPart : me % kParts]; }
  const Part& part(std::uint32_t p) const { return parts[p]; }
  SmallWords words(std::uint32_t i) const {
    SmallWords words;
    for (std::uint32_t p = 0; p < kParts; ++p) {
      Fibers::interleave();
      words.of[p].word = parts[p].word[i];
    }
    return words;
  }
  const Fibers::Lanes& lanes() const { return warp; }
  bool any(bool b) const { return kWarps ? warp.ballot(b) != 0 : b; }
  std::uint32_t claim(std::uint32_t& word, bool one) const {
    Fibers::interleave();
    return one ? AtomicRef(word).fetch_add(1u) : 0;
  }
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
  bool may_take(VertexId v) const {
    Fibers::interleave();
    return depth[v] == kFar;
  }
  bool take(VertexId, VertexId v) const {
    Fibers::interleave();
    if (depth[v] != kFar) return false;
    depth[v] = next;
    return true;
  }
};

/// A search that runs small supersteps where it can, and does one itself wherever a run ends.
/// `edges`: of the graph.
template <std::uint32_t kRoom, class E>
void search_by_runs(const LayeredGraph& graph, const E& edges, std::uint64_t seed,
                    std::uint32_t least_runs) {
  using Team = FiberTeam<kRoom, CollectiveView<E>>;
  const std::vector<std::uint32_t> expected = depths_of(graph);
  std::vector<std::uint32_t> depth(graph.vertices(), kFar);
  depth[0] = 0;
  std::vector<VertexId> now{0};
  std::uint32_t runs = 0;
  for (std::uint32_t level = 0; !now.empty();) {
    SCOPED_TRACE("level " + std::to_string(level));
    std::vector<typename Team::Part> parts(kParts);
    typename Team::Meeting meeting;
    SmallState state{};
    std::vector<VertexId> left;
    Fibers fibers(seed + level);
    const auto body = [&](std::uint32_t i, const Fibers::Lanes& warp) {
      walk_small_supersteps(
          Team{i, warp, &meeting, parts.data()}, edges, DepthPush{depth.data(), level + 1},
          now.data(), static_cast<std::uint32_t>(now.size()), kMostVertices, 1000,
          [&](VertexId v) { left.push_back(v); }, &state);
    };
    ASSERT_TRUE(fibers.run(Team::kTeam, kMostSwitches * Team::kTeam, body))
        << "threads wait for others that have left";
    runs += state.steps > 0 ? 1 : 0;
    level += state.steps;
    ASSERT_EQ(state.size, left.size());
    now = left;
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
    const auto is_long = [&](VertexId v) { return graph.degree(v) > kSmallList; };
    ASSERT_TRUE(now.size() > std::min(kMostVertices, kRoom) ||
                std::any_of(now.begin(), now.end(), is_long))
        << "a run ended for no reason";
    std::vector<VertexId> next;
    for (const VertexId u : now)
      for (EdgeId e = graph.offset[u]; e < graph.offset[u + 1]; ++e)
        if (DepthPush{depth.data(), level + 1}.take(u, graph.target[e]))
          next.push_back(graph.target[e]);
    now = next;
    ++level;
  }
  EXPECT_GE(runs, least_runs);
  EXPECT_EQ(depth, expected);
}

template <std::uint32_t kRoom>
void search_by_runs(const LayeredGraph& graph, std::uint64_t seed, std::uint32_t least_runs) {
  const YieldingEdges edges{{graph.offset.data(), graph.target.data()}};
  search_by_runs<kRoom>(graph, edges, seed, least_runs);
}

TEST(SmallSupersteps, LeaveTogetherAtALongListInAnyOrderOfThreads) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "fibers are not for sanitizers";
#endif
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    search_by_runs<100>(LayeredGraph(24, 30, seed), seed * 100, 6);
    if (HasFatalFailure()) return;
  }
}

TEST(SmallSupersteps, EndWithWhatIsTooWideForThem) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "fibers are not for sanitizers";
#endif
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    search_by_runs<100>(LayeredGraph(30, 60, seed), seed * 100, 1);
    if (HasFatalFailure()) return;
  }
}

TEST(SmallSupersteps, EndWithWhatAPartHasNoRoomFor) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "fibers are not for sanitizers";
#endif
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    search_by_runs<4>(LayeredGraph(24, 30, seed), seed * 100, 6);
    if (HasFatalFailure()) return;
  }
}

TEST(SmallSupersteps, AreWalkedByWarpsWhereListsArePacked) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "fibers are not for sanitizers";
#endif
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const LayeredGraph graph(24, 30, seed);
    testing::PackedCase lists;
    lists.hold(graph.offset, graph.target);
    search_by_runs<100>(graph, lists.view(), seed * 100, 6);
    if (HasFatalFailure()) return;
    search_by_runs<12>(graph, lists.view(), seed * 100, 1);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace fathom
