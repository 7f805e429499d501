// PageRank that ranks update in place, told to each other piece by piece, beside the oracle.
#include "fathom/algorithms/pagerank/rank_pieces.hpp"

#include <gtest/gtest.h>

#include "fathom/algorithms/pagerank/rwr_each.hpp"
#include "tests/cpu/ranks/in_ranks.hpp"
#include "tests/suites/exact_ranks.hpp"

namespace fathom {
namespace {

/// With enough vertices for several pieces on each of a few ranks.
zoo::RawGraph with_edges_at_random(std::uint32_t vertices, std::uint32_t edges, bool directed) {
  return {"Random", vertices, directed, zoo::random_edges(vertices, edges, 7), {}};
}

PagerankOptions to(double tolerance) {
  PagerankOptions options;
  options.tolerance = tolerance;
  return options;
}

std::vector<PagerankResult> ranks_found(int ranks, const zoo::RawGraph& raw,
                                        const PagerankOptions& options) {
  std::vector<PagerankResult> found(static_cast<std::size_t>(ranks));
  const auto find = [&](std::size_t rank, const testing::PlacedGraph& placed) {
    found[rank] = pagerank(placed.ctx, placed.graph, options);
    verify_pagerank(placed.ctx, placed.graph, options, found[rank]);
  };
  testing::on_hosts(ranks, raw, 1, find);
  return found;
}

void expect_ranks(int ranks, const zoo::RawGraph& raw, const PagerankOptions& options) {
  SCOPED_TRACE(::testing::Message() << ranks << " ranks");
  const std::vector<double> expected = testing::exact_ranks(raw, options);
  const std::vector<PagerankResult> found = ranks_found(ranks, raw, options);
  for (const PagerankResult& its : found) {
    EXPECT_TRUE(its.converged);
    EXPECT_LT(testing::l1_between(its.rank, expected), 10 * options.tolerance);
    EXPECT_EQ(testing::to_vector(its.rank), testing::to_vector(found[0].rank));
  }
}

TEST(RankPieces, FindTheRanksOfOneProcess) {
  // Shares of 4 bytes, and of 8.
  for (const auto& [directed, tolerance] : {std::pair(true, 1e-6), std::pair(false, 1e-10)}) {
    const zoo::RawGraph raw = with_edges_at_random(30'000, 60'000, directed);
    for (const int ranks : {2, 3}) expect_ranks(ranks, raw, to(tolerance));
  }
}

TEST(RankPieces, ServeRanksThatAreShownNothing) {
  // One list has half of the edges, as much as two and a half of five ranks are to have: the third
  // has no vertices at all.
  zoo::RawGraph raw;
  raw.name = "Star";
  raw.vertices = 45'000;
  for (std::uint32_t v = 0; v < raw.vertices - 5'000; ++v)
    if (v != 20'000) raw.edges.push_back({20'000, v});
  expect_ranks(5, raw, {});
}

TEST(RankPieces, TakeAsManyIterationsAsOneProcess) {
  // Told once an iteration they took two and four more.
  const zoo::RawGraph raw = with_edges_at_random(1u << 17, 1u << 20, false);
  const std::uint32_t alone = ranks_found(1, raw, {})[0].iterations;
  for (const int ranks : {2, 5})
    EXPECT_LE(ranks_found(ranks, raw, {})[0].iterations, alone + 1) << ranks << " ranks";
}

TEST(RankPieces, WalkFromEachSourceAsOneProcess) {
  const zoo::RawGraph raw = with_edges_at_random(20'000, 60'000, false);
  const std::vector<VertexId> sources{3, 17, 4'000, 9'999, 15'000};
  const auto find = [&](int ranks) {
    std::vector<RwrEachResult> found(static_cast<std::size_t>(ranks));
    testing::on_hosts(ranks, raw, 1, [&](std::size_t rank, const testing::PlacedGraph& placed) {
      RwrEachOptions options;
      options.walk.tolerance = 1e-9;
      options.k = 20;
      found[rank] = random_walks_from_each(placed.ctx, placed.graph, sources, options);
    });
    return found;
  };
  const RwrEachResult alone = std::move(find(1)[0]);
  const std::vector<RwrEachResult> found = find(2);
  for (const RwrEachResult& its : found) {
    ASSERT_EQ(its.rows, alone.rows);
    for (std::size_t i = 0; i < its.rows; ++i) {
      EXPECT_EQ(its.source[i], alone.source[i]);
      EXPECT_NEAR(its.probability[i], alone.probability[i], 1e-8);
      EXPECT_EQ(its.probability[i], found[0].probability[i]);
    }
  }
}

}  // namespace
}  // namespace fathom
