// Random batches of a model, and what a graph on GPUs answers after them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "fathom/fathom.hpp"
#include "tests/suites/dynamic_model.hpp"

namespace fathom::testing {

inline void expect_queries(const DynamicGraph& graph, const Model& model) {
  expect_edges_found(graph, model);
  std::vector<VertexId> all(graph.vertices());
  std::iota(all.begin(), all.end(), VertexId{0});
  std::reverse(all.begin(), all.end());
  expect_neighbors(graph, model);
  const std::vector<VertexFields> said = graph.vertex_fields(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(graph.exists(all[i]), model.vertices.count(all[i]) != 0);
    ASSERT_EQ(said[i], model.fields_of(all[i]));
  }
}

struct ModelBatch {
  VertexId fresh = 0;
  std::vector<EdgeUpdate> edges;
  std::vector<VertexId> gone;
  std::vector<EdgeFields> fields;  // of the edges, or none
  std::vector<VertexUpdate> said;

  GraphBatch whole() const { return {fresh, edges, gone, false, fields, said}; }
};

/// A random batch, applied to the model.
inline ModelBatch draw_batch(zoo::Dice& dice, const DynamicGraph& graph, Model& model) {
  ModelBatch batch;
  batch.fresh = dice.roll(4) == 0 ? 40 : dice.roll(4);
  for (const VertexId v : graph.next_vertices(batch.fresh)) model.vertices.insert(v);
  const std::vector<VertexId> there(model.vertices.begin(), model.vertices.end());
  if (there.empty()) return batch;
  const auto all = static_cast<std::uint32_t>(there.size());
  const std::uint32_t sources = dice.roll(3) == 0 ? 1 + dice.roll(3) : all;
  const std::uint32_t count = dice.roll(600);
  const bool with_fields = dice.roll(4) != 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const EdgeUpdate e{there[dice.roll(std::min(sources, all))], there[dice.roll(all)],
                       static_cast<Weight>(1 + dice.roll(9)), dice.roll(3) == 0};
    batch.edges.push_back(e);
    if (with_fields) batch.fields.push_back(some_fields(++model.drawn));
    if (e.deletion)
      model.remove(e.source, e.target);
    else
      model.insert(e.source, e.target, e.weight, with_fields ? batch.fields.back() : EdgeFields{});
  }
  for (std::uint32_t i = dice.roll(3); i > 0; --i) {
    batch.said.push_back({there[dice.roll(all)], {static_cast<Weight>(i), dice.roll(9)}});
    model.said[batch.said.back().vertex] = batch.said.back().fields;
  }
  for (const VertexId v : there)
    if (dice.roll(20) == 0) batch.gone.push_back(v);
  for (const VertexId v : batch.gone) model.remove_vertex(v);
  if (!batch.gone.empty() && dice.roll(3) == 0) batch.gone.push_back(batch.gone[0]);
  return batch;
}

inline void expect_same_pages(const DynamicGraph& a, const DynamicGraph& b) {
  const DynamicMemory its = a.memory(), known = b.memory();
  EXPECT_EQ(its.pages, known.pages);
  EXPECT_EQ(its.page_bytes, known.page_bytes);
  EXPECT_EQ(its.snapshot_bytes, known.snapshot_bytes);
}

/// Snapshots of a graph, with what they are to show, beside one of its twin.
struct ModelShots {
  std::vector<std::pair<Snapshot, Model>> shots;
  std::optional<Snapshot> twin_shot;

  /// Takes one, or lets them go, now and then.
  void turn(zoo::Dice& dice, const DynamicGraph& graph, const DynamicGraph& twin,
            const Model& model) {
    if (shots.empty() && dice.roll(3) == 0) {
      shots.emplace_back(graph.snapshot(), model);
      twin_shot = twin.snapshot();
    } else if (!shots.empty() && dice.roll(3) == 0) {
      shots.clear();
      twin_shot.reset();
    }
  }
};

}  // namespace fathom::testing
