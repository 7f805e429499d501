#include "fathom/algorithms/kcore/kcore.hpp"
#include "fathom/dynamic/follow/core_repair.hpp"
#include "tests/cpu/follow/outgrown.hpp"
#include "tests/reference/kcore.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/incremental_reference.hpp"
#include "tests/suites/incremental_suite.hpp"

namespace fathom::testing {
namespace {

Context cores_context() {
  CpuOptions cpu;
  cpu.threads = 2;
  return Context::cpu(cpu);
}

void expect_cores_of(const IncrementalCores& followed, const Context& ctx,
                     const DynamicGraph& graph) {
  const std::vector<std::uint32_t> mine = followed.cores();
  EXPECT_EQ(mine, reference::core_numbers(reference_of(graph)).core);
  const KcoreResult known = kcore(ctx, graph.graph());
  EXPECT_TRUE(std::ranges::equal(mine, known.core));
  EXPECT_EQ(followed.degeneracy(), known.degeneracy);
  EXPECT_EQ(followed.core(5), known.core[5]);
}

class CoresThatFollow : public ::testing::TestWithParam<FollowedGraph> {};

TEST_P(CoresThatFollow, are_those_of_a_peeling) {
  Following f(cores_context(), GetParam(), 41);
  IncrementalCores followed(f.graph());
  for (std::uint32_t b = 0; b < GetParam().batches && !HasFailure(); ++b) {
    SCOPED_TRACE(b);
    followed.update(b % 19 == 18 ? (f.step(), f.step()) : f.step());
    expect_cores_of(followed, f.context(), f.graph());
  }
}

std::vector<FollowedGraph> graphs_with_cores() {
  std::vector<FollowedGraph> all = followed_graphs();
  all.push_back({.name = "dense", .vertices = 40, .edges = 500, .updates = 20});
  all.push_back({.name = "dense_directed",
                 .directed = true,
                 .duplicates = DuplicatePolicy::Keep,
                 .vertices = 30,
                 .edges = 400,
                 .updates = 16});
  all.push_back({.name = "many_of_a_kind", .vertices = 400, .edges = 700, .updates = 30});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Graphs, CoresThatFollow, ::testing::ValuesIn(graphs_with_cores()),
                         [](const auto& param) { return param.param.name; });

/// Adjacency lists, and the repair of their core numbers, which is held against its invariants
/// after every call.
class RepairedCores {
 public:
  auto around() const {
    return [this](VertexId v, const auto& visit) {
      for (const VertexId x : list_[v]) visit(x);
    };
  }

  explicit RepairedCores(VertexId n) : list_(n), repair_(n, MemoryPool::unlimited()) {
    repair_.start_anew(n);
    for (VertexId v = 0; v < n; ++v) repair_.place(v, 0);
  }

  void insert(VertexId u, VertexId v) {
    list_[u].push_back(v);
    list_[v].push_back(u);
    repair_.allow(kMany);
    repair_.inserted(u, v, around());
    expect_valid();
  }
  /// All of them at once.
  void remove(const std::vector<std::pair<VertexId, VertexId>>& edges) {
    for (const auto& [u, v] : edges) {
      list_[u].erase(std::ranges::find(list_[u], v));
      list_[v].erase(std::ranges::find(list_[v], u));
    }
    repair_.allow(kMany);
    for (const auto& [u, v] : edges) repair_.removed(u, v);
    repair_.lower(around());
    expect_valid();
  }
  const std::vector<VertexId>& list(VertexId v) const { return list_[v]; }
  std::uint32_t core(VertexId v) const { return repair_.core(v); }
  dynamic::CoreRepair& repair() { return repair_; }

 private:
  static constexpr std::int64_t kMany = 1 << 30;

  void expect_valid() {
    ASSERT_FALSE(repair_.gave_up());
    ASSERT_TRUE(repair_.valid(around()));
    std::vector<reference::Edge> edges;
    for (VertexId u = 0; u < list_.size(); ++u)
      for (const VertexId v : list_[u])
        if (u < v) edges.emplace_back(u, v, 1);
    const reference::Cores known = reference::core_numbers(
        reference::make_graph(static_cast<reference::Vertex>(list_.size()), edges, false));
    for (VertexId v = 0; v < list_.size(); ++v) ASSERT_EQ(repair_.core(v), known.core[v]);
  }

  std::vector<std::vector<VertexId>> list_;
  dynamic::CoreRepair repair_;
};

TEST(CoreRepair, keeps_its_order_while_graphs_of_all_densities_come_and_go) {
  for (const std::uint32_t n : {8u, 20u, 60u}) {
    zoo::Dice dice(n);
    RepairedCores graph(n);
    std::vector<std::pair<VertexId, VertexId>> edges;
    for (int round = 0; round < 400 && !::testing::Test::HasFatalFailure(); ++round) {
      SCOPED_TRACE(round);
      const bool grows = round / 100 % 2 == 0;
      for (std::uint32_t i = 0; i < (grows ? 4u : 1u); ++i) {
        const VertexId u = dice.roll(n), v = dice.roll(n);
        if (u == v) continue;
        edges.emplace_back(u, v);
        graph.insert(u, v);
      }
      std::vector<std::pair<VertexId, VertexId>> gone;
      for (std::uint32_t i = 0; i < (grows ? 1u : 5u) && !edges.empty(); ++i) {
        std::swap(edges[dice.roll(static_cast<std::uint32_t>(edges.size()))], edges.back());
        gone.push_back(edges.back());
        edges.pop_back();
      }
      graph.remove(gone);
    }
  }
}

TEST(CoreRepair, has_a_clique_fall_by_several_numbers_at_once) {
  constexpr VertexId kClique = 12;
  RepairedCores graph(kClique + 5);
  std::vector<std::pair<VertexId, VertexId>> gone;
  for (VertexId u = 0; u < kClique; ++u)
    for (VertexId v = 0; v < u; ++v) {
      graph.insert(u, v);
      if ((u + v) % 3 != 0) gone.emplace_back(u, v);
    }
  EXPECT_EQ(graph.core(0), kClique - 1);
  for (VertexId v = kClique; v < kClique + 5; ++v) graph.insert(v, v - 7), graph.insert(v, v - 5);
  graph.remove(gone);
  EXPECT_LT(graph.core(0), kClique / 2);
}

TEST(CoreRepair, stops_when_it_may_take_no_more_steps) {
  constexpr VertexId kPath = 200;
  RepairedCores graph(kPath);
  for (VertexId v = 0; v + 1 < kPath; ++v) graph.insert(v, v + 1);
  graph.insert(0, kPath - 1);  // a circle
  EXPECT_EQ(graph.core(7), 2u);
  graph.repair().allow(50);
  graph.repair().removed(0, kPath - 1);
  graph.repair().lower([](VertexId v, const auto& visit) {
    if (v > 0) visit(v - 1);
    if (v + 1 < kPath) visit(v + 1);
  });
  EXPECT_TRUE(graph.repair().gave_up());
}

/// Vertices are put behind one and the same, so that room runs out, and at both ends.
TEST(CoreOrder, finds_room_between_any_two) {
  constexpr VertexId kVertices = 3000;
  dynamic::CoreOrder order(kVertices, MemoryPool::unlimited());
  order.start_anew(kVertices);
  std::vector<VertexId> expected{0, 1};
  order.append(0, 3);
  order.append(1, 3);
  zoo::Dice dice(3);
  for (VertexId v = 2; v < kVertices; ++v) {
    const std::uint32_t way = dice.roll(20);
    if (way == 0) {
      order.append(v, 3);
      expected.push_back(v);
    } else if (way == 1) {
      order.prepend(v, 3);
      expected.insert(expected.begin(), v);
    } else {
      const VertexId place = way < 12 ? 0 : v - 1;  // a place that stays, or the one put in last
      order.insert_after(place, v);
      expected.insert(std::ranges::find(expected, place) + 1, v);
    }
  }
  EXPECT_TRUE(order.valid(3));
  for (std::size_t i = 1; i < expected.size(); ++i)
    ASSERT_TRUE(order.before(expected[i - 1], expected[i])) << i;
  for (VertexId v = 0; v < kVertices; v += 2)
    order.remove(v), order.append(v, static_cast<std::uint32_t>(v % 3));
  for (std::uint32_t level = 0; level < 5; ++level) EXPECT_TRUE(order.valid(level));
  EXPECT_TRUE(order.before(4, 2));  // of levels 1 and 2
}

TEST(IncrementalCores, peel_anew_where_repairs_take_long) {
  using U = EdgeUpdate;
  constexpr VertexId kCircle = 30000;
  const Context ctx = cores_context();
  DynamicGraph graph(ctx, {.directed = false, .memory = 1 << 24, .most_vertices = kCircle + 10});
  std::vector<U> circle;
  for (VertexId v = 0; v < kCircle; ++v) circle.push_back(U::insert(v, (v + 1) % kCircle));
  graph.apply({kCircle, circle, {}});
  IncrementalCores followed(graph);
  const auto exchange = [&](const std::vector<U>& updates, VertexId fresh = 0) {
    followed.update(graph.apply_recorded({fresh, updates, {}}));
    expect_cores_of(followed, ctx, graph);
  };
  exchange({U::remove(7, 8)});  // all of them fall
  EXPECT_EQ(followed.core(20000), 1u);
  exchange({U::insert(7, 8)});  // and rise
  EXPECT_EQ(followed.core(20000), 2u);
  for (VertexId round = 0; round < 15; ++round) {
    exchange({U::remove(round, round + 1)});
    exchange({U::insert(round, round + 1), U::insert(9, 500)});
    exchange({U::insert(round, round + 2), U::remove(9, 500), U::insert(kCircle + round / 2, 3)},
             round % 2 == 0 ? 1 : 0);
  }
}

TEST(IncrementalCores, refuse_what_they_cannot_follow) {
  Following one_way(cores_context(), {.name = "", .directed = true, .in_edges = false}, 1);
  expect_error(
      ErrorCode::Usage, [&] { IncrementalCores(one_way.graph()); }, "in-edges");
  Following f(cores_context(), {.name = ""}, 1), other(cores_context(), {.name = ""}, 2);
  IncrementalCores followed(f.graph());
  expect_error(
      ErrorCode::Usage, [&] { followed.update(other.step()); }, "another graph");
}

TEST(IncrementalCores, are_none_after_an_update_that_did_not_fit_and_are_found_again) {
  OutgrownGraph outgrown(2 * OutgrownGraph::kVertices);
  IncrementalCores followed(outgrown.graph);
  const AppliedBatch batch = outgrown.outgrow();
  expect_recovery(
      followed, outgrown.graph, outgrown.ctx.host_memory(), batch, [&] { return followed.cores(); },
      [&](const Graph& now) {
        const KcoreResult found = kcore(outgrown.ctx, now);
        return std::vector<std::uint32_t>(found.core.begin(), found.core.end());
      });
}

}  // namespace
}  // namespace fathom::testing
