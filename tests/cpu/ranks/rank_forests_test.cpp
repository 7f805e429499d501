// Components of ranks that link by themselves, beside a union-find that shares no code with them.
#include "fathom/algorithms/components/rank_forests.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/cpu/ranks/in_ranks.hpp"
#include "tests/reference/components.hpp"

namespace fathom {
namespace {

struct ForestsInRanks {
  std::vector<ComponentsResult> found;
  std::uint64_t most_sent = 0, most_edges = 0;
};

ForestsInRanks forests_in_ranks(int ranks, const zoo::RawGraph& raw,
                                const ComponentsOptions& options = {}) {
  ForestsInRanks all;
  all.found.resize(static_cast<std::size_t>(ranks));
  std::vector<std::uint64_t> sent(all.found.size());
  testing::on_hosts(ranks, raw, 2, [&](std::size_t rank, const testing::PlacedGraph& placed) {
    ASSERT_EQ(links_by_rank(placed.ctx, placed.graph), ranks > 1);
    const auto& traffic = placed.ctx.group().traffic();
    const std::uint64_t before = traffic.bytes_sent;
    all.found[rank] = connected_components(placed.ctx, placed.graph, options);
    sent[rank] = traffic.bytes_sent - before;
    verify_components(placed.ctx, placed.graph, all.found[rank]);
  });
  all.most_sent = *std::max_element(sent.begin(), sent.end());
  for (const Superstep& step : all.found[0].report.supersteps) all.most_edges += step.edges;
  return all;
}

void expect_components(int ranks, const zoo::RawGraph& raw) {
  const std::vector<VertexId> expected = reference::components(zoo::to_reference(raw));
  std::vector<VertexId> sizes(expected.size(), 0);
  VertexId count = 0;
  for (std::size_t v = 0; v < expected.size(); ++v) {
    ++sizes[expected[v]];
    count += expected[v] == v ? 1 : 0;
  }
  for (const bool sample : {true, false})
    for (const ComponentsResult& its : forests_in_ranks(ranks, raw, {.sample = sample}).found) {
      EXPECT_EQ(testing::to_vector(its.label), expected);
      EXPECT_EQ(its.components, count);
      EXPECT_EQ(its.largest, *std::max_element(sizes.begin(), sizes.end()));
    }
}

zoo::RawGraph with_random_edges(std::uint32_t vertices, std::uint32_t edges, unsigned seed,
                                bool directed) {
  std::mt19937 random(seed);
  zoo::RawGraph raw;
  raw.name = "Random";
  raw.vertices = vertices;
  raw.directed = directed;
  for (std::uint32_t i = 0; i < edges; ++i)
    raw.edges.push_back({static_cast<std::uint32_t>(random() % vertices),
                         static_cast<std::uint32_t>(random() % vertices)});
  return raw;
}

TEST(RankForests, JoinTreesOfAllRanks) {
  // From many small components to one: trees that several ranks have parts of in between.
  for (const std::uint32_t edges : {100u, 700u, 1000u, 1500u, 9000u})
    for (const bool directed : {false, true})
      for (unsigned seed = 0; seed < 4; ++seed) {
        const zoo::RawGraph raw = with_random_edges(2000, edges, seed, directed);
        for (const int ranks : {2, 3, 5}) {
          SCOPED_TRACE(::testing::Message() << edges << " edges, " << seed << ", by " << ranks);
          expect_components(ranks, raw);
        }
      }
}

TEST(RankForests, LinkListsThatWereSkippedForAnotherGiant) {
  // Two dense halves, which ranks skip the lists of, and one edge between them that is seen from
  // skipped lists alone.
  for (const bool bridged : {true, false}) {
    zoo::RawGraph raw = with_random_edges(1000, 8000, 5, false);
    const zoo::RawGraph other = with_random_edges(1000, 8000, 6, false);
    for (const auto& [u, v] : other.edges) raw.edges.push_back({u + 1000, v + 1000});
    raw.vertices = 2000;
    for (std::uint32_t v = 0; v < 1000; ++v) {  // its lists begin with neighbours of its own half
      raw.edges.push_back({0, v});
      raw.edges.push_back({1000, 1000 + v});
    }
    if (bridged) raw.edges.push_back({999, 1999});
    for (const int ranks : {2, 3, 4}) expect_components(ranks, raw);
  }
}

TEST(RankForests, ServeMoreRanksThanVertices) {
  zoo::RawGraph raw;
  raw.name = "Path";
  raw.vertices = 3;
  raw.edges = {{0, 2}};
  expect_components(5, raw);
}

std::uint64_t labels_sent(VertexId vertices, int ranks) {
  return vertices * sizeof(VertexId) * static_cast<std::uint64_t>(ranks - 1) /
         static_cast<std::uint64_t>(ranks);
}

TEST(RankForests, TellLabelsTwiceAndFewTrees) {
  const zoo::RawGraph raw = with_random_edges(20000, 200000, 1, false);
  for (const int ranks : {2, 4}) {
    const ForestsInRanks its = forests_in_ranks(ranks, raw);
    // Of own vertices after a link of each and at the end; and of roots, which are one in 20.
    EXPECT_LT(its.most_sent, labels_sent(raw.vertices, ranks) * 2 * 3 / 2);
    EXPECT_LT(its.most_edges, 400000u / 6);  // of 400,000 in the lists
  }
}

TEST(RankForests, TellOfAGridWhatIsOnItsBorders) {
  constexpr std::uint32_t kRows = 200, kColumns = 300;
  const zoo::RawGraph raw = zoo::grid(kRows, kColumns);
  expect_components(3, raw);
  EXPECT_LT(forests_in_ranks(4, raw).most_sent, 2 * labels_sent(raw.vertices, 4) + 5000);
}

}  // namespace
}  // namespace fathom
