// Results that follow graphs on which a search takes many supersteps, so that no levels are kept.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "fathom/algorithms/components/components.hpp"
#include "fathom/dynamic/follow/incremental.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {

inline std::vector<EdgeUpdate> path(VertexId first, VertexId last) {
  std::vector<EdgeUpdate> edges;
  for (VertexId v = first; v < last; ++v) edges.push_back(EdgeUpdate::insert(v, v + 1));
  return edges;
}

inline void expect_components_of_long_graphs(const Context& ctx, FollowBy by) {
  constexpr VertexId kVertices = 4000;
  for (const bool directed : {false, true}) {
    SCOPED_TRACE(directed);
    DynamicGraph graph(ctx, {.directed = directed, .memory = 1 << 22, .most_vertices = 5000});
    graph.apply({kVertices, path(0, kVertices - 1), {}});
    IncrementalComponents parts(graph, by);
    zoo::Dice dice(3);
    for (int b = 0; b < 30; ++b) {
      SCOPED_TRACE(b);
      std::vector<EdgeUpdate> updates;
      for (std::uint32_t left = 1 + dice.roll(4); left > 0; --left) {
        EdgeUpdate e = EdgeUpdate::insert(dice.roll(kVertices - 1), 0);
        e.target = b % 3 == 2 ? dice.roll(kVertices) : e.source + 1;
        e.deletion = b % 3 == 0;
        updates.push_back(e);
      }
      if (b % 7 == 6) updates = path(0, kVertices - 1);
      parts.update(graph.apply_recorded({0, updates, {}}));
      const ComponentsResult known = connected_components(ctx, graph.graph());
      ASSERT_TRUE(std::ranges::equal(parts.labels(), known.label));
      ASSERT_EQ(parts.components(), known.components);
      ASSERT_EQ(parts.largest(), known.largest);
      ASSERT_EQ(parts.label(17), known.label[17]);
    }
  }
}

}  // namespace fathom::testing
