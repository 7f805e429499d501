// Components that are repaired near the edges that are gone: labels are those of a computation
// whenever a repair says that it is done, and it is where it should be.
#include "fathom/dynamic/follow/local_components.hpp"

#include <gtest/gtest.h>

#include "fathom/dynamic/dynamic_state.hpp"
#include "tests/suites/long_graphs.hpp"

namespace fathom::testing {
namespace {

using dynamic::LocalComponents;
using U = EdgeUpdate;

Context local_context() {
  CpuOptions cpu;
  cpu.threads = 2;
  return Context::cpu(cpu);
}

std::vector<U> operator+(std::vector<U> a, const std::vector<U>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class LocalRepair {
 public:
  LocalRepair(bool directed, VertexId vertices, const std::vector<U>& edges)
      : graph_(ctx_, {.directed = directed, .memory = 1 << 24, .most_vertices = 1 << 16}),
        parts_(ctx_) {
    graph_.apply({vertices, edges, {}});
    parts_.assign(connected_components(ctx_, graph_.graph()).label.span());
  }

  /// Whether the repair said that it was done; its labels are right then, and else assigned.
  bool update(const std::vector<U>& edges, const std::vector<VertexId>& gone = {},
              VertexId fresh = 0) {
    const AppliedBatch applied = graph_.apply_recorded({fresh, edges, gone});
    const auto& state = *graph_.state();
    const bool both = state.both_directions();
    const bool done = parts_.repair(applied.in_place(), {state.view(false), state.view(both), both},
                                    state.options.directed, state.vertices());
    const ComponentsResult known = connected_components(ctx_, graph_.graph());
    if (done) {
      const std::vector<VertexId> mine = parts_.labels();
      EXPECT_TRUE(std::ranges::equal(mine, known.label));
      EXPECT_EQ(parts_.label(5), known.label[5]);
    }
    parts_.assign(known.label.span());
    return done;
  }

 private:
  Context ctx_ = local_context();
  DynamicGraph graph_;
  LocalComponents parts_;
};

TEST(LocalComponents, knows_of_ways_around_and_of_small_pieces) {
  for (const bool directed : {false, true}) {
    SCOPED_TRACE(directed);
    // Two long paths side by side with rungs, a short path that hangs on one of them, and a pair.
    std::vector<U> edges = path(0, 999) + path(1000, 1999) + path(2000, 2009);
    for (VertexId v = 0; v < 1000; v += 10) edges.push_back(U::insert(v, 1000 + v));
    LocalRepair f(directed, 2100,
                  edges + std::vector<U>{U::insert(2009, 500), U::insert(2050, 2051)});
    EXPECT_TRUE(f.update({U::remove(501, 502)}));    // there is a way around
    EXPECT_TRUE(f.update({U::remove(2004, 2005)}));  // the end of what hangs there
    EXPECT_TRUE(f.update({U::remove(2009, 500)}));   // and the rest of it
    EXPECT_TRUE(f.update({U::insert(2004, 700), U::remove(2050, 2051), U::insert(2051, 2008)}));
    EXPECT_TRUE(
        f.update({U::remove(0, 1), U::remove(1000, 1001), U::insert(2099, 7)}));  // its label
    EXPECT_TRUE(f.update({U::insert(2100, 2101), U::insert(3, 2102)}, {}, 3));
    EXPECT_TRUE(f.update({}));
  }
}

TEST(LocalComponents, says_when_it_does_not_know) {
  LocalRepair f(false, 2000, path(0, 1999));
  EXPECT_FALSE(f.update({U::remove(1000, 1001)}));  // two long paths
  EXPECT_TRUE(f.update({U::insert(1000, 1001)}));
  // A piece between two long paths, which nothing ties to each other any more.
  EXPECT_FALSE(f.update({U::remove(999, 1000), U::remove(1003, 1004)}));
  EXPECT_TRUE(f.update({U::insert(999, 1004)}));
  // The same where something does.
  EXPECT_TRUE(f.update({U::insert(500, 502), U::insert(400, 404)}));
  EXPECT_TRUE(f.update({U::remove(500, 501), U::remove(501, 502)}));
  EXPECT_TRUE(f.update({}, {402}));
  // Two pieces, tied to each other before, between long paths.
  EXPECT_FALSE(f.update({U::remove(800, 801), U::remove(803, 804), U::remove(806, 807)}));
  EXPECT_TRUE(f.update({U::insert(1998, 0)}));
}

TEST(LocalComponents, looks_at_no_more_of_a_hubs_list_than_it_has_room_for) {
  std::vector<U> stars{U::insert(0, 1500)};
  for (VertexId v = 1; v < 3000; ++v) stars.push_back(U::insert(v < 1500 ? 0 : 1500, v));
  LocalRepair f(false, 3000, stars + std::vector<U>{U::insert(1, 2), U::insert(1, 3)});
  EXPECT_TRUE(f.update({U::remove(0, 1)}));
  EXPECT_TRUE(f.update({U::remove(0, 1000), U::remove(0, 2)}));
  EXPECT_TRUE(f.update({U::remove(0, 3)}));
  EXPECT_FALSE(f.update({U::remove(0, 1500)}));
}

/// Searches have room for some of many edges that are gone, whatever memory there is.
TEST(LocalComponents, leaves_many_edges_to_a_computation) {
  constexpr VertexId kPath = 20000;
  std::vector<U> edges = path(0, kPath - 1);
  for (VertexId v = 0; v < kPath; ++v) edges.push_back(U::insert(v, kPath + v));
  LocalRepair f(false, 2 * kPath, edges);
  std::vector<U> leaves;
  for (VertexId v = 0; v < 300; ++v) leaves.push_back(U::remove(v, kPath + v));
  EXPECT_TRUE(f.update(leaves));
  leaves.clear();
  for (VertexId v = 300; v < 700; ++v) leaves.push_back(U::remove(v, kPath + v));
  EXPECT_FALSE(f.update(leaves));
}

TEST(LocalComponents, are_those_of_a_computation_in_any_graph) {
  zoo::Dice dice(7);
  int done = 0, all = 0;
  for (int seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    const bool directed = seed % 2 != 0;
    const std::uint32_t n = seed % 3 == 0 ? 300 : 3000;
    std::vector<U> edges;
    if (seed % 4 < 2) {  // a circle with trees
      edges = path(0, n / 2) + std::vector<U>{U::insert(0, n / 2)};
      for (std::uint32_t v = n / 2 + 1; v < n; ++v) edges.push_back(U::insert(v, dice.roll(v)));
    } else {  // a forest of small trees, and some more
      for (std::uint32_t v = 1; v < n; ++v)
        if (dice.roll(20) != 0) edges.push_back(U::insert(v - 1 - dice.roll(std::min(v, 9u)), v));
    }
    LocalRepair f(directed, n, edges);
    for (int b = 0; b < 12; ++b) {
      SCOPED_TRACE(b);
      std::vector<U> updates;
      const std::uint32_t changes = 1 + dice.roll(b % 3 == 0 ? 60 : 6);
      for (std::uint32_t i = 0; i < changes; ++i) {
        const U& known = edges[dice.roll(static_cast<std::uint32_t>(edges.size()))];
        if (dice.roll(3) != 0)
          updates.push_back(U::remove(known.source, known.target));
        else if (dice.roll(2) != 0)
          updates.push_back(U::insert(known.source, known.target));
        else
          updates.push_back(U::insert(dice.roll(n), dice.roll(n)));
      }
      // A vertex comes, with edges, and goes.
      const VertexId fresh = b % 5 == 2 ? 1 : 0;
      if (fresh != 0)
        for (int i = 0; i < 3; ++i) updates.push_back(U::insert(n, dice.roll(n)));
      if (b % 5 == 4) updates.clear();
      const std::vector<VertexId> gone(b % 5 == 4 ? 1 : 0, VertexId{n});
      done += f.update(updates, gone, fresh) ? 1 : 0;
      ++all;
      if (::testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(done, all / 3);
  EXPECT_LT(done, all);
}

TEST(LocalComponents, follow_long_graphs_by_operators) {
  expect_components_of_long_graphs(local_context(), FollowBy::Operators);
}

}  // namespace
}  // namespace fathom::testing
