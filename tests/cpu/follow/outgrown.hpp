// A graph to which a batch adds many vertices, so that results that follow it do not fit any more.
#pragma once

#include <vector>

#include "fathom/dynamic/dynamic_graph.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {

struct OutgrownGraph {
  static constexpr VertexId kVertices = 3000, kMore = 40000;

  Context ctx;
  DynamicGraph graph;

  /// With so many random edges among the first `ends` vertices.
  explicit OutgrownGraph(VertexId edges, std::uint32_t ends = kVertices)
      : ctx(Context::cpu(bounded())),
        graph(ctx, {.directed = false, .memory = 1 << 24, .most_vertices = 1 << 16}),
        ends_(ends) {
    std::vector<EdgeUpdate> updates;
    for (VertexId i = 0; i < edges; ++i)
      updates.push_back(EdgeUpdate::insert(dice_.roll(ends), dice_.roll(ends)));
    graph.apply({kVertices, updates, {}});
  }

  /// Edges from those to new vertices.
  AppliedBatch outgrow() {
    std::vector<EdgeUpdate> updates;
    for (VertexId i = 0; i < 100; ++i)
      updates.push_back(EdgeUpdate::insert(dice_.roll(ends_), kVertices + dice_.roll(kMore)));
    return graph.apply_recorded({kMore, updates, {}});
  }

 private:
  static CpuOptions bounded() {
    CpuOptions cpu;
    cpu.threads = 2;
    cpu.host_memory = std::size_t{1} << 26;
    return cpu;
  }

  zoo::Dice dice_{5};
  std::uint32_t ends_;
};

}  // namespace fathom::testing
