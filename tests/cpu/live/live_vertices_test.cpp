// Vertices that loops insert while others change edges: against the model, by lane groups and
// threads, and where indices or memory end.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <optional>
#include <set>
#include <thread>

#include "fathom/dynamic/live/live_changes.hpp"
#include "tests/suites/dynamic_model.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/thread_lanes.hpp"

namespace fathom::testing {
namespace {

constexpr OneLane kSingle{};

DynamicGraphOptions vertex_options(DynamicLayoutKind layout) {
  DynamicGraphOptions options;
  options.memory = std::size_t{1} << 26;
  options.most_vertices = 1u << 12;
  options.layout = layout;
  options.page_bytes = 32;
  return options;
}

/// A change of any edge between indices that there may be, in both; whether it was done.
void change_any_edge(Model& model, const LiveLists& lists, VertexId indices) {
  const auto draw = [&] { return *rc::gen::inRange<VertexId>(0, indices); };
  const VertexId u = draw(), v = draw();
  const bool there = model.vertices.count(u) != 0 && model.vertices.count(v) != 0;
  const bool known = model.edges.count({u, v}) != 0;
  if (*rc::gen::inRange(0, 3) == 0) {
    ASSERT_EQ(lists.erase(kSingle, u, v), !there  ? LiveResult::NoVertex
                                          : known ? LiveResult::Removed
                                                  : LiveResult::Missing);
    if (there) model.remove(u, v);
  } else {
    ASSERT_EQ(lists.insert(kSingle, u, v, 2), !there  ? LiveResult::NoVertex
                                              : known ? LiveResult::WasThere
                                                      : LiveResult::Inserted);
    if (there) model.insert(u, v, 2);
  }
}

void expect_vertices(const DynamicGraph& graph, const Model& model, VertexId indices) {
  ASSERT_EQ(graph.vertices(), indices);
  ASSERT_EQ(graph.existing_vertices(), model.vertices.size());
  for (VertexId v = 0; v < indices + 40; ++v)
    ASSERT_EQ(graph.exists(v), model.vertices.count(v) != 0) << v;
}

/// Deletes some vertices that exist, whose indices come again.
void delete_some(DynamicGraph& graph, Model& model) {
  std::vector<VertexId> gone;
  for (const VertexId v : model.vertices)
    if (*rc::gen::inRange(0, 4) == 0) gone.push_back(v);
  for (const VertexId v : gone) model.remove_vertex(v);
  graph.apply({.deleted_vertices = gone});
}

RC_GTEST_PROP(LiveVerticesProperty, phases_that_insert_vertices_come_to_what_the_model_does, ()) {
  Model model;
  model.directed = *rc::gen::arbitrary<bool>();
  model.kind = *rc::gen::element(EdgeKind::Simple, EdgeKind::Weighted);
  DynamicGraphOptions options = vertex_options(
      *rc::gen::element(DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim, DynamicLayoutKind::Aim));
  options.directed = model.directed;
  options.edges = model.kind;
  options.in_edges = *rc::gen::arbitrary<bool>();
  options.allocator = *rc::gen::elementOf(host_allocators());
  const Context ctx = Context::cpu();
  DynamicGraph graph(ctx, options);
  VertexId indices = *rc::gen::inRange<VertexId>(0, 6);
  graph.apply({.new_vertices = indices});
  for (VertexId v = 0; v < indices; ++v) model.vertices.insert(v);
  std::vector<std::pair<Snapshot, Model>> shots;
  for (int phase = *rc::gen::inRange(1, 5); phase > 0; --phase) {
    if (*rc::gen::arbitrary<bool>()) shots.emplace_back(graph.snapshot(), model);
    if (*rc::gen::arbitrary<bool>()) delete_some(graph, model);
    const auto reserved = *rc::gen::inRange<VertexId>(0, 8);
    const std::vector<VertexId> next = graph.next_vertices(reserved);
    LiveChanges changing = graph.change_in_kernels({.reserve_vertices = reserved});
    const LiveLists lists = changing.lists();
    ASSERT_LE(lists.vertices(), indices + reserved);
    std::size_t made = 0, refused = 0;
    for (int i = *rc::gen::inRange(0, 60); i > 0; --i) {
      if (*rc::gen::inRange(0, 5) == 0) {
        const VertexId v = lists.insert_vertex(kSingle);
        if (made == reserved) {
          ASSERT_EQ(v, kNoVertex);
          ++refused;
          continue;
        }
        ASSERT_EQ(v, next[made++]);
        ASSERT_TRUE(model.vertices.insert(v).second);
        ASSERT_TRUE(lists.exists(v));
        ASSERT_EQ(lists.degree(v), 0u);
        indices = std::max(indices, v + 1);
      } else {
        change_any_edge(model, lists, indices + 4);
      }
      RC_ASSERT(!::testing::Test::HasFailure());
    }
    const LiveReport report = changing.finish();
    ASSERT_EQ(report.new_vertices, made);
    ASSERT_EQ(report.no_index, refused);
    expect_vertices(graph, model, indices);
    expect_lists(graph.graph(), model);
    expect_entries(graph, model);
    for (const auto& [shot, known] : shots) expect_entries(shot, known);
    // Batches go on, with the same indices free, and so does a graph that is made of it.
    const std::vector<VertexId> more = graph.next_vertices(2);
    ASSERT_EQ(graph.rebuilt(ctx, options).next_vertices(2), more);
    graph.apply({.new_vertices = 2});
    for (const VertexId v : more) {
      ASSERT_TRUE(model.vertices.insert(v).second);
      indices = std::max(indices, v + 1);
    }
    expect_vertices(graph, model, indices);
    RC_ASSERT(!::testing::Test::HasFailure());
  }
}

constexpr DynamicLayoutKind kVertexLayouts[] = {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim,
                                                DynamicLayoutKind::Aim};

TEST(LiveVertices, threads_insert_vertices_and_tie_them_to_those_of_others) {
  constexpr unsigned kThreads = 4;
  constexpr VertexId kReserved = 600, kWanted = 200;  // of each thread: not all get one
  for (const DynamicLayoutKind layout : kVertexLayouts)
    for (const bool directed : {true, false}) {
      const Context ctx = Context::cpu();
      DynamicGraphOptions options = vertex_options(layout);
      options.directed = directed;
      DynamicGraph graph(ctx, options);
      graph.apply({.new_vertices = 10});
      graph.apply({.deleted_vertices = std::vector<VertexId>{3, 7}});
      LiveChanges changing =
          graph.change_in_kernels({.reserve = std::size_t{1} << 22, .reserve_vertices = kReserved});
      std::atomic<VertexId> newest{0};
      std::vector<std::vector<Edge>> made(kThreads);
      std::atomic<unsigned> none{0};
      {
        std::vector<std::jthread> threads;
        for (unsigned t = 0; t < kThreads; ++t)
          threads.emplace_back([&, t, lists = changing.lists()] {
            for (VertexId i = 0; i < kWanted; ++i) {
              const VertexId v = lists.insert_vertex(kSingle);
              if (v == kNoVertex) {
                ++none;
                continue;
              }
              const VertexId other = newest.exchange(v);
              made[t].push_back({v, other});
              EXPECT_EQ(lists.insert(kSingle, v, other), LiveResult::Inserted);
              EXPECT_TRUE(lists.has_edge(kSingle, v, other));
            }
          });
      }
      const LiveReport report = changing.finish();
      EXPECT_EQ(none, kThreads * kWanted - kReserved);
      EXPECT_EQ(report.new_vertices, kReserved);
      EXPECT_EQ(report.no_index, kThreads * kWanted - kReserved);
      EXPECT_EQ(report.inserted, kReserved);
      EXPECT_EQ(report.no_vertex, 0u);
      Model model;
      model.directed = directed;
      for (VertexId v = 0; v < 10; ++v)
        if (v != 3 && v != 7) model.vertices.insert(v);
      for (const auto& its : made)
        for (const Edge& e : its) {
          EXPECT_TRUE(model.vertices.insert(e.source).second) << "twice: " << e.source;
          model.insert(e.source, e.target, 1);
        }
      expect_vertices(graph, model, 10 + kReserved - 2);
      expect_lists(graph.graph(), model);
    }
}

TEST(LiveVertices, lanes_of_a_group_get_one_vertex_together) {
  const Context ctx = Context::cpu();
  DynamicGraph graph(ctx, vertex_options(DynamicLayoutKind::Ouro));
  LiveChanges changing = graph.change_in_kernels({.reserve_vertices = 3});
  std::vector<std::vector<VertexId>> got(4);
  LaneTeam(4).run([&, lists = changing.lists()](const LaneTeam::Lane& lane) {
    for (int i = 0; i < 4; ++i) got[lane.rank()].push_back(lists.insert_vertex(lane));
  });
  EXPECT_EQ(changing.finish().new_vertices, 3u);
  for (const auto& its : got) EXPECT_EQ(its, (std::vector<VertexId>{0, 1, 2, kNoVertex}));
  EXPECT_EQ(graph.vertices(), 3u);
}

TEST(LiveVertices, that_do_not_fit_are_refused_and_those_not_inserted_leave_nothing) {
  const Context ctx = Context::cpu();
  for (const DynamicLayoutKind layout : kVertexLayouts) {
    DynamicGraphOptions options = vertex_options(layout);
    DynamicGraph graph(ctx, options);
    graph.apply({.new_vertices = 100, .deleted_vertices = {}});
    graph.apply({.deleted_vertices = std::vector<VertexId>{5}});
    const DynamicMemory before = graph.memory();
    expect_error(
        ErrorCode::DoesNotFit,
        [&] { graph.change_in_kernels({.reserve_vertices = options.most_vertices}); }, "vertices");
    EXPECT_EQ(graph.batches(), 2u);
    expect_error(ErrorCode::DoesNotFit, [&] {
      graph.change_in_kernels({.reserve = std::size_t{1} << 30, .reserve_vertices = 3000});
    });
    EXPECT_EQ(graph.memory().record_bytes, before.record_bytes);
    {
      LiveChanges changing = graph.change_in_kernels({.reserve = 0, .reserve_vertices = 3000});
      EXPECT_GT(changing.lists().vertices(), 3000u);
      EXPECT_EQ(changing.lists().insert(kSingle, 5, 6), LiveResult::NoVertex);
      EXPECT_EQ(changing.lists().insert(kSingle, 6, 2000), LiveResult::NoVertex);
      EXPECT_FALSE(changing.lists().exists(100));
    }
    EXPECT_EQ(graph.vertices(), 100u);
    EXPECT_EQ(graph.memory().record_bytes, before.record_bytes);
    EXPECT_EQ(graph.next_vertices(2), (std::vector<VertexId>{5, 100}));
    LiveChanges changing = graph.change_in_kernels({});
    EXPECT_EQ(changing.lists().insert_vertex(kSingle), kNoVertex);
    EXPECT_EQ(changing.finish().no_index, 1u);
  }
}

}  // namespace
}  // namespace fathom::testing
