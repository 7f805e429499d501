// What the link model walks and records, pattern by pattern; and the model of unified memory.
#include "fathom/ops/link_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>
#include <tuple>
#include <vector>

#include "fathom/core/error.hpp"
#include "fathom/graph/edge_cdf.hpp"
#include "fathom/ops/page_model.hpp"

namespace fathom {
namespace {

constexpr Access kAccesses[] = {Access::Naive, Access::Merged, Access::Aligned};

/// Lists of all small lengths, some empty, and one that is longer than many warps.
struct Lists {
  std::vector<EdgeId> offset{0};
  std::vector<VertexId> target;

  Lists() {
    std::mt19937 random(7);
    for (VertexId v = 0; v < 200; ++v) {
      const EdgeId size = v == 77 ? 5000 : v % 70;
      for (EdgeId i = 0; i < size; ++i) target.push_back(static_cast<VertexId>(random() % 200));
      offset.push_back(target.size());
    }
  }
  CsrView view() const { return {200, target.size(), offset.data(), target.data()}; }
};

using Pairs = std::vector<std::pair<VertexId, VertexId>>;

struct Collect {
  Pairs* seen;
  bool visit(VertexId u, VertexId v, Weight) const {
    seen->emplace_back(u, v);
    return false;
  }
};

std::vector<VertexId> every_third(VertexId vertices) {
  std::vector<VertexId> active;
  for (VertexId v = 2; v < vertices; v += 3) active.push_back(v);  // 77 is one of them
  return active;
}

TEST(LinkModel, EveryPatternVisitsEachEdgeOfTheActiveVerticesOnce) {
  const Lists lists;
  const std::vector<VertexId> active = every_third(200);
  Pairs expected;
  for (const VertexId u : active)
    for (EdgeId e = lists.offset[u]; e < lists.offset[u + 1]; ++e)
      expected.emplace_back(u, lists.target[e]);
  std::sort(expected.begin(), expected.end());
  for (const Access access : kAccesses) {
    for (const std::uint32_t id_bytes : {4u, 8u}) {
      for (const std::uint32_t warps : {1u, 3u, 64u}) {
        Pairs seen;
        LinkModelOptions options;
        options.access = access;
        options.id_bytes = id_bytes;
        options.resident_warps = warps;
        LinkModel(lists.view(), options).superstep(active, Collect{&seen});
        std::sort(seen.begin(), seen.end());
        EXPECT_EQ(seen, expected);
      }
    }
  }
}

// With room for everything, each sector that a list touches crosses the link once, whoever asks.
TEST(LinkModel, EveryPatternMovesTheTouchedSectorsOnceWhenTheCacheHoldsAll) {
  const Lists lists;
  const std::vector<VertexId> active = every_third(200);
  for (const std::uint32_t id_bytes : {4u, 8u}) {
    std::vector<std::uint64_t> sectors;
    for (const VertexId u : active)
      for (EdgeId e = lists.offset[u]; e < lists.offset[u + 1]; ++e)
        sectors.push_back((8 + e * id_bytes) / 32);
    std::sort(sectors.begin(), sectors.end());
    sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
    for (const Access access : kAccesses) {
      Pairs seen;
      LinkModelOptions options{access, id_bytes};
      options.base = 8;
      options.cache_bytes = std::size_t{1} << 24;
      const RequestCounts counts =
          LinkModel(lists.view(), options).superstep(active, Collect{&seen});
      EXPECT_EQ(counts.bytes(), 32 * sectors.size());
    }
  }
}

TEST(LinkModel, SuperstepsAreIndependentAndRepeatable) {
  const Lists lists;
  for (const Access access : kAccesses) {
    Pairs seen;
    LinkModelOptions options;
    options.access = access;
    LinkModel model(lists.view(), options);
    const RequestCounts first = model.superstep(every_third(200), Collect{&seen});
    EXPECT_GT(first.total(), 0u);
    EXPECT_EQ(model.superstep(every_third(200), Collect{&seen}), first);
    EXPECT_EQ(model.superstep({}, Collect{&seen}), RequestCounts{});
  }
}

// Listing 1: neighbouring vertices are lanes of one warp, so short neighbouring lists can merge.
TEST(LinkModel, NaiveLanesOfAWarpMergeWhereTheirListsAdjoin) {
  const std::vector<EdgeId> offset{0, 8, 16, 24, 32};
  const std::vector<VertexId> target(32, 0);
  const CsrView lists{4, 32, offset.data(), target.data()};
  Pairs seen;
  const std::vector<VertexId> active{0, 1, 2, 3};
  const LinkModelOptions options{Access::Naive, 4};
  const RequestCounts counts = LinkModel(lists, options).superstep(active, Collect{&seen});
  EXPECT_EQ(counts.of_size, (std::array<std::uint64_t, 4>{0, 0, 0, 1}));
}

TEST(LinkModel, RefusesOptionsThatMakeNoSense) {
  const Lists lists;
  const auto refused = [&](auto change) {
    LinkModelOptions options;
    change(options);
    EXPECT_THROW(LinkModel(lists.view(), options), Error);
  };
  refused([](LinkModelOptions& o) { o.id_bytes = 6; });
  refused([](LinkModelOptions& o) { o.base = 2; });
  refused([](LinkModelOptions& o) { o.resident_warps = 0; });
}

TEST(RecordingLanes, IssueRoundByRoundWithoutMaskedLanes) {
  RecordingLanes lanes;
  lanes.end_round(0);  // masked
  lanes.load(0, 128);
  lanes.end_round(0);
  lanes.load(3, 64);
  lanes.end_round(3);
  const auto issued = [&] {
    const auto loads = lanes.issue();
    return std::vector<std::uint64_t>(loads.begin(), loads.end());
  };
  ASSERT_FALSE(lanes.finished());
  EXPECT_EQ(issued(), (std::vector<std::uint64_t>{64}));
  ASSERT_FALSE(lanes.finished());
  EXPECT_EQ(issued(), (std::vector<std::uint64_t>{128}));
  EXPECT_TRUE(lanes.finished());
}

TEST(RecordingLanes, RefuseToVote) {
  EXPECT_THROW(RecordingLanes::Lane(0).ballot(true), Error);
  EXPECT_THROW(RecordingLanes::Lane(0).shfl(1, 0), Error);
}

TEST(PageModel, FaultsAsALeastRecentlyUsedListDoes) {
  std::mt19937 random(3);
  constexpr std::uint64_t kPages = 40, kCapacity = 7;
  PageModel model(kPages * 4096 - 100, kCapacity * 4096 + 4095);
  std::list<std::uint64_t> resident;  // newest first
  std::uint64_t faults = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t page = random() % kPages * (random() % kPages) / kPages;
    const std::uint64_t first = page * 4096 + random() % 100;
    model.touch(first, first + 1 + random() % 3000);
    const auto at = std::find(resident.begin(), resident.end(), page);
    if (at != resident.end())
      resident.erase(at);
    else
      ++faults;
    resident.push_front(page);
    if (resident.size() > kCapacity) resident.pop_back();
    ASSERT_EQ(model.faults(), faults);
  }
  EXPECT_GT(faults, kPages);
}

TEST(PageModel, TouchesEveryPageOfARange) {
  PageModel model(10 * 4096, 100 * 4096);
  model.touch(4095, 4097);
  EXPECT_EQ(model.faults(), 2u);
  model.touch(8192, 8192);
  EXPECT_EQ(model.faults(), 2u);
  model.touch(0, 10 * 4096);
  EXPECT_EQ(model.bytes(), 10 * 4096u);
  EXPECT_THROW(model.touch(0, 10 * 4096 + 1), Error);
}

TEST(EdgeCdf, CountsEdgesNotVertices) {
  const std::vector<EdgeId> offset{0, 1, 2, 2, 8};
  const std::vector<VertexId> target(8, 0);
  const std::vector<double> cdf = graph::edge_cdf({4, 8, offset.data(), target.data()}, 6);
  EXPECT_EQ(cdf, (std::vector<double>{0, .25, .25, .25, .25, .25, 1}));
  EXPECT_EQ(graph::edge_cdf({}, 1), (std::vector<double>{1, 1}));
}

}  // namespace
}  // namespace fathom
