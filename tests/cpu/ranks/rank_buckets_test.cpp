// Shortest paths of ranks that go on by themselves: distances are those of Dijkstra's algorithm bit
// by bit, whatever comes by another rank later than it should, and ranks of a road meet seldom.
#include "fathom/algorithms/sssp/rank_buckets.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "fathom/exec/ranks/thread_ranks.hpp"
#include "tests/cpu/ranks/in_ranks.hpp"
#include "tests/reference/dijkstra.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

/// What ranks found, and the exchanges of one.
struct PathsInRanks {
  std::vector<SsspResult> found;
  std::uint64_t exchanges = 0;
};

PathsInRanks paths_in_ranks(int ranks, const zoo::RawGraph& raw, VertexId source,
                            const SsspOptions& options, int threads = 2) {
  PathsInRanks all;
  all.found.resize(static_cast<std::size_t>(ranks));
  testing::on_hosts(ranks, raw, threads, [&](std::size_t rank, const testing::PlacedGraph& placed) {
    ASSERT_EQ(detail::finds_paths_by_rank(placed.ctx, placed.graph), ranks > 1);
    const auto& traffic = placed.ctx.group().traffic();
    const std::uint64_t before = traffic.exchanges;
    all.found[rank] = sssp(placed.ctx, placed.graph, source, options);
    if (rank == 0) all.exchanges = traffic.exchanges - before;
    verify_sssp(placed.ctx, placed.graph, source, all.found[rank]);
  });
  return all;
}

/// A path whose vertices are far apart in ids, and as many edges anywhere: what a rank finds by
/// itself is nearly always corrected.
zoo::RawGraph scattered(std::uint32_t vertices, unsigned seed, bool directed) {
  std::mt19937 random(seed);
  zoo::RawGraph raw;
  raw.name = "Scattered";
  raw.vertices = vertices;
  raw.directed = directed;
  const auto add = [&](std::uint32_t u, std::uint32_t v) {
    raw.edges.push_back({u, v});
    raw.weights.push_back(static_cast<float>(random() % 1000) / 7);
  };
  const std::uint32_t step = vertices / 3 + 1;
  for (std::uint32_t v = 0; v + step < vertices; ++v) add(v, v + step);
  for (std::uint32_t i = 0; i < 2 * vertices; ++i)
    add(static_cast<std::uint32_t>(random() % vertices),
        static_cast<std::uint32_t>(random() % vertices));
  return raw;
}

/// Rows of vertices, with weights from 1 to 9.
zoo::RawGraph weighted_grid(std::uint32_t rows, std::uint32_t columns) {
  zoo::RawGraph raw = zoo::grid(rows, columns);
  std::mt19937 random(3);
  for (std::size_t i = 0; i < raw.edges.size(); ++i)
    raw.weights.push_back(static_cast<float>(1 + random() % 9));
  return raw;
}

TEST(RankBuckets, AreExactWhereMuchHasToBeCorrected) {
  for (const bool directed : {false, true})
    for (unsigned seed = 0; seed < 3; ++seed) {
      const zoo::RawGraph raw = scattered(800, seed, directed);
      const std::vector<float> expected = reference::dijkstra_float(zoo::to_reference(raw), 7);
      for (const int ranks : {1, 2, 3, 4})
        for (const float delta : {0.f, 1e-6f, 1e30f, std::numeric_limits<float>::infinity()}) {
          SCOPED_TRACE(::testing::Message() << seed << " by " << ranks << ", delta " << delta);
          SsspOptions options;
          options.delta = delta;
          for (const SsspResult& its : paths_in_ranks(ranks, raw, 7, options).found)
            EXPECT_EQ(testing::to_vector(its.distance), expected);
        }
    }
}

TEST(RankBuckets, SumInDoublesToo) {
  const zoo::RawGraph raw = scattered(1500, 11, true);
  const testing::PlacedGraph alone(testing::plain_host(), raw);
  SsspOptions options;
  options.precision = SsspPrecision::Double;
  const SsspResult expected = sssp(alone.ctx, alone.graph, 3, options);
  for (const SsspResult& its : paths_in_ranks(3, raw, 3, options).found) {
    EXPECT_EQ(testing::to_vector(its.double_distance),
              testing::to_vector(expected.double_distance));
    EXPECT_EQ(its.reached, expected.reached);
  }
}

TEST(RankBuckets, ServeMoreRanksThanVertices) {
  zoo::RawGraph raw;
  raw.name = "Path";
  raw.vertices = 3;
  raw.edges = {{0, 1}, {1, 2}};
  raw.weights = {2, 0.5f};
  for (const SsspResult& its : paths_in_ranks(5, raw, 2, {}).found)
    EXPECT_EQ(testing::to_vector(its.distance), (std::vector<float>{2.5f, 0.5f, 0}));
}

TEST(RankBuckets, MeetSeldomOnAGrid) {
  const zoo::RawGraph raw = weighted_grid(150, 200);
  const PathsInRanks paths = paths_in_ranks(4, raw, 5, {}, 1);
  EXPECT_EQ(testing::to_vector(paths.found[0].distance),
            reference::dijkstra_float(zoo::to_reference(raw), 5));
  // One bucket after the other there are about 900.
  EXPECT_LT(paths.exchanges, 300u);
}

TEST(RankBuckets, GoOnFromABucketThatBeginsBeyondAllNumbers) {
  constexpr float kMost = std::numeric_limits<float>::max();
  zoo::RawGraph raw;
  raw.name = "Longest";
  raw.vertices = 4;
  raw.directed = true;
  raw.edges = {{0, 1}, {1, 2}, {2, 3}};
  raw.weights = {kMost, 0, 0};
  SsspOptions options;
  options.delta = std::ldexp(1082401.f, 103);
  for (const SsspResult& its : paths_in_ranks(2, raw, 0, options).found)
    EXPECT_EQ(testing::to_vector(its.distance), (std::vector<float>{0, kMost, kMost, kMost}));
}

TEST(RankBuckets, NeedNoMoreMemoryWhereThereIsMore) {
  // From too little for bins, by less than the bits beside them take, to enough for all.
  zoo::RawGraph raw;
  raw.name = "Steps";
  raw.vertices = 100000;
  std::mt19937 random(1);
  for (std::uint32_t v = 1; v < raw.vertices; ++v) {
    raw.edges.push_back({v - 1 - static_cast<std::uint32_t>(random()) % std::min(v, 20000u), v});
    raw.weights.push_back(static_cast<float>(random() % 1000));
  }
  const std::vector<double> expected = reference::dijkstra(zoo::to_reference(raw), {0});
  bool any = false;
  for (std::size_t kilobytes = 1260; kilobytes < 1350; kilobytes += 8) {
    std::vector<double> found;
    try {
      run_thread_ranks(2, [&](const std::shared_ptr<ReplicaGroup>& group) {
        testing::Configuration where = testing::plain_host();
        where.cpu.threads = 1;
        where.cpu.group = group;
        where.cpu.host_memory = kilobytes << 10;
        const testing::PlacedGraph placed(where, raw);
        const SsspResult its =
            sssp(placed.ctx, placed.graph, 0, {.precision = SsspPrecision::Double});
        if (group->rank() == 0) found = testing::to_vector(its.double_distance);
      });
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::DoesNotFit);
      EXPECT_FALSE(any) << kilobytes << " KiB: " << e.what();
      continue;
    }
    any = true;
    EXPECT_EQ(found, expected) << kilobytes << " KiB";
  }
  EXPECT_TRUE(any);
}

TEST(RankBuckets, RefuseABadWeightOnAllRanks) {
  zoo::RawGraph raw = weighted_grid(10, 10);
  raw.weights[120] = -1;
  for (const int ranks : {2, 3})
    testing::expect_error(
        ErrorCode::BadInput, [&] { paths_in_ranks(ranks, raw, 0, {}); }, "is -1");
}

}  // namespace
}  // namespace fathom
