#include "fathom/reorder/bisection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fathom/algorithms/multi_search/multi_bfs.hpp"
#include "fathom/reorder/metrics.hpp"
#include "fathom/reorder/order.hpp"
#include "fathom/reorder/queries.hpp"
#include "fathom/reorder/sorting.hpp"
#include "tests/reference/bisection.hpp"
#include "tests/suites/algorithm_suite.hpp"

namespace fathom::reorder {
namespace {

using Ids = std::vector<VertexId>;

/// The vertices of each query, ascending.
template <class Queries>
std::vector<Ids> members(const Queries& queries, VertexId vertices) {
  std::vector<Ids> of(queries.queries());
  for (VertexId v = 0; v < vertices; ++v) queries.each(v, [&](VertexId q) { of[q].push_back(v); });
  return of;
}

class Queries : public fathom::testing::AlgorithmSuite {
 protected:
  /// Targets of each vertex, each once, ascending.
  std::vector<Ids> lists() const {
    std::vector<Ids> lists;
    for (const auto& list : reference_graph().out) {
      std::set<VertexId> targets;
      for (const auto& arc : list) targets.insert(arc.target);
      lists.emplace_back(targets.begin(), targets.end());
    }
    return lists;
  }
};

TEST_P(Queries, OfNeighboursAreTheListsWithoutRepetitions) {
  const Context ctx = configuration().context();
  for (const bool in_edges : {true, false}) {
    const Graph graph = place(ctx, in_edges);
    const VertexId n = graph.vertices();
    const QueryCounts counts = count_queries(ctx, graph);
    const Array<VertexId> all = natural_order(ctx, n);
    const NeighbourQueries queries(ctx, graph, all.span(), counts.of.span());
    EXPECT_EQ(members(queries, n), lists());
    std::size_t longest = 0;
    for (const Ids& list : lists()) longest = std::max(longest, list.size());
    EXPECT_EQ(counts.longest, longest);
  }
}
TEST_P(Queries, OfSomeMembersAreNamedInTheirOrder) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  Ids some, slots;  // every third vertex, the last one first
  for (VertexId v = graph.vertices(); v-- > 0;)
    if (v % 3 == 0) some.push_back(v);
  for (VertexId i = 0; i < some.size(); i += 2) slots.push_back(i);
  const QueryCounts counts = count_queries(ctx, graph);
  NeighbourQueries queries(ctx, graph, some, counts.of.span());
  std::vector<Ids> before;
  std::set<VertexId> met;
  for (const VertexId s : slots) {
    queries.each(s, [&](VertexId q) { met.insert(q); });
    before.emplace_back();
    queries.each(s, [&](VertexId q) { before.back().push_back(q); });
    EXPECT_EQ(queries.entries(s), counts.of[some[s]]);
  }
  EXPECT_EQ(queries.rename(slots, ctx.host_memory()), met.size());
  const Ids name(met.begin(), met.end());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Ids after;
    queries.each(slots[i], [&](VertexId q) { after.push_back(name[q]); });
    EXPECT_EQ(after, before[i]);
  }
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
  const LevelQueries levels(ctx, graph, sources);
  levels.view([&](auto view) { EXPECT_EQ(members(view, graph.vertices()), expected); });
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
  const Array<VertexId> order = bisect_by_neighbours(ctx, graph);
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
/// A graph whose pool has no more than `bytes`, which the arrays of edges do not come from.
Ids order_within(const graph::BuiltGraph& built, bool directed, std::size_t bytes, int threads,
                 std::size_t* peak = nullptr) {
  const Context ctx = Context::cpu({threads, bytes, 0, MemoryPool::kUnlimited, {}});
  const Graph graph = make_graph(ctx, built.out.view(), nullptr, directed);
  Ids order = fathom::testing::to_vector(bisect_by_neighbours(ctx, graph));
  if (peak) *peak = ctx.peak_host_bytes();
  return order;
}

/// The budget that refusals lead to.
std::size_t named_budget(const graph::BuiltGraph& built, bool directed) {
  std::size_t budget = 1 << 20;
  for (int refusals = 0; refusals < 3; ++refusals) {
    try {
      order_within(built, directed, budget, 2);
      return budget;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::DoesNotFit);
      const std::string what = e.what();
      const std::size_t at = what.find("at least ");
      if (at == std::string::npos) break;
      budget = std::stoul(what.substr(at + 9)) * 1024;
    }
  }
  ADD_FAILURE() << "a budget that was named did not do";
  return budget;
}

TEST(Bisection, IsTheSameWhateverTheThreadsAndTheMemory) {
  // More vertices than one worker takes on alone; a hub that is a query larger than a block.
  for (const bool directed : {true, false}) {
    zoo::RawGraph raw{"Wide", 40'000, directed, zoo::random_edges(40'000, 240'000, 3), {}};
    for (std::uint32_t v = 0; v < 36'000; ++v) raw.edges.emplace_back(77u, v);
    const graph::BuiltGraph built = zoo::build(raw);
    std::size_t most = 0;
    const Ids order = order_within(built, directed, MemoryPool::kUnlimited, 3, &most);
    Ids sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (VertexId v = 0; v < sorted.size(); ++v) ASSERT_EQ(sorted[v], v);
    EXPECT_TRUE(order_within(built, directed, MemoryPool::kUnlimited, 1) == order);
    // From passes for the whole graph alone to passes for most depths.
    const std::size_t least = named_budget(built, directed);
    EXPECT_LT(least, most * 2 / 3);
    for (const std::size_t budget : {most - 1, (most + least) / 2, least}) {
      std::size_t peak = 0;
      EXPECT_TRUE(order_within(built, directed, budget, 2, &peak) == order) << budget;
      EXPECT_LE(peak, budget);
    }
    EXPECT_THROW(order_within(built, directed, least - 1024, 2), Error);
  }
}
TEST(Bisection, OfLevelsIsTheSameWhateverTheMemory) {
  // Long enough that levels take two bytes, found only in the second batch: the first sources see
  // nothing but a short end.
  zoo::RawGraph raw{"Path", 40'000, true, {}, {}};
  for (std::uint32_t v = 0; v + 1 < raw.vertices; ++v)
    if (v % 4'000 != 100) raw.edges.emplace_back(v, v + 1);
  const graph::BuiltGraph built = zoo::build(raw);
  Ids sources;
  for (VertexId i = 0; i < 40; ++i) sources.push_back(i < 32 ? 40 + i : (i - 31) * 4'000 + 101);
  std::vector<Ids> found;
  for (const std::size_t budget : {MemoryPool::kUnlimited, std::size_t{9} << 20}) {
    const Context ctx = Context::cpu({2, budget, 0, MemoryPool::kUnlimited, {}});
    const Graph graph = make_graph(ctx, built.out.view(), nullptr, true);
    found.push_back(fathom::testing::to_vector(bisect_by_levels(ctx, graph, sources)));
    EXPECT_LE(ctx.peak_host_bytes(), budget);
  }
  EXPECT_TRUE(found[0] == found[1]);
}

/// The order by a program that shares nothing with the engine.
Ids reference_order(const reference::Graph& graph) {
  std::vector<Ids> queries;
  for (const auto& list : graph.out) {
    std::set<VertexId> targets;
    for (const auto& arc : list) targets.insert(arc.target);
    queries.emplace_back(targets.begin(), targets.end());
  }
  return reference::bisect(graph.n, queries);
}

TEST_P(Queries, BisectAsTheReferenceDoes) {
  const Context ctx = configuration().context();
  const Ids order = fathom::testing::to_vector(bisect_by_neighbours(ctx, place(ctx)));
  EXPECT_EQ(order, reference_order(reference_graph()));
}

}  // namespace
}  // namespace fathom::reorder
