// Ranks with a GPU each: replicas that NCCL makes equal in device memory, as the host would. Ranks
// are threads here; they need a card each, and stage in host memory where they share one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/exec/frontier.hpp"
#include "fathom/exec/ranks/thread_ranks.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/generate/generate.hpp"
#include "fathom/graph/build.hpp"
#include "fathom/residency/graph.hpp"
#include "tests/cuda/configurations.hpp"

namespace fathom {
namespace {

CudaOptions card_of(const std::shared_ptr<ReplicaGroup>& group, CudaOptions::Nccl nccl) {
  CudaOptions options;
  options.devices = {group->rank() % testing::gpu_count()};
  options.nccl = nccl;
  options.group = group;
  options.threads = 2;
  return options;
}

/// As many ranks as cards, or two that share one; whether NCCL is to serve them.
struct RanksOnCards : ::testing::TestWithParam<bool> {
  void SetUp() override {
    if (!testing::gpu_present()) GTEST_SKIP() << "no CUDA device";
    if (GetParam() && testing::gpu_count() < 2) GTEST_SKIP() << "ranks would share a card";
  }
  static int ranks() { return std::max(2, testing::gpu_count()); }
  static CudaOptions::Nccl nccl() {
    return GetParam() ? CudaOptions::Nccl::Always : CudaOptions::Nccl::Never;
  }
  /// body(context, rank) in each; says whether NCCL served as it should.
  template <class Body>
  static void run(const Body& body) {
    run_thread_ranks(ranks(), [&](const std::shared_ptr<ReplicaGroup>& group) {
      const Context ctx = Context::cuda(card_of(group, nccl()));
      body(ctx, group->rank());
      EXPECT_EQ(ctx.merges_by_nccl(), GetParam()) << ctx.why_not_nccl();
    });
  }
};

INSTANTIATE_TEST_SUITE_P(By, RanksOnCards, ::testing::Bool(),
                         [](const auto& param) { return param.param ? "Nccl" : "TheHost"; });

TEST_P(RanksOnCards, ArraysBecomeEqualByRuleAndShares) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, std::size_t{300001}}) {
    run([&](const Context& ctx, int rank) {
      const auto r = static_cast<unsigned>(rank), all = static_cast<unsigned>(ctx.ranks());
      std::vector<std::uint32_t> mine(n);
      std::vector<double> parts(n, rank + 1);
      for (std::size_t v = 0; v < n; ++v) mine[v] = v % all == r ? 5 : 9 + r;
      VertexArray<std::uint32_t, MergeMin> least(ctx, n, 0);
      VertexArray<double, MergeSum> sum(ctx, n, 0);
      VertexArray<double, MergeNone> own(ctx, n, 0);
      least.assign(mine);
      sum.assign(parts);
      least.merge();
      sum.merge();
      const VertexRange its{static_cast<VertexId>(n * r / all),
                            static_cast<VertexId>(n * (r + 1) / all)};
      for (VertexId v = 0; v < n; ++v)
        parts[v] = its.first <= v && v < its.last ? static_cast<double>(v) : -1.0;
      own.assign(parts);
      own.share(its);
      const Array<std::uint32_t> low = std::move(least).take();
      const Array<double> total = std::move(sum).take(), shared = std::move(own).take();
      EXPECT_EQ(std::ranges::count(low, 5u), static_cast<std::ptrdiff_t>(n));
      EXPECT_EQ(std::ranges::count(total, all * (all + 1) / 2.0), static_cast<std::ptrdiff_t>(n));
      for (std::size_t v = 0; v < n; ++v) ASSERT_EQ(shared[v], static_cast<double>(v));
    });
  }
}

/// Each rank adds and lowers some of the touched values; others differ, and stay what they are.
template <class T>
void expect_touched_merged(const Context& ctx, int rank, VertexId n, std::size_t stride) {
  SCOPED_TRACE(::testing::Message() << n << " vertices, every " << stride);
  const auto r = static_cast<std::size_t>(rank), all = static_cast<std::size_t>(ctx.ranks());
  std::vector<VertexId> chosen;
  for (std::size_t v = stride / 2; v < n; v += stride) chosen.push_back(static_cast<VertexId>(v));
  Frontier touched(ctx, n);
  touched.assign(chosen);
  std::vector<T> values(n, static_cast<T>(7));
  for (const VertexId v : chosen) values[v] = static_cast<T>(v % all == r ? v % 5 : 9 + r);
  VertexArray<T, MergeMin> least(ctx, n);
  VertexArray<T, MergeSum> sum(ctx, n);
  least.assign(values);
  sum.assign(values);
  least.merge(&touched);
  sum.merge(&touched);
  const Array<T> low = std::move(least).take(), total = std::move(sum).take();
  std::vector<T> expected_low(n, static_cast<T>(7)), expected_total(n, static_cast<T>(7));
  for (const VertexId v : chosen) {
    expected_low[v] = static_cast<T>(v % 5);
    expected_total[v] = static_cast<T>(v % 5 + 9 * (all - 1) + all * (all - 1) / 2 - v % all);
  }
  EXPECT_TRUE(std::ranges::equal(low, expected_low));
  EXPECT_TRUE(std::ranges::equal(total, expected_total));
}

TEST_P(RanksOnCards, ValuesOfTouchedVerticesAreMerged) {
  // From a few to all; the last are more than there is room for side by side.
  run([&](const Context& ctx, int rank) {
    for (const std::size_t stride : {200000u, 1000u, 3u, 1u}) {
      expect_touched_merged<float>(ctx, rank, 300001, stride);
      expect_touched_merged<double>(ctx, rank, 300001, stride);
    }
    expect_touched_merged<std::uint32_t>(ctx, rank, 9000000, 100);
    expect_touched_merged<double>(ctx, rank, 9000000, 2);
  });
}

TEST_P(RanksOnCards, ListsAreGivenToTheOthers) {
  run([&](const Context& ctx, int rank) {
    constexpr std::size_t kMost = 20000;
    const Device& device = ctx.devices()[0];
    const auto size_of = [](int r) { return r == 0 ? std::size_t{0} : kMost - 7u * (r % 3); };
    const auto give = [&](std::size_t mine, std::vector<std::uint32_t>& taken) {
      return give_among_ranks(
          ctx, sizeof(std::uint32_t), kMost,
          [&](void* at, std::size_t most) {
            const auto value = static_cast<std::uint32_t>(100 + rank);
            ctx.fill(device, at, std::min(mine, most), &value, sizeof value);
            return mine;
          },
          [&](const void* from, std::size_t count) {
            const std::size_t before = taken.size();
            taken.resize(before + count);
            ctx.copy(taken.data() + before, from, count * sizeof taken[0]);
          });
    };
    std::vector<std::uint32_t> taken, expected;
    EXPECT_TRUE(give(size_of(rank), taken));
    for (int r = 0; r < ctx.ranks(); ++r)
      if (r != rank)
        expected.insert(expected.end(), size_of(r), static_cast<std::uint32_t>(100 + r));
    EXPECT_EQ(taken, expected);
    EXPECT_FALSE(give(rank == 1 ? kMost + 1 : 3, taken));
    EXPECT_EQ(taken, expected);
  });
}

TEST_P(RanksOnCards, BitsAreUnitedInPieces) {
  if (!GetParam()) GTEST_SKIP() << "the host unites them in Frontier";
  constexpr std::size_t kWords = 5000001;  // more than a piece of each rank
  run([&](const Context& ctx, int rank) {
    std::vector<std::uint64_t> mine(kWords);
    for (std::size_t w = 0; w < kWords; ++w)
      mine[w] = std::uint64_t{1} << (w + static_cast<std::size_t>(rank)) % 64;
    Array<std::uint64_t> bits(kWords, ctx.devices()[0].memory());
    ctx.copy(bits.data(), mine.data(), kWords * sizeof mine[0]);
    ASSERT_TRUE(merge_ranks_on_gpus(ctx, bits.data(), kWords, ScalarKind::Uint64, MergeRule::Or));
    ctx.copy(mine.data(), bits.data(), kWords * sizeof mine[0]);
    for (std::size_t w = 0; w < kWords; ++w) {
      std::uint64_t all = 0;
      for (int r = 0; r < ctx.ranks(); ++r)
        all |= std::uint64_t{1} << (w + static_cast<std::size_t>(r)) % 64;
      ASSERT_EQ(mine[w], all);
    }
  });
}

TEST_P(RanksOnCards, AlgorithmsSayWhatOneProcessSays) {
  generate::Spec spec;
  spec.kind = generate::kind_named("rmat").value();
  spec.scale = 20;  // bits of its vertices are enough for NCCL
  const generate::Generator generator(spec);
  std::vector<Edge> edges(generator.edges());
  generator.fill(0, edges);
  const auto build = [&](const Context& ctx) {
    graph::BuildOptions options;
    options.undirected = true;
    const auto push = [&](const auto& consume) { consume(std::span<const Edge>(edges), {}); };
    return make_graph(ctx, graph::build(generator.vertices(), push, options), false);
  };
  const Context host = Context::cpu();
  const Graph whole = build(host);
  const VertexId source = 1;
  const BfsResult levels = bfs(host, whole, {&source, 1});
  const ComponentsResult components = connected_components(host, whole);
  const PagerankResult ranks = pagerank(host, whole);
  const SsspResult distances = sssp(host, whole, source);
  run([&](const Context& ctx, int) {
    const Graph graph = build(ctx);
    EXPECT_TRUE(std::ranges::equal(bfs(ctx, graph, {&source, 1}).depth, levels.depth));
    EXPECT_TRUE(std::ranges::equal(connected_components(ctx, graph).label, components.label));
    EXPECT_TRUE(std::ranges::equal(sssp(ctx, graph, source).distance, distances.distance));
    const PagerankResult its = pagerank(ctx, graph);
    double apart = 0;
    for (std::size_t v = 0; v < ranks.rank.size(); ++v)
      apart += std::abs(its.rank[v] - ranks.rank[v]);
    EXPECT_LT(apart, 1e-5);
    EXPECT_GT(ctx.group().traffic().bytes_sent, 0u);
  });
}

}  // namespace
}  // namespace fathom
