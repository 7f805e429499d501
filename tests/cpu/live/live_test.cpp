// Graphs that loops change themselves, one edge at a time: against the model, by lane groups, by
// many threads at once, and where memory ends.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <thread>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/dynamic/live/live_changes.hpp"
#include "tests/suites/dynamic_model.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/thread_lanes.hpp"

namespace fathom::testing {
namespace {

constexpr OneLane kAlone{};

DynamicGraphOptions live_options(DynamicLayoutKind layout) {
  DynamicGraphOptions options;
  options.memory = std::size_t{1} << 26;
  options.most_vertices = 1u << 16;
  options.layout = layout;
  options.page_bytes = 32;
  return options;
}

std::vector<DynamicLayoutKind> all_layouts() {
  return {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim, DynamicLayoutKind::Aim};
}

/// Any graph that changes, as a model and options.
DynamicGraphOptions any_graph(Model& model) {
  model.directed = *rc::gen::arbitrary<bool>();
  model.kind = *rc::gen::element(EdgeKind::Simple, EdgeKind::Weighted, EdgeKind::Semantic);
  model.policy =
      *rc::gen::element(DuplicatePolicy::Ignore, DuplicatePolicy::Overwrite, DuplicatePolicy::Keep);
  DynamicGraphOptions options = live_options(*rc::gen::elementOf(all_layouts()));
  options.directed = model.directed;
  options.edges = model.kind;
  options.duplicates = model.policy;
  options.in_edges = *rc::gen::arbitrary<bool>();
  options.structure_of_arrays = *rc::gen::arbitrary<bool>();
  if (options.layout == DynamicLayoutKind::Ouro) {
    options.slack = *rc::gen::element(0.0, 0.5);
    options.shrink_below = *rc::gen::element(0.0, 0.25, 0.5);
  }
  options.page_bytes = *rc::gen::element(16u, 32u, 128u);
  if (model.kind == EdgeKind::Semantic) options.page_bytes = *rc::gen::element(32u, 64u, 256u);
  options.allocator = *rc::gen::elementOf(host_allocators());
  return options;
}

EdgeUpdate any_update(VertexId vertices) {
  const auto draw = [&] { return *rc::gen::inRange<VertexId>(0, vertices); };
  return {draw(), draw(), static_cast<Weight>(*rc::gen::inRange(1, 9)),
          *rc::gen::inRange(0, 3) == 0};
}

/// Fields that follow from the rest.
EdgeFields fields_of_update(const EdgeUpdate& e) {
  return some_fields(e.source * 64 + e.target * 8 + static_cast<std::uint64_t>(e.weight));
}

void apply_to(Model& model, const EdgeUpdate& e, bool with_fields = true) {
  if (e.deletion)
    model.remove(e.source, e.target);
  else
    model.insert(e.source, e.target, e.weight, with_fields ? fields_of_update(e) : EdgeFields{});
}

/// What a change has to come to, which is then made in the model.
LiveResult expected_of(Model& model, const EdgeUpdate& e) {
  const bool there = model.edges.count({e.source, e.target}) != 0;
  apply_to(model, e);
  if (e.deletion) return there ? LiveResult::Removed : LiveResult::Missing;
  return there && model.policy != DuplicatePolicy::Keep ? LiveResult::WasThere
                                                        : LiveResult::Inserted;
}

template <LaneGroup G>
LiveResult change_by(const G& group, const LiveLists& lists, const EdgeUpdate& e) {
  return e.deletion ? lists.erase(group, e.source, e.target)
                    : lists.insert(group, e.source, e.target, e.weight, fields_of_update(e));
}

void fill_model(Model& model, DynamicGraph& graph, VertexId vertices) {
  std::vector<EdgeUpdate> updates;
  for (int i = *rc::gen::inRange(0, 60); i > 0; --i) updates.push_back(any_update(vertices));
  for (VertexId v = 0; v < vertices; ++v) model.vertices.insert(v);
  for (const EdgeUpdate& e : updates) apply_to(model, e, false);
  graph.apply({vertices, updates, {}});
}

RC_GTEST_PROP(LiveProperty, one_edge_after_the_other_comes_to_what_the_model_does, ()) {
  Model model;
  const DynamicGraphOptions options = any_graph(model);
  const Context ctx = Context::cpu();
  DynamicGraph graph(ctx, options);
  constexpr VertexId kVertices = 12;
  fill_model(model, graph, kVertices);
  std::vector<std::pair<Snapshot, Model>> shots;
  for (int phase = *rc::gen::inRange(1, 4); phase > 0; --phase) {
    if (*rc::gen::arbitrary<bool>()) shots.emplace_back(graph.snapshot(), model);
    const EdgeId before = graph.edges();
    LiveChanges changing = graph.change_in_kernels({});
    const LiveLists lists = changing.lists();
    for (int i = *rc::gen::inRange(0, 150); i > 0; --i) {
      const EdgeUpdate e = any_update(kVertices);
      const LiveResult expected = expected_of(model, e);
      ASSERT_EQ(change_by(kAlone, lists, e), expected);
      const auto found = model.edges.find({e.source, e.target});
      const LiveEdge now = lists.find(kAlone, e.source, e.target);
      ASSERT_EQ(now.found, found != model.edges.end());
      if (now.found) {
        ASSERT_NE(std::find(found->second.begin(), found->second.end(),
                            Model::Data(now.weight, now.fields)),
                  found->second.end());
      }
    }
    if (!shots.empty() && *rc::gen::arbitrary<bool>()) shots.erase(shots.begin());
    std::vector<Model::Entry> read;
    lists.locked(kAlone, 3, [&](VertexId v, Weight w, const EdgeFields& fields) {
      read.emplace_back(v, w, fields);
    });
    std::sort(read.begin(), read.end());
    ASSERT_EQ(read, model.entries(3));
    ASSERT_EQ(lists.degree(3), read.size());
    const LiveReport report = changing.finish();
    if (model.directed) {
      ASSERT_EQ(graph.edges(), before + report.inserted - report.removed);
    }
    expect_lists(graph.graph(), model);
    expect_entries(graph, model);
    expect_edges_found(graph, model);
    for (const auto& [shot, known] : shots) expect_entries(shot, known);
    // Batches find the lists as they expect them.
    std::vector<EdgeUpdate> updates;
    for (int i = *rc::gen::inRange(0, 40); i > 0; --i) updates.push_back(any_update(kVertices));
    for (const EdgeUpdate& e : updates) apply_to(model, e, false);
    graph.apply({.edges = updates});
    expect_lists(graph.graph(), model);
    RC_ASSERT(!::testing::Test::HasFailure());
  }
  shots.clear();
  EXPECT_EQ(graph.memory().snapshot_bytes, 0u);
  std::vector<VertexId> all(model.vertices.begin(), model.vertices.end());
  if (options.layout != DynamicLayoutKind::Aim) {
    graph.apply({.deleted_vertices = all});
    EXPECT_EQ(graph.memory().pages, 0u) << "pages are lost";
  }
  RC_ASSERT(!::testing::Test::HasFailure());
}

RC_GTEST_PROP(LiveProperty, lanes_of_a_group_come_to_what_the_model_does, ()) {
  Model model;
  const DynamicGraphOptions options = any_graph(model);
  const Context ctx = Context::cpu();
  DynamicGraph graph(ctx, options);
  constexpr VertexId kVertices = 8;
  fill_model(model, graph, kVertices);
  const auto lanes = *rc::gen::element(2u, 4u);
  const int rounds = *rc::gen::inRange(1, 12);
  struct Round {
    std::vector<EdgeUpdate> update;
    std::vector<bool> asks;
    bool together = false, deletion = false;
  };
  std::vector<Round> round(static_cast<std::size_t>(rounds));
  std::vector<std::vector<LiveResult>> expected, got;
  for (Round& r : round) {
    r.together = *rc::gen::arbitrary<bool>();
    r.deletion = *rc::gen::inRange(0, 3) == 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      r.update.push_back(any_update(kVertices));
      r.update.back().deletion = r.deletion;
      r.asks.push_back(*rc::gen::inRange(0, 4) != 0);
    }
    expected.emplace_back(lanes, LiveResult::None);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      if (r.together)
        expected.back()[lane] = lane == 0 ? expected_of(model, r.update[0]) : expected.back()[0];
      else if (r.asks[lane])
        expected.back()[lane] = expected_of(model, r.update[lane]);
    }
  }
  got.assign(round.size(), std::vector<LiveResult>(lanes));
  LiveChanges changing = graph.change_in_kernels({});
  LaneTeam(lanes).run([&, lists = changing.lists()](const LaneTeam::Lane& lane) {
    for (std::size_t i = 0; i < round.size(); ++i) {
      const Round& r = round[i];
      const EdgeUpdate& e = r.update[r.together ? 0 : lane.rank()];
      LiveResult& result = got[i][lane.rank()];
      if (r.together)
        result = change_by(lane, lists, e);
      else if (r.deletion)
        result = lists.erase_each(lane, r.asks[lane.rank()], e.source, e.target);
      else
        result = lists.insert_each(lane, r.asks[lane.rank()], e.source, e.target, e.weight,
                                   fields_of_update(e));
    }
  });
  changing.finish();
  ASSERT_EQ(got, expected);
  expect_entries(graph, model);
  RC_ASSERT(!::testing::Test::HasFailure());
}

/// Layout, directed, weighted, whether a snapshot is alive.
class LiveThreads
    : public ::testing::TestWithParam<std::tuple<DynamicLayoutKind, bool, bool, bool>> {};

constexpr unsigned kTeam = 4;

/// Every thread's changes: of edges between few vertices, one of them in most. `apart`: no two
/// threads change the same edge.
std::vector<EdgeUpdate> changes_of_thread(unsigned t, VertexId vertices, bool apart, unsigned n) {
  zoo::Dice dice(100 + t);
  std::vector<EdgeUpdate> updates;
  while (updates.size() < n) {
    EdgeUpdate e{dice.roll(3) == 0 ? VertexId{0} : dice.roll(static_cast<std::uint32_t>(vertices)),
                 dice.roll(static_cast<std::uint32_t>(vertices)),
                 static_cast<Weight>(1 + dice.roll(5)), dice.roll(5) < 2};
    if (dice.roll(2) == 0) std::swap(e.source, e.target);
    if (apart && (e.source + e.target) % kTeam != t) continue;
    updates.push_back(e);
  }
  return updates;
}

LiveReport change_at_once(DynamicGraph& graph, const std::vector<std::vector<EdgeUpdate>>& all) {
  LiveChanges changing = graph.change_in_kernels({.reserve = std::size_t{1} << 22});
  {
    std::vector<std::jthread> threads;
    for (const std::vector<EdgeUpdate>& its : all)
      threads.emplace_back([&its, lists = changing.lists()] {
        for (const EdgeUpdate& e : its) change_by(kAlone, lists, e);
      });
  }
  return changing.finish();
}

TEST_P(LiveThreads, AtOnceComeToWhatTheModelDoes) {
  const auto [layout, directed, weighted, pinned] = GetParam();
  DynamicGraphOptions options = live_options(layout);
  options.directed = directed;
  options.edges = weighted ? EdgeKind::Weighted : EdgeKind::Simple;
  options.duplicates = weighted ? DuplicatePolicy::Overwrite : DuplicatePolicy::Ignore;
  const Context ctx = Context::cpu();
  DynamicGraph graph(ctx, options);
  constexpr VertexId kVertices = 40;
  Model model;
  model.directed = directed;
  model.kind = options.edges;
  model.policy = options.duplicates;
  for (VertexId v = 0; v < kVertices; ++v) model.vertices.insert(v);
  const auto first = changes_of_thread(9, kVertices, false, 200);
  graph.apply({kVertices, first, {}});
  for (const EdgeUpdate& e : first) apply_to(model, e, false);
  const Model before = model;
  std::optional<Snapshot> shot;
  if (pinned) shot = graph.snapshot();
  std::vector<std::vector<EdgeUpdate>> all;
  for (unsigned t = 0; t < kTeam; ++t) {
    all.push_back(changes_of_thread(t, kVertices, true, 800));
    for (const EdgeUpdate& e : all.back()) apply_to(model, e);
  }
  const LiveReport report = change_at_once(graph, all);
  EXPECT_EQ(report.no_memory, 0u);
  std::uint64_t insertions = 0;
  for (const std::vector<EdgeUpdate>& its : all)
    for (const EdgeUpdate& e : its) insertions += e.deletion ? 0 : 1;
  EXPECT_EQ(report.inserted + report.overwritten + report.ignored, insertions);
  expect_lists(graph.graph(), model);
  if (shot) expect_lists(shot->graph(), before);
}

TEST_P(LiveThreads, OnTheSameEdgesLeaveBothListsEqual) {
  const auto [layout, directed, weighted, pinned] = GetParam();
  DynamicGraphOptions options = live_options(layout);
  options.directed = directed;
  options.edges = weighted ? EdgeKind::Weighted : EdgeKind::Simple;
  options.duplicates = weighted ? DuplicatePolicy::Overwrite : DuplicatePolicy::Ignore;
  const Context ctx = Context::cpu();
  DynamicGraph graph(ctx, options);
  constexpr VertexId kVertices = 6;
  const auto first = changes_of_thread(9, kVertices, false, 40);
  graph.apply({kVertices, first, {}});
  for (unsigned round = 0; round < 4; ++round) {
    std::optional<Snapshot> shot;
    if (pinned) shot = graph.snapshot();
    std::vector<std::vector<EdgeUpdate>> all;
    for (unsigned t = 0; t < kTeam; ++t)
      all.push_back(changes_of_thread(t + kTeam * round, kVertices, false, 400));
    const EdgeId before = graph.edges();
    const LiveReport report = change_at_once(graph, all);
    if (directed) {
      ASSERT_EQ(graph.edges(), before + report.inserted - report.removed);
    }
    const Graph now = graph.graph();
    EdgeId edges = 0;
    std::map<std::pair<VertexId, VertexId>, Weight> seen;
    for (VertexId v = 0; v < kVertices; ++v)
      for (const auto& [u, w] : list_of(now.out(), v)) {
        ASSERT_TRUE(seen.emplace(std::pair(v, u), w).second) << "twice: " << v << " to " << u;
        ++edges;
      }
    ASSERT_EQ(now.edges(), edges);
    for (VertexId v = 0; v < kVertices; ++v) {
      const auto other = list_of(directed ? now.in() : now.out(), v);
      std::vector<std::pair<VertexId, Weight>> expected;
      for (const auto& [edge, w] : seen)
        if (edge.second == v) expected.emplace_back(edge.first, w);
      std::sort(expected.begin(), expected.end());
      ASSERT_EQ(other, expected) << "of " << v << " in round " << round;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, LiveThreads,
                         ::testing::Combine(::testing::Values(DynamicLayoutKind::Ouro,
                                                              DynamicLayoutKind::Faim,
                                                              DynamicLayoutKind::Aim),
                                            ::testing::Bool(), ::testing::Bool(),
                                            ::testing::Bool()));

TEST(LiveChanges, WhatDoesNotFitIsCountedAndFitsOnceThereIsMore) {
  const Context ctx = Context::cpu();
  for (const DynamicLayoutKind layout : all_layouts())
    for (const PageAllocator allocator : host_allocators()) {
      SCOPED_TRACE(static_cast<int>(layout));
      SCOPED_TRACE(name_of(allocator));
      DynamicGraphOptions options = live_options(layout);
      options.allocator = allocator;
      DynamicGraph graph(ctx, options);
      constexpr VertexId kVertices = 3000;
      graph.apply({.new_vertices = kVertices});
      LiveChanges changing = graph.change_in_kernels({.reserve = 0});
      const LiveLists lists = changing.lists();
      std::uint64_t refused = 0, inserted = 0, rounds = 0;
      std::vector<Edge> wanted;
      for (VertexId v = 0; v < kVertices; ++v)
        for (VertexId k = 1; k < 20; ++k) wanted.push_back({v, (v + k) % kVertices});
      while (!wanted.empty()) {
        std::vector<Edge> left;
        for (const Edge& e : wanted) {
          const LiveResult result = lists.insert(kAlone, e.source, e.target);
          ASSERT_TRUE(result == LiveResult::Inserted || result == LiveResult::NoMemory);
          ASSERT_EQ(lists.has_edge(kAlone, e.source, e.target), result == LiveResult::Inserted);
          if (result == LiveResult::Inserted)
            ++inserted;
          else
            left.push_back(e);
        }
        refused += left.size();
        wanted = left;
        changing.reserve(std::size_t{1} << 17);
        ASSERT_LT(++rounds, 60u);
      }
      EXPECT_GT(rounds, 1u);
      const LiveReport report = changing.finish();
      EXPECT_EQ(report.no_memory, refused);
      EXPECT_EQ(report.inserted, inserted);
      EXPECT_EQ(graph.edges(), 19u * kVertices);
      const Csr out = graph.to_csr();
      const Graph now = graph.graph();
      for (VertexId v = 0; v < kVertices; ++v) {
        ASSERT_EQ(out.offset[v + std::size_t{1}] - out.offset[v], 19u);
        ASSERT_EQ(list_of(now.in(), v).size(), 19u);
      }
    }
}

TEST(LiveChanges, ABudgetThatIsSpentRefusesMoreAndKeepsWhatIsThere) {
  const Context ctx = Context::cpu();
  for (const DynamicLayoutKind layout : all_layouts()) {
    DynamicGraphOptions options = live_options(layout);
    options.memory = 1 << 14;
    options.directed = false;
    DynamicGraph graph(ctx, options);
    graph.apply({.new_vertices = 2000});
    expect_error(ErrorCode::DoesNotFit,
                 [&] { graph.change_in_kernels({.reserve = std::size_t{1} << 20}); });
    LiveChanges changing = graph.change_in_kernels({.reserve = std::size_t{1} << 13});
    expect_error(ErrorCode::DoesNotFit, [&] { changing.reserve(std::size_t{1} << 20); });
    const LiveLists lists = changing.lists();
    Model model;
    model.directed = false;
    for (VertexId v = 1; v < 2000; ++v)
      if (lists.insert(kAlone, 0, v) == LiveResult::Inserted) model.insert(0, v, 1);
    const LiveReport report = changing.finish();
    EXPECT_GT(report.no_memory, 0u);
    EXPECT_GT(report.inserted, 0u);
    expect_lists(graph.graph(), model);
  }
}

TEST(LiveChanges, MovedOntoThemselvesStayOpenAndOntoOthersEndThese) {
  const Context ctx = Context::cpu();
  DynamicGraph one(ctx, {.memory = 1 << 22, .most_vertices = 100});
  DynamicGraph two(ctx, {.memory = 1 << 22, .most_vertices = 100});
  LiveChanges changes = one.change_in_kernels({});
  LiveChanges& same = changes;
  changes = std::move(same);
  EXPECT_THROW(one.apply({}), Error);
  ASSERT_EQ(changes.finish().number, 1u);
  changes = one.change_in_kernels({});
  changes = two.change_in_kernels({});
  EXPECT_NO_THROW(one.apply({}));
  EXPECT_THROW(two.apply({}), Error);
}

TEST(LiveChanges, NobodyElseUsesTheGraphMeanwhile) {
  const Context ctx = Context::cpu();
  DynamicGraph graph(ctx, live_options(DynamicLayoutKind::Ouro));
  graph.apply({.new_vertices = 4});
  const Graph old = graph.graph();
  const std::uint64_t batches = graph.batches();
  {
    LiveChanges changing = graph.change_in_kernels({});
    const LiveLists lists = changing.lists();
    EXPECT_EQ(lists.insert(kAlone, 1, 2), LiveResult::Inserted);
    EXPECT_EQ(lists.insert(kAlone, 1, 4), LiveResult::NoVertex);
    const std::vector<Edge> asked{{1, 2}};
    expect_error(ErrorCode::Usage, [&] { graph.apply({.new_vertices = 1}); });
    expect_error(ErrorCode::Usage, [&] { graph.snapshot(); });
    expect_error(ErrorCode::Usage, [&] { graph.graph(); });
    expect_error(ErrorCode::Usage, [&] { graph.lists(); });
    expect_error(ErrorCode::Usage, [&] { graph.has_edges(asked); });
    expect_error(ErrorCode::Usage, [&] { graph.to_csr(); });
    expect_error(ErrorCode::Usage, [&] { graph.change_in_kernels({}); });
    const LiveReport report = changing.finish();
    EXPECT_EQ(report.no_vertex, 1u);
    EXPECT_EQ(report.number, batches + 1);
    EXPECT_EQ(changing.finish().inserted, 1u);
  }
  expect_error(ErrorCode::Usage, [&] { bfs(ctx, old, {{VertexId{0}}}); });
  EXPECT_EQ(graph.batches(), batches + 1);
  EXPECT_EQ(graph.edges(), 1u);
  graph.apply({.deleted_vertices = std::vector<VertexId>{2}});
  EXPECT_EQ(graph.edges(), 0u);
  LiveChanges again = graph.change_in_kernels({});
  EXPECT_EQ(again.lists().insert(kAlone, 1, 2), LiveResult::NoVertex);
}

}  // namespace
}  // namespace fathom::testing
