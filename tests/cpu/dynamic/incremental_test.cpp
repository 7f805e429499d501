// Results that follow a graph: after every batch those of a computation from the beginning.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "fathom/algorithms/bfs.hpp"
#include "fathom/algorithms/components.hpp"
#include "fathom/algorithms/pagerank.hpp"
#include "fathom/dynamic/incremental.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {
namespace {

struct Setting {
  std::string name;
  DynamicLayoutKind layout = DynamicLayoutKind::Ouro;
  bool directed = false;
  DuplicatePolicy duplicates = DuplicatePolicy::Ignore;
  VertexId vertices = 60;
  std::uint32_t edges = 120;  // at first
  std::uint32_t updates = 6, batches = 200;
  bool skewed = false;
  bool in_edges = true;

  friend std::ostream& operator<<(std::ostream& out, const Setting& s) { return out << s.name; }
};

class Following {
 public:
  Following(const Setting& s, std::uint64_t seed)
      : s_(s), dice_(seed), ctx_(Context::cpu(two_threads())), graph_(ctx_, options(s)) {
    std::vector<EdgeUpdate> first;
    for (std::uint32_t i = 0; i < s.edges; ++i) first.push_back(EdgeUpdate::insert(draw(), draw()));
    graph_.apply({s.vertices, first, {}});
  }

  const Context& context() const { return ctx_; }
  DynamicGraph& graph() { return graph_; }

  /// Insertions and deletions, most of them of edges that are there, and vertices.
  AppliedBatch step() {
    std::vector<EdgeUpdate> updates;
    const VertexId fresh = dice_.roll(4) == 0 ? 2 : 0;
    const std::vector<VertexId> indices = graph_.next_vertices(fresh);
    for (const VertexId v : indices) updates.push_back(EdgeUpdate::insert(existing(), v));
    const bool grows = dice_.roll(2) == 0;
    for (std::uint32_t i = 0; i < s_.updates; ++i) {
      const VertexId u = existing(), v = existing();
      if (dice_.roll(8) < (grows ? 5u : 2u)) {
        updates.push_back(EdgeUpdate::insert(u, v));
        continue;
      }
      const std::vector<VertexId> from{u};
      const Csr list = graph_.neighbors(from);
      const bool some = list.target.size() > 0;
      updates.push_back(EdgeUpdate::remove(
          u, some ? list.target[dice_.roll(static_cast<std::uint32_t>(list.target.size()))] : v));
    }
    std::vector<VertexId> gone;
    if (dice_.roll(6) == 0) gone.push_back(existing());
    return graph_.apply_recorded({fresh, updates, gone});
  }

 private:
  static CpuOptions two_threads() {
    CpuOptions cpu;
    cpu.threads = 2;
    return cpu;
  }
  static DynamicGraphOptions options(const Setting& s) {
    DynamicGraphOptions o;
    o.layout = s.layout;
    o.page_bytes = 32;
    o.directed = s.directed;
    o.duplicates = s.duplicates;
    o.in_edges = s.in_edges;
    o.memory = std::size_t{1} << 27;
    o.most_vertices = 1u << 16;
    return o;
  }
  VertexId draw() {
    const VertexId v = dice_.roll(static_cast<std::uint32_t>(s_.vertices));
    return s_.skewed ? std::min<VertexId>(v, dice_.roll(static_cast<std::uint32_t>(s_.vertices)))
                     : v;
  }
  VertexId existing() {
    VertexId v = draw();
    while (!graph_.exists(v)) v = (v + 1) % s_.vertices;
    return v;
  }

  Setting s_;
  zoo::Dice dice_;
  Context ctx_;
  DynamicGraph graph_;
};

class Incremental : public ::testing::TestWithParam<Setting> {};

TEST_P(Incremental, breadth_first_levels_are_those_of_a_search) {
  Following f(GetParam(), 11);
  const std::vector<VertexId> sources{3, 17};
  IncrementalBfs levels(f.graph(), sources);
  for (std::uint32_t b = 0; b < GetParam().batches; ++b) {
    levels.update(f.step());
    const BfsResult known = bfs(f.context(), f.graph().graph(), sources);
    ASSERT_TRUE(std::ranges::equal(levels.depths(), known.depth)) << "batch " << b;
    ASSERT_EQ(levels.reached(), known.reached);
    ASSERT_EQ(levels.max_depth(), known.max_depth);
  }
}

TEST_P(Incremental, components_are_those_of_a_search) {
  Following f(GetParam(), 12);
  IncrementalComponents parts(f.graph());
  for (std::uint32_t b = 0; b < GetParam().batches; ++b) {
    parts.update(f.step());
    const ComponentsResult known = connected_components(f.context(), f.graph().graph());
    ASSERT_TRUE(std::ranges::equal(parts.labels(), known.label)) << "batch " << b;
    ASSERT_EQ(parts.components(), known.components);
    ASSERT_EQ(parts.largest(), known.largest);
  }
}

TEST_P(Incremental, ranks_are_within_the_tolerance_of_an_exact_iteration) {
  Following f(GetParam(), 13);
  constexpr double kTolerance = 1e-6;
  IncrementalPagerank ranks(f.graph(), {.alpha = .85, .tolerance = kTolerance});
  double worst = 0;
  for (std::uint32_t b = 0; b < GetParam().batches; ++b) {
    ranks.update(f.step());
    PagerankOptions exact;
    exact.tolerance = 1e-12;
    exact.max_iterations = 1000;
    const PagerankResult known = pagerank(f.context(), f.graph().graph(), exact);
    const std::vector<double> mine = ranks.ranks();
    ASSERT_EQ(mine.size(), known.rank.size());
    double distance = 0;
    for (std::size_t v = 0; v < mine.size(); ++v) distance += std::abs(mine[v] - known.rank[v]);
    worst = std::max(worst, distance);
    ASSERT_LE(distance, kTolerance * .85 / .15) << "batch " << b;
  }
  EXPECT_GT(worst, 0);  // not that of a computation from the beginning
}

std::vector<Setting> settings() {
  std::vector<Setting> all;
  all.push_back({.name = "sparse_undirected", .edges = 50, .updates = 3});
  all.push_back({.name = "directed", .directed = true});
  all.push_back({.name = "sparse_directed", .directed = true, .edges = 60, .updates = 4});
  all.push_back({.name = "several_edges_of_a_pair",
                 .directed = true,
                 .duplicates = DuplicatePolicy::Keep,
                 .vertices = 25});
  all.push_back({.name = "linked_pages", .layout = DynamicLayoutKind::Faim, .edges = 80});
  all.push_back({.name = "gaps", .layout = DynamicLayoutKind::Aim, .directed = true});
  all.push_back({.name = "hubs",
                 .vertices = 1500,
                 .edges = 4000,
                 .updates = 40,
                 .batches = 40,
                 .skewed = true});
  all.push_back({.name = "batches_larger_than_the_graph",
                 .vertices = 40,
                 .edges = 30,
                 .updates = 80,
                 .batches = 40});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Graphs, Incremental, ::testing::ValuesIn(settings()),
                         [](const auto& param) { return param.param.name; });

TEST(IncrementalResults, follow_one_batch_after_the_other) {
  Following f({.name = "", .directed = true}, 1);
  const std::vector<VertexId> source{0};
  IncrementalBfs levels(f.graph(), source);
  const AppliedBatch first = f.step(), second = f.step();
  expect_error(
      ErrorCode::Usage, [&] { levels.update(first); }, "not what follows");
  expect_error(
      ErrorCode::Usage, [&] { levels.update(second); }, "not what follows");
  IncrementalPagerank ranks(f.graph());
  f.step();
  expect_error(
      ErrorCode::Usage, [&] { ranks.update(f.step()); }, "not what follows");
}

TEST(IncrementalResults, refuse_what_they_cannot_follow) {
  Following f({.name = "", .directed = true, .in_edges = false}, 1);
  const std::vector<VertexId> source{0}, none, far{70000};
  expect_error(
      ErrorCode::Usage, [&] { IncrementalBfs(f.graph(), source); }, "in-edges");
  expect_error(
      ErrorCode::Usage, [&] { IncrementalComponents(f.graph()); }, "in-edges");
  Following undirected({.name = ""}, 1);
  expect_error(
      ErrorCode::Usage, [&] { IncrementalBfs(undirected.graph(), none); }, "");
  expect_error(
      ErrorCode::Usage, [&] { IncrementalBfs(undirected.graph(), far); }, "");
  for (const double bad : {-.1, 1.0})
    expect_error(
        ErrorCode::Usage, [&] { IncrementalPagerank(f.graph(), {.alpha = bad}); }, "alpha");
  IncrementalPagerank ranks(f.graph());  // needs out-edges only
  ranks.update(f.step());
}

TEST(IncrementalResults, say_exactly_what_a_batch_changed) {
  const Context ctx = Context::cpu();
  DynamicGraph graph(ctx, {.directed = false, .memory = 1 << 20, .most_vertices = 100});
  using U = EdgeUpdate;
  const std::vector<U> first{U::insert(0, 1), U::insert(1, 2), U::insert(2, 2), U::insert(3, 0)};
  graph.apply({4, first, {}});
  const std::vector<U> updates{U::insert(0, 1), U::remove(2, 1), U::insert(1, 2),
                               U::insert(4, 1), U::remove(0, 3), U::remove(0, 2)};
  const std::vector<VertexId> gone{2};
  const AppliedBatch applied = graph.apply_recorded({1, updates, gone});
  std::vector<std::vector<VertexId>> edges, lists;
  for (const ChangedEdge& e : applied.edge)
    edges.push_back({e.source, e.target, e.before, e.after});
  for (const ChangedList& l : applied.list) lists.push_back({l.source, l.before, l.after});
  EXPECT_EQ(edges, (std::vector<std::vector<VertexId>>{{0, 3, 1, 0},
                                                       {1, 2, 1, 0},
                                                       {1, 4, 0, 1},
                                                       {2, 1, 1, 0},
                                                       {2, 2, 1, 0},
                                                       {3, 0, 1, 0},
                                                       {4, 1, 0, 1}}));
  EXPECT_EQ(lists, (std::vector<std::vector<VertexId>>{
                       {0, 2, 1}, {1, 2, 2}, {2, 2, 0}, {3, 1, 0}, {4, 0, 1}}));
  EXPECT_EQ(applied.report.number, 2u);
}

}  // namespace
}  // namespace fathom::testing
