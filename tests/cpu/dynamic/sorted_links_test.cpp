// Linked lists that ascend over all of their pages.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <vector>

#include "fathom/dynamic/batches/batch_functors.hpp"
#include "fathom/dynamic/lists/list_walk.hpp"
#include "fathom/dynamic/live/live_changes.hpp"
#include "tests/suites/dynamic_model.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/thread_lanes.hpp"

namespace fathom::testing {
namespace {

using namespace fathom::dynamic;

constexpr DuplicatePolicy kSortedPolicies[] = {DuplicatePolicy::Ignore, DuplicatePolicy::Overwrite,
                                               DuplicatePolicy::Keep};

/// One list, on pages of few entries, and the changes that a batch makes of its updates.
class OneSortedList {
 public:
  OneSortedList(std::uint64_t seed, DynamicLayout layout)
      : dice_(seed), layout_(layout), region_(std::size_t{layout.link_words} * kPages, ~0u) {
    model_.kind = has_fields(layout)  ? EdgeKind::Semantic
                  : layout.weighted() ? EdgeKind::Weighted
                                      : EdgeKind::Simple;
    model_.policy = DuplicatePolicy::Keep;
    const std::uint32_t size = dice_.roll(5) * dice_.roll(40);
    for (std::uint32_t i = 0; i < size; ++i)
      model_.insert(0, dice_.roll(range_), static_cast<Weight>(i % 7), some_fields(i));
    model_.policy = kSortedPolicies[dice_.roll(3)];
    lists().set(0, {0, size, lists().capacity_for(size)}, false);
    const auto number = [this](std::uint32_t k) { return page_number(k); };
    chain(OneLane{}, pages(), number, lists().pages_for(size));
    std::uint32_t i = 0;
    for (const auto& [target, weight, fields] : model_.entries(0)) {
      const PageRef page = pages().page(page_number(i / pages().entries()));
      page.set(i % pages().entries(), target, weight);
      page.set_fields(i++ % pages().entries(), fields);
    }
    draw_changes();
  }

  /// As a batch does; run(body) calls body(group) on every lane of a group.
  template <class Run>
  void change(const Run& run, bool by_change, bool pinned) {
    pinned_ = pinned ? 1 : 0;
    run([&](const auto& g) {
      if (!by_change) return LocateInList{lists(), change_.data(), &touched_}(g, 0);
      for (std::size_t i = 0; i < change_.size(); ++i) LocateChange{lists(), change_.data()}(g, i);
    });
    unsigned too_long = 0;
    PlanList{lists(), change_.data(), &touched_, &too_long}(0);
    for (std::uint32_t k = 0; k < touched_.fresh; ++k)
      fresh_.push_back({std::uint64_t{layout_.link_words} * 4, page_number(kPages / 2 + k)});
    old_.resize(touched_.old);
    run([&](const auto& g) {
      if (has_fields(layout_))
        commit(g, UpdateData{update_.data(), fields_.data()});
      else
        commit(g, WeightsAlone{});
    });
  }

  void expect_as_the_model() const {
    const DynamicEdges edges{region_.data(), record_, layout_};
    expect_ascending(edges, 1);
    ASSERT_EQ(entries_of(edges, 0), model_.entries(0));
    const DynamicList list = edges.list(0);
    EXPECT_EQ(list.capacity, lists().capacity_for(list.size));
    // Every page is in the list or has been left, once.
    std::multiset<std::uint32_t> mine, all;
    for (std::uint32_t k = 0, p = list.page; k < lists().pages_for(list.size); ++k) {
      mine.insert(p);
      p = pages().link(p);
    }
    for (const PageRequest& page : old_) mine.insert(page.page);
    for (std::uint32_t k = 0; k < first_pages_; ++k) all.insert(page_number(k));
    for (const PageRequest& page : fresh_) all.insert(page.page);
    EXPECT_EQ(mine, all);
    for (VertexId v = 0; v < range_ + 2; ++v) {
      const auto known = model_.edges.find({0, v});
      ASSERT_EQ(find_edge(edges, 0, v).found, known != model_.edges.end());
      ASSERT_EQ(count_edges(edges, 0, v), known == model_.edges.end() ? 0 : known->second.size());
    }
  }

 private:
  static constexpr std::uint32_t kPages = 1024;
  static constexpr VertexId range_ = 90;

  DynamicListsRef lists() const {
    return {const_cast<std::uint32_t*>(region_.data()), const_cast<DynamicRecord*>(record_),
            layout_, 2, pinned_};
  }
  LinkedPages pages() const { return lists().pages(); }
  std::uint32_t page_number(std::uint32_t k) const { return layout_.link_words / 4 * k; }

  void draw_changes() {
    first_pages_ = lists().pages_for(lists().list(0).size);
    const std::uint32_t n = dice_.roll(4) * dice_.roll(40), near = dice_.roll(3);
    const std::uint32_t removals = dice_.roll(11);
    for (std::uint32_t i = 0; i < n; ++i) {
      // All over the list, at its end, or of few edges.
      const VertexId v = near == 0   ? dice_.roll(range_)
                         : near == 1 ? 80 + dice_.roll(10)
                                     : dice_.roll(3);
      EdgeUpdate e = EdgeUpdate::insert(0, v, static_cast<Weight>(10 + i));
      e.deletion = dice_.roll(10) < removals;
      update_.push_back(e);
      fields_.push_back(some_fields(1000 + i));
      if (e.deletion)
        model_.remove(0, v);
      else
        model_.insert(0, v, e.weight, fields_.back());
      change_.push_back({0, v, has_fields(layout_) ? UpdateData::numbered(i) : e.weight,
                         e.deletion ? ChangeKind::Delete : ChangeKind::Insert});
    }
    std::ranges::stable_sort(change_, {}, &Change::target);
    for (std::size_t i = 0; i < change_.size(); ++i)
      DecideEdge{change_.data(), change_.size(), model_.policy}(i);
    touched_.last = n;
  }
  template <LaneGroup G, class Data>
  void commit(const G& g, const Data& data) {
    CommitList<Data>{lists(), change_.data(), &touched_, fresh_.data(), old_.data(), data}(g, 0);
  }

  zoo::Dice dice_;
  DynamicLayout layout_;
  std::vector<std::uint32_t> region_;
  DynamicRecord record_[2] = {};
  Model model_;
  std::uint32_t pinned_ = 0, first_pages_ = 0;
  std::vector<EdgeUpdate> update_;
  std::vector<EdgeFields> fields_;
  std::vector<Change> change_;
  TouchedList touched_;
  std::vector<PageRequest> fresh_, old_;
};

/// Pages of one entry and more.
std::vector<DynamicLayout> sorted_layouts() {
  std::vector<DynamicLayout> all;
  for (const std::uint32_t words : {1u, 2u, kSemanticWords})
    for (const bool structure : {false, true})
      for (std::uint32_t link_words : {4u, 8u, 16u, 32u, 64u})
        if (link_words > words && (!structure || words > 1))
          all.push_back({words, link_words, structure, false, true});
  return all;
}

TEST(SortedLinks, lists_are_those_of_the_model_and_ascend_whatever_the_lanes) {
  LaneTeam two(2), eight(8), warp(32);
  LaneTeam* const teams[] = {&two, &eight, &warp};  // of every fourth list
  std::uint64_t seed = 0;
  for (const DynamicLayout& layout : sorted_layouts())
    for (int round = 0; round < 60; ++round, ++seed) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", entries of " << layout.entry_words
                                        << " words on pages of " << layout.link_words);
      OneSortedList list(seed, layout);
      LaneTeam* const team = seed % 4 == 0 ? teams[seed / 4 % 3] : nullptr;
      const auto run = [&](const auto& body) {
        if (team)
          team->run([&](const auto& lane) { body(lane); });
        else
          body(OneLane{});
      };
      list.change(run, /*by_change=*/seed % 8 > 3, /*pinned=*/seed % 5 == 0);
      list.expect_as_the_model();
      if (HasFailure()) return;
    }
}

/// Two pages that a search should not look into show whether it does.
TEST(SortedLinks, searches_pass_pages_by_and_stop_at_the_first_larger_target) {
  const DynamicLayout layout{1, 4, false, false, true};
  std::uint32_t region[] = {50, 2, 3, 1,  //
                            4,  4, 6, 2,  //
                            5,  7, 9, kNoPage};
  DynamicRecord record[2];
  layout.write(record, 0, {0, 9, 9});
  const DynamicEdges edges{region, record, layout};
  const auto finds = [&](VertexId v) { return find_edge(edges, 0, v).found; };
  EXPECT_TRUE(finds(3));
  EXPECT_TRUE(finds(4));
  EXPECT_TRUE(finds(9));
  EXPECT_FALSE(finds(50)) << "looked for on a page that ends below";
  EXPECT_FALSE(finds(5)) << "looked for behind a larger target";
  EXPECT_EQ(count_edges(edges, 0, 4), 2u);
  EXPECT_EQ(count_edges(edges, 0, 5), 0u);

  const DynamicListsRef lists{region, record, layout, 2, 0};
  std::vector<Change> change;
  for (const VertexId v : {4, 5}) change.push_back({0, v, 1, ChangeKind::Remove});
  TouchedList touched;
  touched.last = 2;
  LocateInList{lists, change.data(), &touched}(OneLane{}, 0);
  EXPECT_EQ(change[0].found, 2u);
  EXPECT_EQ(change[0].position, 3u);
  EXPECT_EQ(change[1].found, 0u) << "looked for behind a larger target";
  EXPECT_EQ(change[1].position, 5u);
}

DynamicGraphOptions sorted_options() {
  return {.layout = DynamicLayoutKind::Faim,
          .page_bytes = 32,
          .sorted_links = true,
          .memory = std::size_t{1} << 26,
          .most_vertices = 1u << 16};
}

TEST(SortedLinks, belong_to_the_faim_layout_and_to_batches) {
  const Context ctx = Context::cpu();
  for (const auto layout : {DynamicLayoutKind::Ouro, DynamicLayoutKind::Aim})
    expect_error(
        ErrorCode::Usage, [&] { DynamicGraph(ctx, {.layout = layout, .sorted_links = true}); },
        "faim layout alone");
  DynamicGraph graph(ctx, sorted_options());
  expect_error(
      ErrorCode::Usage, [&] { graph.change_in_kernels({}); }, "batches alone");
  const std::vector<EdgeUpdate> edge{EdgeUpdate::insert(0, 1)};
  EXPECT_EQ(graph.apply({.new_vertices = 2, .edges = edge}).inserted, 1u);
}

TEST(SortedLinks, pages_come_back_and_insertions_in_front_need_no_more_of_them) {
  const Context ctx = Context::cpu();
  DynamicGraphOptions options = sorted_options();
  options.in_edges = false;
  DynamicGraph graph(ctx, options);
  std::vector<EdgeUpdate> odd, even;
  for (VertexId v = 0; v < 70; ++v) (v % 2 == 0 ? even : odd).push_back(EdgeUpdate::insert(0, v));
  graph.apply({70, odd, {}});
  EXPECT_EQ(graph.memory().pages, 5u);  // of 7 entries and a link
  const BatchReport report = graph.apply({0, even, {}});
  EXPECT_EQ(graph.memory().pages, 10u);
  EXPECT_EQ(report.moved, 0u);
  EXPECT_TRUE(graph.lists().layout.sorted);
  expect_ascending(graph.lists(), 1);
  for (EdgeUpdate& e : odd) e.deletion = true;
  graph.apply({0, odd, {}});
  EXPECT_EQ(graph.memory().pages, 5u);
  expect_ascending(graph.lists(), 1);
}

TEST(SortedLinks, copies_of_one_edge_take_no_longer_than_other_edges) {
  const Context ctx = Context::cpu();
  for (const auto strategy : {UpdateStrategy::Update, UpdateStrategy::Sorted}) {
    DynamicGraphOptions options = sorted_options();
    options.strategy = strategy;
    options.duplicates = DuplicatePolicy::Keep;
    DynamicGraph graph(ctx, options);
    std::vector<EdgeUpdate> same(100000, EdgeUpdate::insert(3, 4));
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(graph.apply({10, same, {}}).inserted, 100000u);
    EXPECT_EQ(graph.apply({0, same, {}}).inserted, 100000u);
    same.push_back(EdgeUpdate::remove(3, 4));
    EXPECT_EQ(graph.apply({0, same, {}}).removed, 200000u);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  }
}

TEST(SortedLinks, come_and_go_as_a_graph_is_rebuilt) {
  const Context ctx = Context::cpu();
  Model model;
  model.kind = EdgeKind::Weighted;
  DynamicGraphOptions sorted = sorted_options(), linked = sorted;
  linked.edges = sorted.edges = EdgeKind::Weighted;
  linked.sorted_links = false;
  DynamicGraph graph(ctx, linked);
  zoo::Dice dice(7);
  std::vector<EdgeUpdate> updates;
  const auto draw = [&] {
    updates.clear();
    for (int i = 0; i < 3000; ++i) {
      const EdgeUpdate e{dice.roll(60), dice.roll(60), static_cast<Weight>(dice.roll(90)),
                         dice.roll(3) == 0};
      updates.push_back(e);
      e.deletion ? model.remove(e.source, e.target) : model.insert(e.source, e.target, e.weight);
    }
  };
  draw();
  graph.apply({60, updates, {}});
  for (const DynamicGraphOptions& options : {sorted, linked, sorted}) {
    DynamicGraph anew = graph.rebuilt(ctx, options);
    EXPECT_EQ(anew.lists().layout.sorted, options.sorted_links);
    expect_entries(anew, model);
    const Model before = model;
    const Snapshot shot = anew.snapshot();
    draw();
    anew.apply({0, updates, {}});
    expect_entries(anew, model);
    expect_entries(shot, before);
    graph = std::move(anew);
  }
}

}  // namespace
}  // namespace fathom::testing
