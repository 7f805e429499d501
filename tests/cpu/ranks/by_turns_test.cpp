// Walks and samples that each rank draws for itself, by turns: all ranks are shown all of them, in
// order, and what goes wrong on one is said by all.
#include "fathom/exec/ranks/by_turns.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fathom/algorithms/neighbor_sampling/sample_batches.hpp"
#include "fathom/algorithms/walks/walks.hpp"
#include "fathom/core/error.hpp"
#include "fathom/exec/ranks/thread_ranks.hpp"
#include "tests/cpu/ranks/in_ranks.hpp"

namespace fathom {
namespace {

using Group = std::shared_ptr<ReplicaGroup>;

class ByTurns : public ::testing::TestWithParam<int> {
 protected:
  /// body(rank, context, graph) on every rank; the host reaches all lists.
  template <class Body>
  void run(const zoo::RawGraph& raw, const Body& body) const {
    testing::on_hosts(GetParam(), raw, testing::plain_host().cpu.threads,
                      [&](std::size_t rank, const testing::PlacedGraph& placed) {
                        body(rank, placed.ctx, placed.graph);
                      });
  }
  std::size_t ranks() const { return static_cast<std::size_t>(GetParam()); }
};

TEST_P(ByTurns, EachPieceIsWorkedAtOnceAndShownToAllInOrder) {
  constexpr std::uint64_t kPieces = 8;
  std::vector<std::vector<std::uint64_t>> worked(ranks()), shown(ranks());
  run_thread_ranks(GetParam(), [&](const Group& group) {
    const auto rank = static_cast<std::size_t>(group->rank());
    by_turns(
        *group, kPieces, [&](std::uint64_t piece) { worked[rank].push_back(piece); },
        [&](std::uint64_t piece, int by) {
          std::uint64_t last = worked[rank].empty() ? 0 : worked[rank].back();
          group->broadcast(&last, sizeof last, by);
          EXPECT_EQ(last, piece);
          shown[rank].push_back(piece);
        });
  });
  for (std::size_t r = 0; r < ranks(); ++r) {
    EXPECT_EQ(shown[r], (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    std::vector<std::uint64_t> its;
    for (std::uint64_t piece = r; piece < kPieces; piece += ranks()) its.push_back(piece);
    EXPECT_EQ(worked[r], its);
  }
}

struct Drawn {
  std::vector<std::uint64_t> values, counts;
};

Drawn walk(const Context& ctx, const Graph& graph, const WalkOptions& options, bool shown) {
  Drawn drawn;
  const WalkConsumer take = [&](std::uint64_t first, std::span<const VertexId> rows) {
    EXPECT_EQ(first * (options.length + 1), drawn.values.size());
    EXPECT_NO_THROW(verify_walks(graph, {}, options, first, rows));
    drawn.values.insert(drawn.values.end(), rows.begin(), rows.end());
  };
  const WalksResult result = random_walks(ctx, graph, {}, options, shown ? take : nullptr);
  drawn.counts = {result.walks, result.steps, result.ended};
  return drawn;
}

TEST_P(ByTurns, WalksAreThoseOfOneProcess) {
  const zoo::RawGraph raw = zoo::rmat(true);
  const testing::PlacedGraph alone(testing::plain_host(), raw);
  // The last turn is not everybody's, and the last batch is not whole.
  for (const std::uint32_t batch : {0u, 64u})
    for (const double p : {1., .2}) {
      const WalkOptions options{.length = 5, .per_source = 2, .p = p, .seed = 3, .batch = batch};
      const Drawn expected = walk(alone.ctx, alone.graph, options, true);
      run(raw, [&](std::size_t, const Context& ctx, const Graph& graph) {
        const Drawn drawn = walk(ctx, graph, options, true);
        EXPECT_EQ(drawn.values, expected.values);
        EXPECT_EQ(drawn.counts, expected.counts);
        EXPECT_EQ(walk(ctx, graph, options, false).counts, expected.counts);
      });
    }
}

TEST_P(ByTurns, RanksAreSentTheWalksOfOthersWhereTheyAreShownThem) {
  constexpr std::uint32_t kLength = 15;
  run(zoo::rmat(true), [&](std::size_t, const Context& ctx, const Graph& graph) {
    const std::uint64_t before = ctx.group().traffic().bytes_sent;
    walk(ctx, graph, {.length = kLength}, false);
    const std::uint64_t hidden = ctx.group().traffic().bytes_sent - before;
    walk(ctx, graph, {.length = kLength}, true);
    const std::uint64_t shown = ctx.group().traffic().bytes_sent - before - hidden;
    // Of those that it drew itself, a rank sends some.
    const std::uint64_t all = std::uint64_t{graph.vertices()} * (kLength + 1) * sizeof(VertexId);
    EXPECT_LT(hidden, std::uint64_t{1} << 10);
    EXPECT_EQ(shown > 0, ctx.ranks() > 1);
    EXPECT_LT(shown, all);
  });
}

TEST_P(ByTurns, WalksNeedNoMoreMemoryThanOfOneProcess) {
  // Few and long ones: a batch of another rank takes as much as the rank's own.
  const WalkOptions options{.length = 2000, .walks = 130};
  const auto fits = [&](int ranks, std::size_t kilobytes) {
    try {
      run_thread_ranks(ranks, [&](const Group& group) {
        testing::Configuration where = testing::plain_host();
        where.cpu.group = group;
        where.cpu.host_memory = kilobytes << 10;
        const testing::PlacedGraph placed(where, zoo::star(false));
        walk(placed.ctx, placed.graph, options, true);
      });
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::DoesNotFit);
      return false;
    }
    return true;
  };
  bool any = false;
  for (std::size_t kilobytes = 600; kilobytes < 1600; kilobytes += 125) {
    const bool alone = fits(1, kilobytes);
    any = any || alone;
    EXPECT_TRUE(!alone || fits(GetParam(), kilobytes)) << kilobytes << " KiB";
  }
  EXPECT_TRUE(any);
}

Drawn sample(const Context& ctx, const Graph& graph, const NeighborSamplingOptions& options,
             std::uint64_t batch_size) {
  std::vector<VertexId> seeds;
  for (VertexId v = 0; v < graph.vertices(); v += 3) seeds.push_back(v);
  Drawn drawn;
  const auto add = [&](const auto& values) {
    drawn.values.push_back(values.size());
    drawn.values.insert(drawn.values.end(), values.begin(), values.end());
  };
  const SampledBatches result = sample_batches(
      ctx, graph, seeds, options, batch_size,
      [&](std::uint64_t batch, std::span<const VertexId> its, const NeighborSample& shown) {
        EXPECT_NO_THROW(verify_neighbor_sample(ctx, graph, options, its, {}, shown));
        drawn.values.push_back(batch);
        add(its);
        add(shown.nodes);
        add(shown.row);
        add(shown.col);
        add(shown.edge);
        add(shown.tree);
        add(shown.nodes_per_hop);
        add(shown.edges_per_hop);
      });
  drawn.counts = result.edges_per_hop;
  drawn.counts.insert(drawn.counts.end(), {result.batches, result.vertices});
  return drawn;
}

TEST_P(ByTurns, SamplesAreThoseOfOneProcess) {
  const zoo::RawGraph raw = zoo::rmat(true);
  const testing::PlacedGraph alone(testing::plain_host(), raw);
  for (const std::uint64_t batch_size : {0u, 7u})
    for (const SampleReads reads : {SampleReads::Host, SampleReads::Operators}) {
      NeighborSamplingOptions options;
      options.fan_out = {3, kAllNeighbors};
      options.disjoint = batch_size > 0;
      options.seed = 5;
      const Drawn expected = sample(alone.ctx, alone.graph, options, batch_size);
      EXPECT_GT(expected.counts[0], 0u);
      options.reads = reads;
      run(raw, [&](std::size_t, const Context& ctx, const Graph& graph) {
        const Drawn drawn = sample(ctx, graph, options, batch_size);
        EXPECT_EQ(drawn.values, expected.values);
        EXPECT_EQ(drawn.counts, expected.counts);
      });
    }
}

TEST_P(ByTurns, AllRanksSayWhatIsWrongInTheFirstBatchThatIs) {
  // A path, of which two edges cannot be drawn: one rank comes to each.
  zoo::RawGraph raw{"Below", 9, true, {}, {}};
  for (std::uint32_t v = 0; v + 1 < raw.vertices; ++v) {
    raw.edges.push_back({v, v + 1});
    raw.weights.push_back(v == 4 || v == 5 ? -1.f : 1.f);
  }
  std::vector<std::string> said(ranks());
  run(raw, [&](std::size_t rank, const Context& ctx, const Graph& graph) {
    try {
      random_walks(ctx, graph, {}, {.length = 1, .weighted = true, .batch = 1});
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::BadInput);
      said[rank] = e.what();
    }
  });
  for (const std::string& its : said)
    EXPECT_NE(its.find("from 4 to 5 is -1"), std::string::npos) << its;
}

INSTANTIATE_TEST_SUITE_P(Threads, ByTurns, ::testing::Values(1, 2, 3));

}  // namespace
}  // namespace fathom
