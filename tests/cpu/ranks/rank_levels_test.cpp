// Searches in which ranks go on by themselves: depths are those of one process, whatever comes by
// another rank later than it should, and little is told.
#include "fathom/algorithms/bfs/rank_levels.hpp"

#include <gtest/gtest.h>

#include <random>

#include "fathom/algorithms/bfs/rank_codes.hpp"
#include "tests/cpu/ranks/in_ranks.hpp"

namespace fathom {
namespace {

TEST(RankCodes, GiveBackWhatWasWritten) {
  std::mt19937_64 random(7);
  for (const bool parents : {false, true})
    for (int round = 0; round < 50; ++round) {
      std::vector<detail::FoundVertex> all;
      VertexId v = 0;
      for (int i = 0; i < 40; ++i) {
        v += static_cast<VertexId>(random() % (round % 2 == 0 ? 3 : 50'000'000) + (i > 0 ? 1 : 0));
        const auto parent = static_cast<VertexId>(random() % 2'000'000'000);
        const bool alike =
            random() % 2 == 0 && i > 0;  // a step like the last one, or a run of them
        all.push_back({v,
                       alike ? all.back().depth + 1
                             : static_cast<std::uint32_t>(random() >> (32 + random() % 32)),
                       !parents ? kNoVertex
                       : alike  ? v - 1
                                : parent});
      }
      std::vector<std::byte> bytes;
      {
        detail::FoundWriter writer(bytes, parents);
        for (const auto& found : all) writer.add(found.vertex, found.depth, found.parent);
      }
      detail::FoundReader reader(bytes, parents);
      for (const auto& found : all) {
        const auto its = reader.next();
        ASSERT_TRUE(its);
        EXPECT_EQ(its->vertex, found.vertex);
        EXPECT_EQ(its->depth, found.depth);
        EXPECT_EQ(its->parent, found.parent);
      }
      EXPECT_FALSE(reader.next());
    }
  for (int round = 0; round < 50; ++round) {
    std::vector<std::uint32_t> depths(static_cast<std::size_t>(random() % 200));
    for (std::size_t i = 0; i < depths.size(); ++i)
      depths[i] = random() % 5 == 0   ? kUnreached
                  : random() % 2 == 0 ? static_cast<std::uint32_t>(random())
                                      : static_cast<std::uint32_t>(i);
    std::vector<std::uint32_t> back(depths.size());
    detail::decode_depths(detail::encode_depths(depths), back);
    EXPECT_EQ(back, depths);
  }
}

TEST(RankCodes, OfARowOfAGridTakeAFewBytes) {
  std::vector<std::uint32_t> depths(10'000);
  for (std::size_t i = 0; i < depths.size(); ++i)
    depths[i] = static_cast<std::uint32_t>(i % 1000 + i / 1000);
  EXPECT_LT(detail::encode_depths(depths).size(), 60u);
}

/// What ranks found, and sent at most.
struct Searched {
  std::vector<BfsResult> found;
  std::uint64_t most_sent = 0;
};

Searched search_in_ranks(int ranks, const zoo::RawGraph& raw, const std::vector<VertexId>& sources,
                         const BfsOptions& options, int threads = 2) {
  Searched all;
  all.found.resize(static_cast<std::size_t>(ranks));
  std::vector<std::uint64_t> sent(all.found.size());
  testing::on_hosts(ranks, raw, threads, [&](std::size_t rank, const testing::PlacedGraph& placed) {
    ASSERT_EQ(detail::searches_by_rank(placed.ctx, placed.graph), ranks > 1);
    const auto& traffic = placed.ctx.group().traffic();
    const std::uint64_t before = traffic.bytes_sent;
    all.found[rank] = bfs(placed.ctx, placed.graph, sources, options);
    sent[rank] = traffic.bytes_sent - before;
    verify_bfs(placed.ctx, placed.graph, sources, options, all.found[rank]);
  });
  all.most_sent = *std::max_element(sent.begin(), sent.end());
  return all;
}

void expect_as_alone(int ranks, const zoo::RawGraph& raw, const std::vector<VertexId>& sources,
                     const BfsOptions& options, int threads = 2) {
  const testing::PlacedGraph alone(testing::plain_host(), raw);
  const BfsResult expected = bfs(alone.ctx, alone.graph, sources, options);
  for (const BfsResult& its : search_in_ranks(ranks, raw, sources, options, threads).found) {
    EXPECT_EQ(testing::to_vector(its.depth), testing::to_vector(expected.depth));
    EXPECT_EQ(its.reached, expected.reached);
    EXPECT_EQ(its.max_depth, expected.max_depth);
  }
}

/// A ladder whose rails are far apart in ids, and whose shortest ways change rails, so that what a
/// rank finds by itself is nearly always corrected; with some long edges.
zoo::RawGraph crossing(std::uint32_t vertices, unsigned seed, bool directed) {
  std::mt19937 random(seed);
  zoo::RawGraph raw;
  raw.name = "Crossing";
  raw.vertices = vertices;
  raw.directed = directed;
  for (std::uint32_t v = 0; v + 1 < vertices; ++v) raw.edges.push_back({v, v + 1});
  for (std::uint32_t i = 0; i < vertices; ++i)
    raw.edges.push_back({static_cast<std::uint32_t>(random() % vertices),
                         static_cast<std::uint32_t>(random() % vertices)});
  return raw;
}

TEST(RankLevels, AreExactWhereMuchHasToBeCorrected) {
  for (const bool directed : {false, true})
    for (unsigned seed = 0; seed < 6; ++seed) {
      const zoo::RawGraph raw = crossing(3000, seed, directed);
      for (const int ranks : {2, 3, 4})
        for (const bool parents : {false, true}) {
          SCOPED_TRACE(std::to_string(seed) + " by " + std::to_string(ranks));
          BfsOptions options;
          options.parents = parents;
          expect_as_alone(ranks, raw, {0}, options);
        }
    }
}

TEST(RankLevels, HeedSeveralSourcesAndALimit) {
  const zoo::RawGraph raw = crossing(2000, 9, false);
  for (const std::uint32_t limit : {0u, 1u, 3u, 1000u, kUnreached}) {
    BfsOptions options;
    options.depth_limit = limit;
    options.parents = true;
    expect_as_alone(3, raw, {5, 1999, 700, 5}, options);
  }
}

TEST(RankLevels, ServeMoreRanksThanVertices) {
  zoo::RawGraph raw;
  raw.name = "Path";
  raw.vertices = 3;
  raw.edges = {{0, 1}, {1, 2}};
  expect_as_alone(4, raw, {2}, {});
}

TEST(RankLevels, TellLittleOfAGridAndMeetSeldom) {
  constexpr std::uint32_t kRows = 200, kColumns = 300;
  const zoo::RawGraph raw = zoo::grid(kRows, kColumns);
  BfsOptions options;
  const Searched search = search_in_ranks(4, raw, {5}, options, 1);
  EXPECT_EQ(search.found[0].max_depth, kRows - 1 + kColumns - 6);
  // Two borders of 300 vertices, an id each as in SCALE-OUT's table, would be 2,400 bytes.
  EXPECT_LT(search.most_sent, 4'000u);
}

}  // namespace
}  // namespace fathom
