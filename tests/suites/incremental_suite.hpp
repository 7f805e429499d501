// Results that follow a graph: after every batch those of a computation from the beginning. Whoever
// follows, wherever the graph is.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "fathom/algorithms/bfs.hpp"
#include "fathom/algorithms/components.hpp"
#include "fathom/algorithms/pagerank.hpp"
#include "fathom/dynamic/incremental.hpp"
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
  static DynamicGraphOptions options(const FollowedGraph& s) {
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
}  // namespace fathom::testing
