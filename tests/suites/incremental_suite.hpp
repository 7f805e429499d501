// Results that follow a graph: after every batch those of a computation from the beginning. Whoever
// follows, wherever the graph is.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/dynamic/follow/incremental.hpp"
#include "fathom/dynamic/live/live_changes.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {

/// A graph that results follow, and how it changes.
struct FollowedGraph {
  std::string name;
  DynamicLayoutKind layout = DynamicLayoutKind::Ouro;
  bool directed = false;
  DuplicatePolicy duplicates = DuplicatePolicy::Ignore;
  VertexId vertices = 60;
  std::uint32_t edges = 120;  // at first
  std::uint32_t updates = 6, batches = 200;
  bool skewed = false;
  bool in_edges = true;
  FollowBy by = FollowBy::Auto;
  bool weighted = false;

  friend std::ostream& operator<<(std::ostream& out, const FollowedGraph& s) {
    return out << s.name;
  }
};

/// Such a graph, and batches for it.
class Following {
 public:
  Following(Context context, const FollowedGraph& s, std::uint64_t seed)
      : s_(s), dice_(seed), ctx_(std::move(context)), graph_(ctx_, options(s)) {
    std::vector<EdgeUpdate> first;
    for (std::uint32_t i = 0; i < s.edges; ++i) first.push_back(insertion(draw(), draw()));
    graph_.apply({s.vertices, first, {}});
  }

  const Context& context() const { return ctx_; }
  DynamicGraph& graph() { return graph_; }

  /// Insertions and deletions, most of them of edges that are there, and vertices.
  AppliedBatch step() {
    std::vector<EdgeUpdate> updates;
    const VertexId fresh = dice_.roll(4) == 0 ? 2 : 0;
    const std::vector<VertexId> indices = graph_.next_vertices(fresh);
    for (const VertexId v : indices) updates.push_back(insertion(existing(), v));
    const bool grows = dice_.roll(2) == 0;
    for (std::uint32_t i = 0; i < s_.updates; ++i) {
      const VertexId u = existing(), v = existing();
      if (dice_.roll(8) < (grows ? 5u : 2u)) {
        updates.push_back(insertion(u, v));
        continue;
      }
      const std::vector<VertexId> from{u};
      const Csr list = graph_.neighbors(from);
      const bool some = list.target.size() > 0;
      const VertexId known =
          some ? list.target[dice_.roll(static_cast<std::uint32_t>(list.target.size()))] : v;
      if (s_.weighted && dice_.roll(2) == 0)  // another weight, or beside it
        updates.push_back(insertion(u, known));
      else
        updates.push_back(EdgeUpdate::remove(u, known));
    }
    std::vector<VertexId> gone;
    if (dice_.roll(6) == 0) gone.push_back(existing());
    return graph_.apply_recorded({fresh, updates, gone});
  }

 private:
  static DynamicGraphOptions options(const FollowedGraph& s) {
    DynamicGraphOptions o;
    o.layout = s.layout;
    o.page_bytes = 32;
    o.directed = s.directed;
    o.duplicates = s.duplicates;
    o.in_edges = s.in_edges;
    if (s.weighted) o.edges = EdgeKind::Weighted;
    o.memory = std::size_t{1} << 27;
    o.most_vertices = 1u << 16;
    return o;
  }
  /// Weights that make paths equal, without length, or too short to change a sum.
  EdgeUpdate insertion(VertexId u, VertexId v) {
    constexpr Weight kWeights[] = {0, 0, .5F, 1, 1, 3, .1F, 1e8F};
    return EdgeUpdate::insert(u, v, s_.weighted ? kWeights[dice_.roll(8)] : 1);
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

  FollowedGraph s_;
  zoo::Dice dice_;
  Context ctx_;
  DynamicGraph graph_;
};

inline void expect_levels_of_a_search(Following& f, const FollowedGraph& s) {
  const std::vector<VertexId> sources{3, 17};
  IncrementalBfs levels(f.graph(), sources, s.by);
  for (std::uint32_t b = 0; b < s.batches; ++b) {
    levels.update(f.step());
    const BfsResult known = bfs(f.context(), f.graph().graph(), sources);
    ASSERT_TRUE(std::ranges::equal(levels.depths(), known.depth)) << "batch " << b;
    ASSERT_EQ(levels.reached(), known.reached);
    ASSERT_EQ(levels.max_depth(), known.max_depth);
    ASSERT_EQ(levels.depth(5), known.depth[5]);
  }
}

inline void expect_components_of_a_search(Following& f, const FollowedGraph& s) {
  IncrementalComponents parts(f.graph(), s.by);
  for (std::uint32_t b = 0; b < s.batches; ++b) {
    parts.update(f.step());
    const ComponentsResult known = connected_components(f.context(), f.graph().graph());
    ASSERT_TRUE(std::ranges::equal(parts.labels(), known.label)) << "batch " << b;
    ASSERT_EQ(parts.components(), known.components);
    ASSERT_EQ(parts.largest(), known.largest);
    ASSERT_EQ(parts.label(5), known.label[5]);
  }
}

inline void expect_ranks_within_tolerance(Following& f, const FollowedGraph& s) {
  constexpr double kTolerance = 1e-6;
  IncrementalPagerank ranks(f.graph(), {.alpha = .85, .tolerance = kTolerance, .by = s.by});
  double worst = 0;
  for (std::uint32_t b = 0; b < s.batches; ++b) {
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

inline std::vector<FollowedGraph> followed_graphs() {
  std::vector<FollowedGraph> all;
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

/// A failed update leaves no result, and the next one computes it. There is more and more memory:
/// updates fail at one point after the other.
template <class Result, class Read, class Expected>
void expect_recovery(Result& result, const DynamicGraph& graph,
                     const std::shared_ptr<MemoryPool>& pool, const AppliedBatch& batch,
                     const Read& read, const Expected& expected) {
  int failed = 0;
  for (std::size_t left = 0;; left += 80'000) {
    const Array<std::byte> taken(pool->available() - left, pool);
    try {
      result.update(batch);
      break;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::DoesNotFit);
      ++failed;
    }
    expect_error(
        ErrorCode::Usage, [&] { read(); }, "could not be followed");
  }
  EXPECT_GT(failed, 1);
  EXPECT_TRUE(read() == expected(graph.graph()));
}

/// Levels, components and ranks of a graph, compared with those of a computation.
class AllResults {
 public:
  AllResults(Following& f, FollowBy by)
      : f_(f),
        levels_(f.graph(), source_, by),
        parts_(f.graph(), by),
        ranks_(f.graph(), {.by = by}) {}

  void update(const AppliedBatch& batch) {
    levels_.update(batch);
    parts_.update(batch);
    ranks_.update(batch);
  }
  void expect_refused(const AppliedBatch& batch, const std::string& why) {
    expect_error(
        ErrorCode::Usage, [&] { levels_.update(batch); }, why);
    expect_error(
        ErrorCode::Usage, [&] { parts_.update(batch); }, why);
    expect_error(
        ErrorCode::Usage, [&] { ranks_.update(batch); }, why);
  }
  void expect_right() {
    const Graph now = f_.graph().graph();
    EXPECT_TRUE(std::ranges::equal(levels_.depths(), bfs(f_.context(), now, source_).depth));
    const ComponentsResult known = connected_components(f_.context(), now);
    EXPECT_TRUE(std::ranges::equal(parts_.labels(), known.label));
    EXPECT_EQ(parts_.components(), known.components);
    EXPECT_EQ(parts_.largest(), known.largest);
    PagerankOptions exact;
    exact.tolerance = 1e-12;
    exact.max_iterations = 1000;
    const PagerankResult ranks = pagerank(f_.context(), now, exact);
    const std::vector<double> mine = ranks_.ranks();
    ASSERT_EQ(mine.size(), ranks.rank.size());
    double apart = 0;
    for (std::size_t v = 0; v < mine.size(); ++v) apart += std::abs(mine[v] - ranks.rank[v]);
    EXPECT_LE(apart, 1e-6 * .85 / .15);
  }

 private:
  Following& f_;
  std::vector<VertexId> source_{3, 17};
  IncrementalBfs levels_;
  IncrementalComponents parts_;
  IncrementalPagerank ranks_;
};

/// Batches that are recorded, batches that are not and phases in which loops or kernels change the
/// graph, `change(lists, edge)` for each of some edges, in any order: after the next recorded batch
/// results are right again, and go on to be.
template <class Change>
void expect_right_results_after_what_is_not_recorded(Following& f, FollowBy by,
                                                     const Change& change) {
  AllResults results(f, by);
  zoo::Dice dice(77);
  const auto phase = [&] {
    std::vector<EdgeUpdate> edges;
    const auto n = static_cast<std::uint32_t>(f.graph().vertices());
    for (int i = 0; i < 20; ++i)
      edges.push_back({dice.roll(n), dice.roll(n), 1, dice.roll(2) == 0});
    LiveChanges changing = f.graph().change_in_kernels({});
    change(changing.lists(), edges);
    changing.finish();
  };
  for (int round = 0; round < 25; ++round) {
    SCOPED_TRACE(round);
    switch (dice.roll(4)) {
      case 0:
        phase();
        break;
      case 1:
        f.step();
        break;
      case 2:
        phase(), f.step(), phase();
        break;
      default:
        break;
    }
    const AppliedBatch batch = dice.roll(3) == 0 ? f.graph().apply_recorded({}) : f.step();
    results.update(batch);
    results.expect_right();
    if (::testing::Test::HasFailure()) return;
  }
}

/// Levels from vertex 0 and components of a graph, compared after every batch.
class Watched {
 public:
  Watched(Context context, const DynamicGraphOptions& options, FollowBy by, VertexId n,
          std::vector<EdgeUpdate> edges)
      : ctx_(std::move(context)), graph_(ctx_, options) {
    graph_.apply({n, edges, {}});
    levels_.emplace(graph_, source_, by);
    parts_.emplace(graph_, by);
  }
  void exchange(std::vector<EdgeUpdate> updates, VertexId fresh = 0) {
    const AppliedBatch batch = graph_.apply_recorded({fresh, updates, {}});
    levels_->update(batch);
    parts_->update(batch);
    EXPECT_TRUE(std::ranges::equal(levels_->depths(), bfs(ctx_, graph_.graph(), source_).depth));
    const ComponentsResult known = connected_components(ctx_, graph_.graph());
    EXPECT_TRUE(std::ranges::equal(parts_->labels(), known.label));
    EXPECT_EQ(parts_->components(), known.components);
    EXPECT_EQ(parts_->largest(), known.largest);
    EXPECT_EQ(parts_->label(1), known.label[1]);
  }

 private:
  Context ctx_;
  std::vector<VertexId> source_{0};
  DynamicGraph graph_;
  std::optional<IncrementalBfs> levels_;
  std::optional<IncrementalComponents> parts_;
};

inline void expect_right_results_of_a_path(Context context, FollowBy by) {
  using U = EdgeUpdate;
  constexpr VertexId kPath = 60000;
  std::vector<U> path;
  for (VertexId v = 0; v + 1 < kPath; ++v) path.push_back(U::insert(v, v + 1));
  Watched graph(std::move(context),
                {.directed = false, .memory = 1 << 24, .most_vertices = kPath + 2}, by, kPath,
                path);
  std::vector<U> far{U::remove(100, 101), U::insert(0, kPath - 1)};
  for (VertexId v = 101; v < 200; ++v) far.push_back(U::insert(v, v + 2));
  graph.exchange(far);  // takes too long
  far.clear();
  for (VertexId v = 500; v < 600; ++v) far.push_back(U::remove(v, v + 1));
  graph.exchange(far);  // so is not tried
  graph.exchange({U::remove(0, kPath - 1)});
  graph.exchange({U::insert(500, 501), U::insert(9, 20), U::remove(40, 41)});
  graph.exchange({});
  graph.exchange({}, 2);
  graph.exchange({U::remove(30000, 30001)});
  graph.exchange({U::insert(30000, 30001)});
  graph.exchange({U::remove(9, 20)});
  for (VertexId round = 0; round < 20; ++round) {  // some of which try again
    graph.exchange({U::remove(200 + round, 201 + round), U::insert(300, kPath - 5)});
    graph.exchange({U::insert(200 + round, 201 + round), U::remove(300, kPath - 5)});
  }
}

/// A hub and a rim, of which a part loses the hub and is far away then: to find that, or how the
/// parts hang together, takes a superstep for each of its vertices.
inline void expect_right_results_of_a_wheel(Context context, FollowBy by) {
  using U = EdgeUpdate;
  constexpr VertexId kRim = 400;
  std::vector<U> wheel;
  for (VertexId v = 1; v <= kRim; ++v) {
    wheel.push_back(U::insert(0, v));
    wheel.push_back(U::insert(v, v % kRim + 1));
  }
  Watched graph(std::move(context),
                {.directed = false, .memory = 1 << 22, .most_vertices = kRim + 1}, by, kRim + 1,
                wheel);
  const auto spokes = [&](VertexId first, VertexId last, bool there) {
    std::vector<U> updates;
    for (VertexId v = first; v < last; ++v)
      updates.push_back(there ? U::insert(0, v) : U::remove(0, v));
    return updates;
  };
  graph.exchange(spokes(1, 11, false));
  graph.exchange({U::remove(1, 2), U::remove(5, 6)});  // cuts off a part
  graph.exchange({U::insert(1, 2)});
  for (int round = 0; round < 6; ++round) {
    graph.exchange(spokes(100, 190, false));  // farther away than a repair goes
    graph.exchange({U::insert(5, 6), U::remove(140, 141)});
    graph.exchange({U::remove(5, 6)});
    graph.exchange(spokes(100, 190, true));
    graph.exchange(spokes(30, 33, round % 2 != 0));
  }
}

/// Beside a star, vertices without edges are tied to each other, each to the next one and all to
/// one, so that they are near, and later to the star; then each to the next one alone.
inline void expect_right_results_of_joined_vertices(Context context, FollowBy by) {
  using U = EdgeUpdate;
  constexpr VertexId kLeaves = 60000, kAlone = 1500, kHub = kAlone, kAll = kLeaves + 2 * kAlone;
  std::vector<U> star;
  for (VertexId v = 1; v < kLeaves; ++v) star.push_back(U::insert(kHub, kHub + v));
  Watched graph(std::move(context), {.directed = false, .memory = 1 << 24, .most_vertices = kAll},
                by, kAll, star);
  std::vector<U> chain, near;
  for (VertexId v = kAll - 1; v > kAll - kAlone; --v) chain.push_back(U::insert(v, v - 1));
  for (VertexId v = 0; v + 1 < kAlone; ++v) chain.push_back(U::insert(v, v + 1));
  near = chain;
  for (VertexId v = 0; v < kAlone; ++v) near.push_back(U::insert(kAll - 1 - v, v));
  for (VertexId v = 1; v < kAlone; ++v) near.push_back(U::insert(v, 0));
  graph.exchange(near);
  graph.exchange({U::insert(5, kHub + 7), U::remove(1, 2)});
  graph.exchange({U::remove(5, kHub + 7)});
  for (U& u : near) u = U::remove(u.source, u.target);
  graph.exchange(near);
  graph.exchange(chain);
}

}  // namespace fathom::testing
