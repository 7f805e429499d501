// Records of lists, and lists that are so short that their record has them: what batches, kernels
// and snapshots make of them where they become longer and shorter.
#include <gtest/gtest.h>

#include <optional>

#include "fathom/dynamic/live/live_changes.hpp"
#include "tests/suites/dynamic_model.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::testing {
namespace {

using namespace dynamic;

DynamicGraphOptions short_lists(EdgeKind edges, bool directed, DuplicatePolicy policy) {
  return {.directed = directed,
          .edges = edges,
          .duplicates = policy,
          .memory = std::size_t{1} << 24,
          .most_vertices = 1u << 16};
}

Model model_of(const DynamicGraphOptions& options) {
  Model model;
  model.kind = options.edges;
  model.directed = options.directed;
  model.policy = options.duplicates;
  return model;
}

TEST(ListRecords, say_what_was_written) {
  for (const std::uint32_t words : {1u, 2u, kSemanticWords}) {
    const DynamicLayout layout{words};
    const auto expect = [&](const DynamicList& its) {
      DynamicRecord record{};
      layout.write(&record, 0, its);
      const DynamicList found = layout.list(&record, 0);
      ASSERT_EQ(found.page, its.page);
      ASSERT_EQ(found.size, its.size);
      ASSERT_EQ(record.size(), its.size);
      ASSERT_EQ(found.capacity, its.capacity) << words << " words";
    };
    for (std::uint32_t page_words = 4; page_words <= 1u << 29; page_words *= 2) {
      const std::uint32_t capacity = page_words / words;
      if (capacity == 0) continue;
      for (const std::uint32_t size : {0u, 1u, capacity / 2, capacity - 1, capacity})
        for (const std::uint32_t page : {0u, 5u, kNoPage - 1}) expect({page, size, capacity});
    }
    EXPECT_EQ(layout.most_edges(), (1u << 29) / words);
    expect({7, layout.most_edges(), layout.most_edges()});
  }
  const DynamicLayout linked{1, 8};
  DynamicRecord record[4] = {};
  EXPECT_EQ(linked.list(record, 1).capacity, 0u);
  linked.write(record, 1, {kNoPage - 1, 3, 49});
  const DynamicList found = linked.list(record, 1);
  EXPECT_EQ(found.page, kNoPage - 1);
  EXPECT_EQ(found.size, 3u);
  EXPECT_EQ(found.capacity, 49u);
}

TEST(ListRecords, have_lists_of_up_to_two_targets) {
  const DynamicLayout layout{1, 0, false, false, false, kInRecord};
  DynamicRecord record = empty_record(layout);
  const DynamicEdges lists{nullptr, &record, layout};
  EXPECT_EQ(lists.degree(0), 0u);
  EXPECT_EQ(lists.list(0).capacity, kInRecord);
  expect_seen_by_loops(lists, 0);
  record.word[0] = 0;
  EXPECT_EQ(entries_of(lists, 0), (std::vector<Model::Entry>{{0, 1, {}}}));
  expect_seen_by_loops(lists, 0);
  record.word[1] = 0;  // several edges
  expect_seen_by_loops(lists, 0);
  record.word[1] = kNoTarget - 1;
  EXPECT_EQ(entries_of(lists, 0), (std::vector<Model::Entry>{{0, 1, {}}, {kNoTarget - 1, 1, {}}}));
  expect_seen_by_loops(lists, 0);
  layout.write(&record, 0, {0, 1, kInRecord});  // as a batch does that has taken one out
  EXPECT_EQ(lists.degree(0), 1u);
  layout.write(&record, 0, {0, 0, kInRecord});
  EXPECT_EQ(lists.degree(0), 0u);
}

/// A list that would be longer than records can say is refused before it has a page.
TEST(ListRecords, refuse_lists_that_are_too_long) {
  for (const std::uint32_t words : {1u, 2u, kSemanticWords}) {
    const DynamicLayout layout{words};
    DynamicRecord record{};
    DynamicListsRef lists{nullptr, &record, layout, 1, 0};
    lists.its_room.slack_percent = 50;
    const std::uint32_t most = layout.most_edges();
    Change change{0, 1, 1, ChangeKind::Add};
    for (const std::uint32_t size : {most - 1, most}) {
      lists.set(0, {0, size, lists.capacity_for(size)}, true);
      TouchedList touched;
      touched.last = 1;
      unsigned too_long = 0;
      PlanList{lists, &change, &touched, &too_long}(0);
      EXPECT_EQ(too_long, size == most ? 1u : 0u);
      if (size == most) continue;
      EXPECT_EQ(touched.size, most);
      EXPECT_LE(lists.bytes_for(touched.room), std::uint64_t{1} << 31);
    }
    EXPECT_EQ(lists.room_for(most, most / 2), most) << "slack beyond what records can say";
  }
  expect_error(
      ErrorCode::DoesNotFit, [] { throw_too_long(DynamicLayout{2}); }, "at most 268435456 edges");
}

/// Pages of a graph that has no snapshots: of contiguous lists one each, if they are not too short.
std::uint64_t pages_of(const DynamicGraph& graph, const Model& model) {
  const std::size_t least = graph.weighted() ? 1 : kInRecord + 1;
  std::uint64_t pages = 0;
  for (VertexId v = 0; v < graph.vertices(); ++v)
    for (const bool in : {false, true})
      if (!in || (model.directed && graph.lists(true).record))
        pages += model.entries(v, in).size() >= least ? 1 : 0;
  return pages;
}

/// Draws updates of few vertices, so that their lists have none to about five edges.
std::vector<EdgeUpdate> few_updates(zoo::Dice& dice, std::uint32_t vertices, Model& model) {
  std::vector<EdgeUpdate> updates;
  const std::uint32_t n = 1 + dice.roll(dice.roll(3) == 0 ? 30 : 6), gone = dice.roll(10);
  for (std::uint32_t i = 0; i < n; ++i) {
    EdgeUpdate e{dice.roll(vertices), dice.roll(vertices), static_cast<Weight>(1 + dice.roll(9)),
                 dice.roll(10) <= gone};
    updates.push_back(e);
    if (e.deletion)
      model.remove(e.source, e.target);
    else
      model.insert(e.source, e.target, e.weight);
  }
  return updates;
}

/// The same one by one, as loops of one's own make them.
void change(LiveChanges& changing, const std::vector<EdgeUpdate>& updates) {
  for (const EdgeUpdate& e : updates)
    e.deletion ? changing.lists().erase(OneLane{}, e.source, e.target)
               : changing.lists().insert(OneLane{}, e.source, e.target, e.weight);
}

class ShortLists : public ::testing::TestWithParam<std::tuple<EdgeKind, bool, DuplicatePolicy>> {
 protected:
  DynamicGraphOptions options() const {
    const auto [edges, directed, policy] = GetParam();
    return short_lists(edges, directed, policy);
  }
  static constexpr std::uint32_t kVertices = 12;
};

TEST_P(ShortLists, get_pages_and_give_them_back_as_batches_change_them) {
  CpuOptions cpu;
  cpu.threads = 2;
  const Context ctx = Context::cpu(cpu);
  constexpr UpdateStrategy kStrategies[] = {UpdateStrategy::Update, UpdateStrategy::Sorted};
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    zoo::Dice dice(seed);
    DynamicGraphOptions its = options();
    its.strategy = kStrategies[seed % 2];
    DynamicGraph graph(ctx, its);
    graph.apply({.new_vertices = kVertices});
    Model model = model_of(its);
    for (int b = 0; b < 40; ++b) {
      const std::vector<EdgeUpdate> updates = few_updates(dice, kVertices, model);
      graph.apply({.edges = updates});
      ASSERT_EQ(graph.edges(), model.size());
      expect_entries(graph, model);
      expect_neighbors(graph, model);
      ASSERT_EQ(graph.memory().pages, pages_of(graph, model)) << "batch " << b;
      ASSERT_FALSE(HasFailure()) << "batch " << b;
    }
    expect_edges_found(graph, model);
    const DynamicGraph again = graph.rebuilt(ctx, its);
    expect_entries(again, model);
    EXPECT_EQ(again.memory().pages, pages_of(graph, model));
  }
}

/// Short lists may have pages then: with room for more edges than a record has.
TEST_P(ShortLists, with_slack_come_to_pages_of_their_own) {
  const Context ctx = Context::cpu();
  for (const double slack : {0.5, 1.0, 3.0})
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      SCOPED_TRACE(seed);
      zoo::Dice dice(seed + 300);
      DynamicGraphOptions its = options();
      its.slack = slack;
      DynamicGraph graph(ctx, its);
      graph.apply({.new_vertices = kVertices});
      Model model = model_of(its);
      for (int b = 0; b < 40; ++b) {
        const std::vector<EdgeUpdate> updates = few_updates(dice, kVertices, model);
        graph.apply({.edges = updates});
        expect_entries(graph, model);
        ASSERT_FALSE(HasFailure()) << "batch " << b;
      }
    }
}

TEST_P(ShortLists, of_a_batch_that_is_refused_beside_a_snapshot_leave_no_memory_taken) {
  const Context ctx = Context::cpu();
  DynamicGraphOptions its = options();
  its.memory = std::size_t{1} << 16;
  its.most_vertices = 1u << 20;
  DynamicGraph graph(ctx, its);
  graph.apply({.new_vertices = kVertices});
  const Snapshot shot = graph.snapshot();
  graph.apply({.edges = std::vector<EdgeUpdate>{EdgeUpdate::insert(0, 1)}});
  constexpr std::uint32_t kMore = 1u << 16;
  std::vector<EdgeUpdate> many;  // a page for each of three lists in four
  for (std::uint32_t v = 0; v < kMore; ++v)
    for (std::uint32_t k = 0; k < v % 4 * 3; ++k) many.push_back(EdgeUpdate::insert(v, k));
  const auto refuse = [&] {
    try {
      graph.apply({.new_vertices = kMore, .edges = many});
      ADD_FAILURE() << "64 KiB had room for everything";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::DoesNotFit) << e.what();
    }
  };
  refuse();
  const std::size_t left = graph.memory().record_bytes;
  EXPECT_LT(left, std::size_t{kMore});
  refuse();
  EXPECT_EQ(graph.memory().record_bytes, left);
}

TEST_P(ShortLists, stay_in_snapshots_as_they_were) {
  const Context ctx = Context::cpu();
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    zoo::Dice dice(seed + 100);
    DynamicGraph graph(ctx, options());
    graph.apply({.new_vertices = kVertices});
    Model model = model_of(options());
    std::vector<std::pair<Snapshot, Model>> shots;
    for (int b = 0; b < 50; ++b) {
      const std::vector<EdgeUpdate> updates = few_updates(dice, kVertices, model);
      if (b % 3 == 0) {
        LiveChanges changing = graph.change_in_kernels({});
        change(changing, updates);
      } else {
        graph.apply({.edges = updates});
      }
      expect_entries(graph, model);
      for (const auto& [shot, known] : shots) {
        expect_entries(shot, known);
        expect_lists(shot.graph(), known);
      }
      ASSERT_FALSE(HasFailure()) << "batch " << b;
      if (dice.roll(4) == 0) shots.emplace_back(graph.snapshot(), model);
      if (!shots.empty() && dice.roll(5) == 0)
        shots.erase(shots.begin() + dice.roll(static_cast<std::uint32_t>(shots.size())));
      if (dice.roll(12) == 0) shots.clear();
    }
    shots.clear();
    EXPECT_EQ(graph.memory().snapshot_bytes, 0u);
    // All that is left are the pages of the lists.
    EXPECT_EQ(graph.memory().pages, pages_of(graph, model));
  }
}

TEST_P(ShortLists, get_pages_and_give_them_back_as_kernels_change_them) {
  const Context ctx = Context::cpu();
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    zoo::Dice dice(seed + 200);
    DynamicGraph graph(ctx, options());
    graph.apply({.new_vertices = kVertices});
    Model model = model_of(options());
    for (int b = 0; b < 20; ++b) {
      LiveChanges changing = graph.change_in_kernels({});
      change(changing, few_updates(dice, kVertices, model));
      for (VertexId v = 0; v < kVertices; ++v) {
        ASSERT_EQ(changing.lists().degree(v), model.entries(v).size());
        std::vector<Model::Entry> its;
        changing.lists().locked(OneLane{}, v, [&](VertexId u, Weight w, const EdgeFields&) {
          its.emplace_back(u, w, EdgeFields{});
        });
        std::sort(its.begin(), its.end());
        ASSERT_EQ(its, model.entries(v));
        for (VertexId u = 0; u < kVertices; ++u)
          ASSERT_EQ(changing.lists().has_edge(OneLane{}, v, u), model.edges.contains({v, u}));
      }
      changing.finish();
      expect_entries(graph, model);
      ASSERT_EQ(graph.memory().pages, pages_of(graph, model)) << "phase " << b;
      ASSERT_FALSE(HasFailure()) << "phase " << b;
    }
  }
}

/// Nothing has changed where a page is missing, in the records neither.
TEST_P(ShortLists, are_as_before_where_a_batch_does_not_fit) {
  const Context ctx = Context::cpu();
  DynamicGraphOptions its = options();
  its.memory = 4096;
  DynamicGraph graph(ctx, its);
  Model model = model_of(its);
  std::vector<EdgeUpdate> updates;
  for (VertexId v = 0; v + 2 < 12; ++v) {
    updates.push_back(EdgeUpdate::insert(v, v + 1));
    model.insert(v, v + 1, 1);
  }
  graph.apply({.new_vertices = 2000, .edges = updates});
  expect_entries(graph, model);
  const DynamicMemory before = graph.memory();
  updates = {EdgeUpdate::remove(0, 1), EdgeUpdate::insert(1, 7), EdgeUpdate::insert(2, 0)};
  for (VertexId v = 0; v < 1900; ++v) updates.push_back(EdgeUpdate::insert(3, v));
  expect_error(
      ErrorCode::DoesNotFit, [&] { graph.apply({.edges = updates}); }, "");
  expect_entries(graph, model);
  EXPECT_EQ(graph.memory().pages, before.pages);
  EXPECT_EQ(graph.memory().page_bytes, before.page_bytes);
}

std::string name_of_case(const ::testing::TestParamInfo<ShortLists::ParamType>& its) {
  const auto [edges, directed, policy] = its.param;
  return std::string(edges == EdgeKind::Simple ? "simple" : "weighted") +
         (directed ? "_directed" : "_undirected") +
         (policy == DuplicatePolicy::Keep ? "_keep" : "_ignore");
}
INSTANTIATE_TEST_SUITE_P(
    Graphs, ShortLists,
    ::testing::Combine(::testing::Values(EdgeKind::Simple, EdgeKind::Weighted), ::testing::Bool(),
                       ::testing::Values(DuplicatePolicy::Ignore, DuplicatePolicy::Keep)),
    name_of_case);

/// A page is kept by the snapshots that show it, and by no older one.
TEST(ListRecords, of_snapshots_tell_which_of_them_have_a_page) {
  const Context ctx = Context::cpu();
  for (const DynamicLayoutKind layout : {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim}) {
    DynamicGraphOptions options = short_lists(EdgeKind::Simple, true, DuplicatePolicy::Ignore);
    options.layout = layout;
    options.page_bytes = 64;
    options.in_edges = false;
    DynamicGraph graph(ctx, options);
    const auto insert = [&](VertexId v) {
      const std::vector<EdgeUpdate> one{EdgeUpdate::insert(0, v)};
      graph.apply({.edges = one});
    };
    graph.apply({.new_vertices = 20});
    const std::size_t records = graph.memory().record_bytes;
    for (VertexId v = 1; v <= 9; ++v) insert(v);
    std::optional<Snapshot> first = graph.snapshot();
    insert(10);  // to a page that the first snapshot does not have
    EXPECT_EQ(graph.memory().snapshot_bytes, 64u);
    std::optional<Snapshot> second = graph.snapshot(), third = graph.snapshot();
    insert(11);
    insert(12);
    EXPECT_EQ(graph.memory().snapshot_bytes, 128u);
    second.reset();
    EXPECT_EQ(graph.memory().snapshot_bytes, 128u);
    third.reset();
    EXPECT_EQ(graph.memory().snapshot_bytes, 64u) << "the first one's";
    EXPECT_GE(graph.memory().record_bytes, records + 20 * sizeof(std::uint32_t));
    first.reset();
    EXPECT_EQ(graph.memory().snapshot_bytes, 0u);
    EXPECT_EQ(graph.memory().record_bytes, records);
    EXPECT_EQ(graph.memory().pages, 1u);
  }
}

}  // namespace
}  // namespace fathom::testing
