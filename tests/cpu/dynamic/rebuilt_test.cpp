// DynamicGraph::rebuilt: the same graph in another layout, with more room or less.
#include <gtest/gtest.h>

#include "tests/suites/dynamic_model.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo_csr.hpp"

namespace fathom::testing {
namespace {

constexpr VertexId kRebuilt = 400;
constexpr DynamicLayoutKind kLayouts[] = {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim,
                                          DynamicLayoutKind::Aim};

DynamicGraphOptions rebuilt_options(DynamicLayoutKind layout, EdgeKind kind = EdgeKind::Weighted) {
  DynamicGraphOptions options;
  options.layout = layout;
  options.edges = kind;
  options.memory = std::size_t{1} << 26;
  options.most_vertices = 1u << 16;
  return options;
}

struct Drawn {
  std::vector<EdgeUpdate> updates;
  std::vector<EdgeFields> fields;
  std::vector<VertexUpdate> said;
};

GraphBatch random_batch(zoo::Dice& dice, Drawn& drawn) {
  auto& [updates, fields, said] = drawn;
  updates.clear();
  fields.clear();
  for (int i = 0; i < 3000; ++i)
    updates.push_back({dice.roll(kRebuilt), 20 + dice.roll(kRebuilt - 20),
                       static_cast<Weight>(dice.roll(90)), dice.roll(3) == 0});
  for (EdgeUpdate& e : updates) {
    e.source = 20 + e.source % (kRebuilt - 20);
    fields.push_back(some_fields(dice.roll(1000)));
  }
  said = {{20 + dice.roll(kRebuilt - 20), {static_cast<Weight>(dice.roll(90)), dice.roll(5)}}};
  return {0, updates, {}, false, fields, said};
}

/// With holes among its vertices.
DynamicGraph some_graph(const Context& ctx, const DynamicGraphOptions& options) {
  DynamicGraph graph(ctx, options);
  zoo::Dice dice(5);
  std::vector<EdgeUpdate> updates;
  Drawn drawn;
  graph.apply({kRebuilt, {}, {}});
  for (VertexId v = 0; v < kRebuilt; ++v)
    updates.push_back(EdgeUpdate::insert(v, (v * 7 + 1) % kRebuilt, 3));
  graph.apply({0, updates, {}});
  const std::vector<VertexId> gone{3, 17, 11};
  graph.apply({0, {}, gone});
  graph.apply(random_batch(dice, drawn));
  return graph;
}

void expect_same_graphs(const DynamicGraph& a, const DynamicGraph& b) {
  ASSERT_EQ(a.vertices(), b.vertices());
  EXPECT_EQ(a.edges(), b.edges());
  EXPECT_EQ(a.batches(), b.batches());
  EXPECT_EQ(a.next_vertices(10), b.next_vertices(10));
  const Graph one = a.graph(), other = b.graph();
  for (VertexId v = 0; v < a.vertices(); ++v) {
    ASSERT_EQ(a.exists(v), b.exists(v));
    ASSERT_EQ(list_of(one.out(), v), list_of(other.out(), v)) << "list of " << v;
    ASSERT_EQ(list_of(one.in(), v), list_of(other.in(), v)) << "in-list of " << v;
    ASSERT_EQ(entries_of(a.lists(), v), entries_of(b.lists(), v)) << "list of " << v;
    ASSERT_EQ(entries_of(a.lists(true), v), entries_of(b.lists(true), v)) << "in-list of " << v;
    const std::vector<VertexId> asked{v};
    ASSERT_EQ(a.vertex_fields(asked), b.vertex_fields(asked));
  }
}

TEST(RebuiltGraph, is_the_same_in_every_layout_and_goes_on_as_before) {
  const Context ctx = Context::cpu();
  for (const EdgeKind kind : {EdgeKind::Weighted, EdgeKind::Semantic})
    for (const DynamicLayoutKind from : kLayouts)
      for (const DynamicLayoutKind to : kLayouts) {
        DynamicGraphOptions options = rebuilt_options(from, kind);
        // Several edges of a pair, with the same weight and other fields.
        options.duplicates = DuplicatePolicy::Keep;
        DynamicGraph graph = some_graph(ctx, options);
        options.layout = to;
        options.structure_of_arrays = true;
        DynamicGraph made = graph.rebuilt(ctx, options);
        expect_same_graphs(graph, made);
        zoo::Dice dice(9);
        Drawn drawn;
        GraphBatch batch = random_batch(dice, drawn);
        batch.new_vertices = 5;
        graph.apply(batch);
        made.apply(batch);
        expect_same_graphs(graph, made);
      }
}

TEST(RebuiltGraph, of_lists_and_their_fields_alone_has_the_same_in_both_directions) {
  const Context ctx = Context::cpu();
  for (const bool directed : {true, false}) {
    DynamicGraphOptions options = rebuilt_options(DynamicLayoutKind::Ouro, EdgeKind::Semantic);
    options.duplicates = DuplicatePolicy::Keep;
    options.directed = directed;
    DynamicGraph graph(ctx, options);
    zoo::Dice dice(3);
    Drawn drawn;
    graph.apply({kRebuilt, {}, {}});
    graph.apply(random_batch(dice, drawn));
    Array<EdgeFields> fields;
    const Csr out = graph.to_csr(&fields);
    const std::vector<VertexFields> vertices(kRebuilt, {2, 3});
    const DynamicGraph made(ctx, out.view(), nullptr, options,
                            {{fields.data(), fields.size()}, vertices});
    for (VertexId v = 0; v < kRebuilt; ++v) {
      ASSERT_EQ(entries_of(made.lists(), v), entries_of(graph.lists(), v));
      if (directed) {
        ASSERT_EQ(entries_of(made.lists(true), v), entries_of(graph.lists(true), v));
      }
    }
    EXPECT_EQ(made.vertex_fields(std::vector<VertexId>{7})[0], (VertexFields{2, 3}));
    expect_error(
        ErrorCode::Usage,
        [&] {
          DynamicGraph(ctx, out.view(), nullptr, options, {{fields.data(), 1}, {}});
        },
        "fields of 1");
  }
}

TEST(RebuiltGraph, takes_a_twentieth_more_than_it_needs_and_refuses_less) {
  const Context ctx = Context::cpu();
  for (const DynamicLayoutKind layout : kLayouts) {
    const DynamicGraph graph = some_graph(ctx, rebuilt_options(layout));
    // Without what is free, or deleted, in the old one.
    const std::size_t needed = graph.rebuilt(ctx, rebuilt_options(layout)).memory().page_bytes;
    DynamicGraphOptions options = rebuilt_options(layout);
    options.memory = needed + needed / 20 + 4096;
    expect_same_graphs(graph, graph.rebuilt(ctx, options));
    options.memory = needed / 2;
    expect_error(ErrorCode::DoesNotFit, [&] { graph.rebuilt(ctx, options); });
    options = rebuilt_options(layout);
    options.most_vertices = kRebuilt - 1;
    expect_error(
        ErrorCode::DoesNotFit, [&] { graph.rebuilt(ctx, options); }, "400 vertices");
    options = rebuilt_options(layout);
    options.directed = false;
    expect_error(ErrorCode::Usage, [&] { graph.rebuilt(ctx, options); });
    expect_same_graphs(graph, graph.rebuilt(ctx, rebuilt_options(DynamicLayoutKind::Ouro)));
  }
}

}  // namespace
}  // namespace fathom::testing
