#include "fathom/reorder/bisection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fathom/algorithms/multi_bfs.hpp"
#include "fathom/reorder/metrics.hpp"
#include "fathom/reorder/order.hpp"
#include "tests/suites/algorithm_suite.hpp"

namespace fathom::reorder {
namespace {

using Ids = std::vector<VertexId>;

/// The vertices of each query, ascending.
std::vector<Ids> members(const QueryIndex& index) {
  std::vector<Ids> of(index.queries);
  for (VertexId v = 0; v + std::size_t{1} < index.offset.size(); ++v)
    for (EdgeId e = index.offset[v]; e < index.offset[v + 1]; ++e) of[index.query[e]].push_back(v);
  return of;
}

class Queries : public fathom::testing::AlgorithmSuite {};

TEST_P(Queries, OfNeighboursAreTheListsWithoutRepetitions) {
  const Context ctx = configuration().context();
  std::vector<Ids> expected;
  for (const auto& list : reference_graph().out) {
    std::set<VertexId> targets;
    for (const auto& arc : list) targets.insert(arc.target);
    expected.emplace_back(targets.begin(), targets.end());
  }
  for (const bool in_edges : {true, false})
    EXPECT_EQ(members(neighbour_queries(ctx, place(ctx, in_edges))), expected);
}
TEST_P(Queries, OfLevelsAreTheLevels) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  Ids sources;
  for (VertexId v = 0; v < std::min(graph.vertices(), VertexId{70}); ++v) sources.push_back(v);
  std::vector<Ids> expected;
  for (const VertexId s : sources) {
    const MultiBfsResult search = multi_bfs(ctx, graph, Ids{s});
    const std::size_t first = expected.size();
    expected.resize(first + search.max_depth[0] + 1);
    for (VertexId v = 0; v < graph.vertices(); ++v)
      if (search.depths(0)[v] != kUnreached) expected[first + search.depths(0)[v]].push_back(v);
  }
  EXPECT_EQ(members(level_queries(ctx, graph, sources)), expected);
}

INSTANTIATE_TEST_SUITE_P(Zoo, Queries, fathom::testing::each_in_each(zoo::unweighted_graphs()),
                         fathom::testing::suite_name);

/// Which clique of so many of 32 each vertex is in: at random.
Ids cliques_at_random(std::uint32_t cliques) {
  Ids clique;
  for (std::uint32_t v = 0; v < 32 * cliques; ++v) clique.push_back(v % cliques);
  zoo::Dice dice(cliques);
  for (auto i = static_cast<std::uint32_t>(clique.size()); i > 1; --i)
    std::swap(clique[i - 1], clique[dice.roll(i)]);
  return clique;
}

zoo::RawGraph graph_of(const Ids& clique) {
  zoo::RawGraph g{"Cliques", static_cast<std::uint32_t>(clique.size()), false, {}, {}};
  for (std::uint32_t u = 0; u < g.vertices; ++u)
    for (std::uint32_t v = 0; v < u; ++v)
      if (clique[u] == clique[v]) g.edges.emplace_back(u, v);
  return g;
}

TEST(Bisection, TakesTwoMixedCliquesApart) {
  const Context ctx = Context::cpu();
  const Ids clique = cliques_at_random(2);
  const Graph graph = make_graph(ctx, zoo::build(graph_of(clique)), false);
  const Array<VertexId> order = bisect(ctx, neighbour_queries(ctx, graph));
  for (std::size_t i = 0; i < order.size(); ++i)
    EXPECT_EQ(clique[order[i]], clique[order[i / 32 * 32]]) << i;
}
TEST(Bisection, BringsLevelsOfSearchesTogether) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(zoo::rmat(false)), false);
  const auto cost = [&](Method method) {
    const Permutation order = make_order(ctx, graph, {method});
    GapCost total;
    for (const VertexId source : {1u, 5u, 9u}) {
      const MultiBfsResult search = multi_bfs(ctx, graph, Ids{source});
      std::vector<std::uint32_t> depth(order.size());
      for (VertexId v = 0; v < order.size(); ++v) depth[order[v]] = search.depths(0)[v];
      total = total + intra_level_cost(depth);
    }
    return total.average();
  };
  EXPECT_LT(cost(Method::BfsBp), 0.8 * cost(Method::Random));
}
TEST(Bisection, IsTheSameWhateverTheThreadsInLargeParts) {
  // More vertices than one worker takes on alone.
  const zoo::RawGraph raw{"Wide", 70'000, true, zoo::random_edges(70'000, 200'000, 3), {}};
  graph::BuiltGraph built = zoo::build(raw);
  const CsrView in = built.in->view();
  std::vector<Ids> found;
  for (const int threads : {1, 3}) {
    const Context ctx =
        Context::cpu({threads, MemoryPool::kUnlimited, 0, MemoryPool::kUnlimited, {}});
    const Graph graph = make_graph(ctx, built.out.view(), &in, true);
    found.push_back(fathom::testing::to_vector(bisect(ctx, neighbour_queries(ctx, graph))));
  }
  EXPECT_TRUE(found[0] == found[1]);
  Ids sorted = found[0];
  std::sort(sorted.begin(), sorted.end());
  for (VertexId v = 0; v < sorted.size(); ++v) ASSERT_EQ(sorted[v], v);
}

}  // namespace
}  // namespace fathom::reorder
