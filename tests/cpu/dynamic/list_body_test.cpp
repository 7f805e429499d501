// Lists rewritten by a group of lanes: the same as by one lane.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "fathom/dynamic/batches/batch_functors.hpp"
#include "tests/suites/dynamic_model.hpp"
#include "tests/suites/thread_lanes.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {
namespace {

using namespace fathom::dynamic;

struct Rewritten {
  std::vector<VertexId> in_place, moved;  // targets, weights and fields by turns
  std::uint32_t size = 0;
};

/// A list of even targets, and changes of some of its edges and of some between.
template <class Run>
Rewritten rewritten(std::uint32_t entries, std::uint32_t words, std::uint64_t seed, bool in_runs,
                    const Run& run) {
  zoo::Dice dice(seed);
  const DynamicLayout layout{words, 0, seed % 2 == 0, false};
  const std::uint32_t capacity = entries * 8 + 32;
  std::vector<std::uint32_t> page(std::size_t{capacity} * words, 0), other(page.size() * 2, 0);
  const PageRef list = page_of(page.data(), layout, 0, capacity);
  const PageRef copy = page_of(other.data(), layout, 0, capacity * 2);
  const EdgeUpdate given[] = {EdgeUpdate::insert(0, 0, 100), EdgeUpdate::insert(0, 0, 101)};
  const EdgeFields given_fields[] = {some_fields(1), some_fields(2)};
  const bool semantic = words == kSemanticWords;
  for (std::uint32_t i = 0; i < entries; ++i) {
    list.set(i, 2 * i, static_cast<Weight>(i));
    if (semantic) list.set_fields(i, some_fields(3 + i));
  }
  std::vector<Change> change;
  std::uint32_t from = 0;
  std::int64_t size = entries;
  for (std::uint32_t t = 0; t < 2 * entries + 3; ++t) {
    if (dice.roll(3) != 0) continue;
    const ChangeKind kinds[] = {ChangeKind::None, ChangeKind::Remove, ChangeKind::AddIfAbsent,
                                ChangeKind::Set, ChangeKind::Add};
    // What may become of several updates of an edge, too.
    std::vector<ChangeKind> its{kinds[dice.roll(5)]};
    if (dice.roll(4) == 0)
      its = {ChangeKind::None, ChangeKind::Remove, ChangeKind::Add, ChangeKind::None};
    if (dice.roll(4) == 0) its.assign(1 + dice.roll(3), ChangeKind::Add);
    for (const ChangeKind kind : its) {
      change.push_back({0, t, semantic ? UpdateData::numbered(t % 2) : 100, kind});
      from = locate(list, from, entries, change.back());
      size += change.back().growth();
    }
  }
  Rewritten result;
  result.size = static_cast<std::uint32_t>(size);
  const Change* const first = change.data();
  const Change* const last = first + change.size();
  const auto apply = [&](const auto& g, const auto& data) {
    using Runs = ChangeRuns<std::decay_t<decltype(g)>, std::decay_t<decltype(data)>>;
    const Runs runs{g, first, static_cast<std::uint32_t>(last - first), data};
    if (in_runs && runs.changes != 0) {
      EXPECT_EQ(runs.rewrite(list, entries, copy, true), result.size);
      const std::uint32_t left = runs.rewrite(list, entries, list, false);
      runs.insert(list, left, result.size, entries - left);
      return;
    }
    rewrite(g, first, last, data, list, entries, copy, true);
    g.ballot(true);
    const std::uint32_t left = rewrite(g, first, last, data, list, entries, list, false);
    insert(g, first, last, data, list, left, result.size);
  };
  run([&](const auto& g) {
    if (semantic)
      apply(g, UpdateData{given, given_fields});
    else
      apply(g, WeightsAlone{});
  });
  const auto entries_of = [&](const PageRef& p) {
    std::vector<VertexId> all;
    for (std::uint32_t i = 0; i < result.size; ++i) {
      all.push_back(p.target(i));
      all.push_back(static_cast<VertexId>(p.weight(i)));
      for (std::uint32_t k = 0; k < p.fields; ++k) all.push_back(p.field(i, k));
    }
    return all;
  };
  result.in_place = entries_of(list);
  result.moved = entries_of(copy);
  return result;
}

/// The entries of a list on linked pages after a planned commit, and how many pages it left.
template <class Run>
std::pair<std::multiset<Model::Entry>, std::uint32_t> committed(std::uint32_t entries, bool markers,
                                                                bool semantic, std::uint64_t seed,
                                                                const Run& run) {
  zoo::Dice dice(seed);
  DynamicLayout layout;
  layout.link_words = 8;
  if (semantic) layout = {kSemanticWords, 64, seed % 2 == 0};
  layout.markers = markers;
  const std::uint32_t words = layout.link_words, each = layout.link_entries();
  std::vector<std::uint32_t> region(std::size_t{words} * 400, kDeletedEdge);
  const auto page_number = [words](std::uint32_t k) { return words / 4 * k; };
  const EdgeUpdate given[] = {EdgeUpdate::insert(0, 0, 100), EdgeUpdate::insert(0, 0, 101)};
  const EdgeFields given_fields[] = {some_fields(1), some_fields(2)};
  DynamicRecord record[2];
  const DynamicListsRef lists{region.data(), record, layout, 2, seed % 5 == 0 ? 1u : 0u};
  lists.set(0, {0, entries, lists.capacity_for(entries)}, false);
  const LinkedPages pages = lists.pages();
  chain(OneLane{}, pages, page_number, lists.pages_for(entries));
  for (std::uint32_t i = 0; i < entries; ++i) {
    const PageRef page = pages.page(page_number(i / each));
    page.set(i % each, (i * 11) % (2 * entries + 1), 1);
    if (semantic) page.set_fields(i % each, some_fields(3 + i));
  }
  std::vector<Change> change;
  for (std::uint32_t t = 0; t < 2 * entries + 3; ++t) {
    const ChangeKind kinds[] = {ChangeKind::None,        ChangeKind::Remove, ChangeKind::Remove,
                                ChangeKind::AddIfAbsent, ChangeKind::Set,    ChangeKind::Add};
    if (dice.roll(3) == 0)
      change.push_back({0, t, semantic ? UpdateData::numbered(t % 2) : 1, kinds[dice.roll(6)]});
  }
  TouchedList touched;
  touched.last = static_cast<std::uint32_t>(change.size());
  std::vector<PageRequest> fresh, old;
  run([&](const auto& g) { LocateInList{lists, change.data(), &touched}(g, 0); });
  unsigned too_long = 0;
  PlanList{lists, change.data(), &touched, &too_long}(0);
  for (std::uint32_t k = 0; k < touched.fresh; ++k)
    fresh.push_back({std::uint64_t{words} * 4, page_number(100 + k)});
  old.resize(touched.old);
  run([&](const auto& g) {
    const auto commit = [&](const auto& data) {
      CommitList<std::decay_t<decltype(data)>>{lists,        change.data(), &touched,
                                               fresh.data(), old.data(),    data}(g, 0);
    };
    if (semantic)
      commit(UpdateData{given, given_fields});
    else
      commit(WeightsAlone{});
  });
  const std::vector<Model::Entry> all = entries_of({region.data(), record, layout}, 0);
  const std::multiset<Model::Entry> left(all.begin(), all.end());
  std::set<std::uint32_t> distinct;
  for (const PageRequest& page : old) distinct.insert(page.page);
  EXPECT_EQ(distinct.size(), old.size());
  EXPECT_EQ(left.size(), touched.changes ? touched.size : entries);
  return {left, touched.old};
}

TEST(ListBody, lanes_commit_a_linked_list_as_one_lane_does) {
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    for (const int setting : {0, 1, 2, 3}) {
      const bool markers = setting % 2 != 0, semantic = setting / 2 != 0;
      const auto entries = static_cast<std::uint32_t>(seed * 7 % 60);
      const auto alone =
          committed(entries, markers, semantic, seed, [](const auto& body) { body(OneLane{}); });
      LaneTeam team(4);
      const auto together = committed(entries, markers, semantic, seed, [&](const auto& body) {
        team.run([&](const auto& lane) { body(lane); });
      });
      EXPECT_EQ(together, alone);
    }
}

TEST(ListBody, lanes_find_an_edge_as_one_lane_does) {
  for (const std::uint32_t lanes : {2, 8, 32}) {
    LaneTeam team(lanes);
    for (const std::uint32_t entries : {0, 1, 2, 7, 33, 100}) {
      const DynamicLayout layout{1, 0, false, false};
      std::vector<std::uint32_t> page(entries + 1);
      for (std::uint32_t i = 0; i < entries; ++i) page[i] = i / 3 * 2 + 5;  // three of each
      DynamicRecord record{{kNoTarget, kNoTarget}};
      const DynamicListsRef lists{page.data(), &record, layout, 2, 0};
      lists.set(0, {0, entries, lists.capacity_for(entries)}, false);
      std::vector<Change> alone;
      for (const ChangeKind kind : {ChangeKind::Add, ChangeKind::Remove})
        for (VertexId t = 3; t < 2 * entries / 3 + 9; ++t) alone.push_back({0, t, 1, kind});
      std::vector<Change> together = alone;
      for (std::size_t i = 0; i < alone.size(); ++i)
        LocateChange{lists, alone.data()}(OneLane{}, i);
      team.run([&](const auto& lane) {
        for (std::size_t i = 0; i < together.size(); ++i)
          LocateChange{lists, together.data()}(lane, i);
      });
      for (std::size_t i = 0; i < alone.size(); ++i) {
        EXPECT_EQ(together[i].found, alone[i].found) << entries << ", " << alone[i].target;
        EXPECT_EQ(together[i].position, alone[i].position) << entries << ", " << alone[i].target;
      }
    }
  }
}

TEST(ListBody, lanes_rewrite_a_list_as_one_lane_does) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const auto entries = static_cast<std::uint32_t>(seed * 7 % 60);
    const std::uint32_t kinds[] = {1, 2, kSemanticWords}, words = kinds[seed % 3];
    const Rewritten alone =
        rewritten(entries, words, seed, false, [](const auto& body) { body(OneLane{}); });
    EXPECT_EQ(alone.in_place, alone.moved);
    const std::uint32_t each = words == kSemanticWords ? kSemanticWords : 2;
    for (std::uint32_t i = each; i < alone.moved.size(); i += each)
      EXPECT_LE(alone.moved[i - each], alone.moved[i]);
    for (const bool in_runs : {false, true}) {
      LaneTeam team(in_runs && seed % 4 == 0 ? 8 : 4);
      const Rewritten together = rewritten(entries, words, seed, in_runs, [&](const auto& body) {
        team.run([&](const auto& lane) { body(lane); });
      });
      EXPECT_EQ(together.in_place, alone.in_place);
      EXPECT_EQ(together.moved, alone.moved);
    }
  }
}

}  // namespace
}  // namespace fathom::testing
