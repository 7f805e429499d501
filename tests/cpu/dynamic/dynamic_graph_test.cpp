// DynamicGraph against a model: random batches with every kind of update, in every setting.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <cmath>
#include <optional>

#include "tests/suites/dynamic_model.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::testing {
namespace {

DynamicGraphOptions small(DynamicGraphOptions options = {}) {
  options.memory = std::size_t{1} << 26;
  options.most_vertices = 1u << 16;
  return options;
}

void expect_queries(const DynamicGraph& graph, const Model& model) {
  expect_edges_found(graph, model);
  expect_neighbors(graph, model);
  for (VertexId v = 0; v < graph.vertices(); ++v)
    ASSERT_EQ(graph.exists(v), model.vertices.count(v) != 0);
}

/// A random batch, applied to both.
void step(DynamicGraph& graph, Model& model) {
  const auto fresh_count = static_cast<VertexId>(*rc::gen::inRange(0, 4));
  const std::vector<VertexId> fresh = graph.next_vertices(fresh_count);
  for (const VertexId v : fresh) model.vertices.insert(v);
  const std::vector<VertexId> there(model.vertices.begin(), model.vertices.end());
  std::vector<EdgeUpdate> updates;
  std::vector<EdgeFields> fields;
  std::vector<VertexUpdate> said;
  const bool with_fields = *rc::gen::inRange(0, 4) != 0;
  if (!there.empty()) {
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
      const VertexUpdate u{there[*rc::gen::inRange(std::size_t{0}, there.size())],
                           {static_cast<Weight>(i), some_fields(++model.drawn).type}};
      said.push_back(u);
      model.said[u.vertex] = u.fields;
    }
    // Few sources now and then: many updates of one list.
    const int sources = *rc::gen::inRange(1, static_cast<int>(there.size()) + 1);
    const auto count = static_cast<std::size_t>(*rc::gen::inRange(0, 120));
    for (std::size_t i = 0; i < count; ++i) {
      const auto draw = [&](int n) {
        return there[static_cast<std::size_t>(*rc::gen::inRange(0, n))];
      };
      EdgeUpdate e{draw(sources), draw(static_cast<int>(there.size())),
                   static_cast<Weight>(*rc::gen::inRange(1, 9)), *rc::gen::inRange(0, 3) == 0};
      updates.push_back(e);
      if (with_fields) fields.push_back(some_fields(++model.drawn));
      if (e.deletion)
        model.remove(e.source, e.target);
      else
        model.insert(e.source, e.target, e.weight, with_fields ? fields.back() : EdgeFields{});
    }
  }
  std::vector<VertexId> gone;
  for (const VertexId v : there)
    if (*rc::gen::inRange(0, 12) == 0) gone.push_back(v);
  for (const VertexId v : gone) model.remove_vertex(v);
  const EdgeId before = graph.edges();
  const BatchReport report =
      graph.apply({fresh_count, updates, gone, /*edges_on_device=*/false, fields, said});
  if (model.directed) {
    ASSERT_EQ(graph.edges(), before + report.inserted - report.removed);
  }
  ASSERT_LE(report.overwritten + report.ignored + report.missing + report.superseded,
            updates.size());
}

RC_GTEST_PROP(DynamicGraphProperty, equals_the_model_after_any_batches, ()) {
  Model model;
  model.directed = *rc::gen::arbitrary<bool>();
  model.kind = *rc::gen::element(EdgeKind::Simple, EdgeKind::Weighted, EdgeKind::Semantic);
  model.policy =
      *rc::gen::element(DuplicatePolicy::Ignore, DuplicatePolicy::Overwrite, DuplicatePolicy::Keep);
  DynamicGraphOptions options = small();
  options.directed = model.directed;
  options.edges = model.kind;
  options.duplicates = model.policy;
  options.in_edges = *rc::gen::arbitrary<bool>();
  options.structure_of_arrays = *rc::gen::arbitrary<bool>();
  options.layout =
      *rc::gen::element(DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim, DynamicLayoutKind::Aim);
  options.sorted_links = options.layout == DynamicLayoutKind::Faim && *rc::gen::arbitrary<bool>();
  if (options.layout == DynamicLayoutKind::Ouro) {
    options.slack = *rc::gen::element(0.0, 0.5, 3.0);
    options.shrink_below = *rc::gen::element(0.0, 0.25, 0.5);
  }
  options.page_bytes = *rc::gen::element(16u, 32u, 128u);
  if (model.kind == EdgeKind::Semantic) options.page_bytes = *rc::gen::element(32u, 64u, 256u);
  options.allocator = *rc::gen::elementOf(host_allocators());
  options.strategy =
      *rc::gen::element(UpdateStrategy::Auto, UpdateStrategy::Update, UpdateStrategy::Warp,
                        UpdateStrategy::Sorted, UpdateStrategy::Vertex);
  CpuOptions cpu;
  cpu.threads = 3;
  const Context ctx = Context::cpu(cpu);
  std::vector<std::pair<Snapshot, Model>> shots;
  {
    DynamicGraph graph(ctx, options);
    const int batches = *rc::gen::inRange(1, 8);
    for (int b = 0; b < batches; ++b) {
      step(graph, model);
      expect_lists(graph.graph(), model);
      expect_entries(graph, model);
      expect_queries(graph, model);
      if (*rc::gen::inRange(0, 3) == 0) shots.emplace_back(graph.snapshot(), model);
      if (!shots.empty() && *rc::gen::inRange(0, 3) == 0) shots.erase(shots.begin());
      RC_ASSERT(!::testing::Test::HasFailure());
    }
    if (shots.empty()) {
      EXPECT_EQ(graph.memory().snapshot_bytes, 0u);
    }
  }
  for (const auto& [shot, known] : shots) {
    expect_lists(shot.graph(), known);
    expect_entries(shot, known);
  }
  RC_ASSERT(!::testing::Test::HasFailure());
}

TEST(DynamicGraph, contradictory_updates_count_in_their_order) {
  const Context ctx = Context::cpu();
  DynamicGraph graph(ctx, small({.edges = EdgeKind::Weighted}));
  using U = EdgeUpdate;
  const std::vector<U> updates{U::insert(0, 1, 5), U::remove(0, 1),    U::insert(0, 1, 7),
                               U::insert(0, 1, 8), U::insert(1, 2, 3), U::remove(1, 2)};
  const BatchReport report = graph.apply({3, updates, {}});
  const std::vector<Edge> asked{{0, 1}, {1, 2}};
  EXPECT_EQ(graph.weights(asked)[0], 7);
  EXPECT_EQ(graph.has_edges(asked)[1], 0);
  EXPECT_EQ(report.inserted, 1u);
  EXPECT_EQ(report.missing, 2u);  // the deletions met edges of this batch only
  EXPECT_EQ(report.superseded, 3u);
}

TEST(DynamicGraph, updates_of_one_edge_are_superseded_but_for_those_that_count) {
  const Context ctx = Context::cpu();
  using U = EdgeUpdate;
  const std::vector<U> updates{U::insert(0, 1), U::insert(0, 1), U::remove(0, 1), U::insert(0, 1),
                               U::insert(0, 1), U::insert(0, 2), U::insert(0, 2), U::insert(0, 3)};
  const std::vector<VertexId> gone{3};
  const std::pair<DuplicatePolicy, std::uint64_t> policies[] = {
      {DuplicatePolicy::Ignore, 5}, {DuplicatePolicy::Overwrite, 5}, {DuplicatePolicy::Keep, 3}};
  for (const auto& [policy, superseded] : policies) {
    for (const bool directed : {true, false}) {
      DynamicGraph graph(ctx, small({.directed = directed, .duplicates = policy}));
      const BatchReport report = graph.apply({4, updates, gone});
      EXPECT_EQ(report.superseded, superseded);  // of (0, 3) the insertion, by the vertex
      EXPECT_EQ(report.missing, 1u);
      EXPECT_EQ(report.inserted + report.missing + report.superseded, updates.size());
    }
  }
}

TEST(DynamicGraph, a_batch_that_does_not_fit_changes_nothing) {
  const Context ctx = Context::cpu();
  DynamicGraphOptions options = small({.directed = false});
  options.memory = 1 << 14;
  DynamicGraph graph(ctx, options);
  std::vector<EdgeUpdate> updates;
  for (VertexId v = 1; v < 100; ++v) updates.push_back(EdgeUpdate::insert(0, v));
  graph.apply({100, updates, {}});
  const Csr before = graph.to_csr();
  const DynamicMemory memory = graph.memory();
  std::vector<EdgeUpdate> many;
  for (VertexId u = 0; u < 105; ++u)
    for (VertexId v = 0; v < u; ++v) many.push_back(EdgeUpdate::insert(u, v));
  const std::vector<VertexId> gone{7};
  expect_error(
      ErrorCode::DoesNotFit,
      [&] {
        graph.apply({5, many, gone});
      },
      "needed");
  EXPECT_EQ(graph.vertices(), 100u);
  EXPECT_TRUE(graph.exists(7));
  EXPECT_EQ(graph.batches(), 1u);
  EXPECT_EQ(graph.memory().page_bytes, memory.page_bytes);
  EXPECT_EQ(graph.memory().pages, memory.pages);
  const Csr after = graph.to_csr();
  EXPECT_TRUE(std::ranges::equal(before.offset, after.offset));
  EXPECT_TRUE(std::ranges::equal(before.target, after.target));
  EXPECT_EQ(graph.apply({0, {updates.data(), 1}, {}}).ignored, 1u);
}

TEST(DynamicGraph, an_update_of_a_vertex_that_does_not_exist_is_refused_whole) {
  const Context ctx = Context::cpu();
  DynamicGraph graph(ctx, small());
  const std::vector<EdgeUpdate> good{EdgeUpdate::insert(0, 1)};
  const std::vector<EdgeUpdate> bad{EdgeUpdate::insert(1, 0), EdgeUpdate::insert(1, 2)};
  graph.apply({2, good, {}});
  expect_error(
      ErrorCode::Usage,
      [&] {
        graph.apply({0, bad, {}});
      },
      "update 1");
  EXPECT_EQ(graph.edges(), 1u);
  const std::vector<VertexId> gone{0};
  graph.apply({0, {}, gone});
  expect_error(
      ErrorCode::Usage,
      [&] {
        graph.apply({0, good, {}});
      },
      "vertex 0");
  EXPECT_EQ(graph.next_vertices(2), (std::vector<VertexId>{0, 2}));
}

TEST(DynamicGraph, fields_that_do_not_belong_to_anything_are_refused_whole) {
  const Context ctx = Context::cpu();
  DynamicGraph graph(ctx, small({.edges = EdgeKind::Semantic}));
  graph.apply({2, {}, {}});
  const std::vector<EdgeUpdate> updates{EdgeUpdate::insert(0, 1), EdgeUpdate::insert(1, 0)};
  const std::vector<EdgeFields> fields{some_fields(1)};
  const std::vector<VertexUpdate> good{{1, {3, 4}}}, bad{{0, {3, 4}}, {2, {5, 6}}};
  const auto refused = [&](const GraphBatch& batch, const char* why) {
    expect_error(
        ErrorCode::Usage, [&] { graph.apply(batch); }, why);
    EXPECT_EQ(graph.edges(), 0u);
    EXPECT_FALSE(graph.has_vertex_fields());
  };
  refused({.edges = updates, .fields = fields, .vertex_updates = good}, "fields of 1");
  refused({.edges = updates, .vertex_updates = bad}, "names vertex 2");
  const Snapshot before = graph.snapshot();
  graph.apply({.new_vertices = 1, .edges = updates, .vertex_updates = bad});
  const std::vector<VertexId> all{0, 1, 2};
  EXPECT_EQ(graph.vertex_fields(all), (std::vector<VertexFields>{{3, 4}, {1, 0}, {5, 6}}));
  EXPECT_EQ(before.vertex_fields(std::vector<VertexId>{0})[0], VertexFields{});
  EXPECT_EQ(graph.fields(std::vector<Edge>{{0, 1}})[0], EdgeFields{});
  const std::vector<VertexId> gone{2};
  graph.apply({.deleted_vertices = gone});
  graph.apply({.new_vertices = 1});  // the same index
  EXPECT_EQ(graph.vertex_fields(all)[2], VertexFields{});
  DynamicGraphOptions linked = small({.layout = DynamicLayoutKind::Aim, .page_bytes = 16});
  linked.edges = EdgeKind::Semantic;
  expect_error(
      ErrorCode::Usage, [&] { DynamicGraph(ctx, linked); }, "32 are the least");
}

TEST(DynamicGraph, more_vertices_than_there_may_be_are_refused) {
  const Context ctx = Context::cpu();
  DynamicGraphOptions options = small();
  options.most_vertices = 10;
  DynamicGraph graph(ctx, options);
  graph.apply({8, {}, {}});
  const auto refused = [&](VertexId fresh) {
    expect_error(
        ErrorCode::DoesNotFit,
        [&] {
          graph.apply({fresh, {}, {}});
        },
        "at most 10 vertices");
    EXPECT_EQ(graph.vertices(), 8u);
  };
  refused(3);
  refused(kNoVertex - 8);
  refused(kNoVertex);
  const std::vector<VertexId> gone{1, 2, 5, 2};
  graph.apply({0, {}, gone});
  refused(6);
  graph.apply({5, {}, {}});  // three of them again
  EXPECT_EQ(graph.existing_vertices(), 10u);
}

TEST(DynamicGraph, copies_of_one_edge_take_no_longer_than_other_edges) {
  const Context ctx = Context::cpu();
  for (const auto layout :
       {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim, DynamicLayoutKind::Aim})
    for (const auto strategy : {UpdateStrategy::Update, UpdateStrategy::Sorted}) {
      DynamicGraphOptions options = small();
      options.layout = layout;
      options.strategy = strategy;
      options.duplicates = DuplicatePolicy::Keep;
      DynamicGraph graph(ctx, options);
      graph.apply({10, {}, {}});
      std::vector<EdgeUpdate> same(100000, EdgeUpdate::insert(3, 4));
      const auto start = std::chrono::steady_clock::now();
      EXPECT_EQ(graph.apply({0, same, {}}).inserted, 100000u);
      EXPECT_EQ(graph.apply({0, same, {}}).inserted, 100000u);
      EXPECT_EQ(graph.degrees(std::vector<VertexId>{3})[0], 200000u);
      same.push_back(EdgeUpdate::remove(3, 4));
      same.push_back(EdgeUpdate::insert(3, 4));
      const BatchReport report = graph.apply({0, same, {}});
      EXPECT_EQ(report.removed, 200000u);
      EXPECT_EQ(report.superseded, 100000u);
      EXPECT_EQ(report.inserted, 1u);
      EXPECT_EQ(graph.edges(), 1u);
      // A walk along all copies for each takes 10 seconds and more.
      EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
    }
}

TEST(DynamicGraph, insertions_and_deletions_of_the_same_edges_reuse_their_memory) {
  const Context ctx = Context::cpu();
  DynamicGraph graph(ctx, small());
  std::vector<EdgeUpdate> in, out;
  for (VertexId u = 0; u < 200; ++u)
    for (VertexId k = 1; k <= 1 + u % 40; ++k) {
      in.push_back(EdgeUpdate::insert(u, (u + k * k) % 200));
      out.push_back(EdgeUpdate::remove(u, (u + k * k) % 200));
    }
  graph.apply({200, in, {}});
  const std::size_t most = graph.memory().reserved_bytes;
  for (int round = 0; round < 20; ++round) {
    graph.apply({0, out, {}});
    EXPECT_EQ(graph.edges(), 0u);
    EXPECT_EQ(graph.memory().page_bytes, 0u);
    graph.apply({0, in, {}});
  }
  EXPECT_EQ(graph.memory().reserved_bytes, most);
}

TEST(DynamicGraph, linked_pages_come_back_or_stay_with_their_list) {
  const Context ctx = Context::cpu();
  for (const DynamicLayoutKind layout : {DynamicLayoutKind::Faim, DynamicLayoutKind::Aim}) {
    DynamicGraphOptions options = small({.layout = layout, .page_bytes = 32});
    options.in_edges = false;
    DynamicGraph graph(ctx, options);
    std::vector<EdgeUpdate> in, out;
    for (VertexId v = 0; v < 70; ++v) {
      in.push_back(EdgeUpdate::insert(0, v));
      if (v % 2 == 0) out.push_back(EdgeUpdate::remove(0, v));
    }
    graph.apply({70, in, {}});
    EXPECT_EQ(graph.memory().pages, 10u);  // of 7 entries and a link
    graph.apply({0, out, {}});
    EXPECT_EQ(graph.memory().pages, layout == DynamicLayoutKind::Faim ? 5u : 10u);
    graph.apply({0, in, {}});
    EXPECT_EQ(graph.memory().pages, 10u);
    EXPECT_EQ(graph.edges(), 70u);
  }
  expect_error(
      ErrorCode::Usage,
      [&] { DynamicGraph(ctx, small({.layout = DynamicLayoutKind::Faim, .page_bytes = 100})); },
      "power of two");
}

TEST(DynamicGraph, starts_from_a_graph_at_rest_in_every_layout) {
  const Context ctx = Context::cpu();
  std::vector<EdgeId> offset{0};
  std::vector<VertexId> target;
  std::vector<Weight> weight;
  for (VertexId v = 0; v < 60; ++v) {
    for (VertexId t = 0; t < v; ++t) {
      target.push_back(t);
      weight.push_back(static_cast<Weight>(v + t));
    }
    offset.push_back(target.size());
  }
  const CsrView csr{60, target.size(), offset.data(), target.data(), weight.data()};
  for (const bool soa : {false, true})
    for (const DynamicLayoutKind layout :
         {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim, DynamicLayoutKind::Aim}) {
      DynamicGraphOptions options =
          small({.layout = layout, .page_bytes = 64, .edges = EdgeKind::Weighted});
      options.structure_of_arrays = soa;
      DynamicGraph graph(ctx, csr, nullptr, options);
      EXPECT_EQ(graph.graph().in().edges(), target.size());
      const std::vector<EdgeUpdate> back{EdgeUpdate::remove(59, 3), EdgeUpdate::insert(59, 3, 62)};
      graph.apply({0, back, {}});
      const Csr now = graph.to_csr();
      EXPECT_TRUE(std::ranges::equal(now.offset, offset));
      EXPECT_TRUE(std::ranges::equal(now.target, target));
      EXPECT_TRUE(std::ranges::equal(now.weight, weight));
    }
}

TEST(DynamicGraph, memory_comes_back_when_the_last_snapshot_dies) {
  const Context ctx = Context::cpu();
  DynamicGraph graph(ctx, small({.in_edges = false}));
  std::vector<EdgeUpdate> updates;
  for (VertexId v = 1; v < 50; ++v) updates.push_back(EdgeUpdate::insert(0, v));
  graph.apply({50, updates, {}});
  const std::size_t alone = graph.memory().page_bytes;
  std::optional<Snapshot> first = graph.snapshot(), second = graph.snapshot();
  const std::vector<EdgeUpdate> more{EdgeUpdate::insert(0, 0)};
  graph.apply({0, more, {}});
  EXPECT_GT(graph.memory().snapshot_bytes, 0u);
  first.reset();
  EXPECT_EQ(second->graph().edges(), 49u);
  EXPECT_GT(graph.memory().snapshot_bytes, 0u);
  second.reset();
  EXPECT_EQ(graph.memory().snapshot_bytes, 0u);
  EXPECT_EQ(graph.memory().page_bytes, alone);
}

TEST(DynamicGraph, a_graph_from_before_a_batch_is_refused) {
  const Context ctx = Context::cpu();
  DynamicGraph graph(ctx, small());
  graph.apply({3, {}, {}});
  const Graph old = graph.graph();
  EXPECT_NO_THROW(old.out().offsets(ctx.devices()[0]));
  graph.apply({1, {}, {}});
  expect_error(
      ErrorCode::Usage, [&] { old.out().offsets(ctx.devices()[0]); }, "changed");
}

}  // namespace
}  // namespace fathom::testing
