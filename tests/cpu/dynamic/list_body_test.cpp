// Lists rewritten by a group of lanes: the same as by one lane.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "fathom/dynamic/batch_functors.hpp"
#include "tests/suites/thread_lanes.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {
namespace {

using namespace fathom::dynamic;

struct Rewritten {
  std::vector<VertexId> in_place, moved;  // targets and weights by turns
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
  for (std::uint32_t i = 0; i < entries; ++i) list.set(i, 2 * i, static_cast<Weight>(i));
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
      change.push_back({0, t, 100, kind});
      from = locate(list, from, entries, change.back());
      size += change.back().growth();
    }
  }
  Rewritten result;
  result.size = static_cast<std::uint32_t>(size);
  const Change* const first = change.data();
  const Change* const last = first + change.size();
  run([&](const auto& g) {
    const ChangeRuns<std::decay_t<decltype(g)>> runs{g, first,
                                                     static_cast<std::uint32_t>(last - first)};
    if (in_runs && runs.changes != 0) {
      EXPECT_EQ(runs.rewrite(list, entries, copy, true), result.size);
      const std::uint32_t left = runs.rewrite(list, entries, list, false);
      runs.insert(list, left, result.size, entries - left);
      return;
    }
    rewrite(g, first, last, list, entries, copy, true);
    g.ballot(true);
    const std::uint32_t left = rewrite(g, first, last, list, entries, list, false);
    insert(g, first, last, list, left, result.size);
  });
  const auto entries_of = [&](const PageRef& p) {
    std::vector<VertexId> all;
    for (std::uint32_t i = 0; i < result.size; ++i) {
      all.push_back(p.target(i));
      all.push_back(static_cast<VertexId>(p.weight(i)));
    }
    return all;
  };
  result.in_place = entries_of(list);
  result.moved = entries_of(copy);
  return result;
}

/// The entries of a list on linked pages after a planned commit, and how many pages it left.
template <class Run>
std::pair<std::multiset<VertexId>, std::uint32_t> committed(std::uint32_t entries, bool markers,
                                                            std::uint64_t seed, const Run& run) {
  zoo::Dice dice(seed);
  DynamicLayout layout;
  layout.link_words = 8;
  layout.markers = markers;
  std::vector<std::uint32_t> region(std::size_t{8} * 400, kDeletedEdge);
  const auto page_number = [](std::uint32_t k) { return 2 * k; };  // of 32 bytes
  DynamicList list{0, entries, 0, 1};
  const DynamicListsRef lists{region.data(), &list, layout, 2, seed % 5 == 0 ? 1u : 0u};
  list.capacity = lists.capacity_for(entries);
  const LinkedPages pages = lists.pages();
  chain(OneLane{}, pages, page_number, lists.pages_for(entries));
  for (std::uint32_t i = 0; i < entries; ++i)
    pages.page(page_number(i / 7)).set(i % 7, (i * 11) % (2 * entries + 1), 1);
  std::vector<Change> change;
  for (std::uint32_t t = 0; t < 2 * entries + 3; ++t) {
    const ChangeKind kinds[] = {ChangeKind::None,        ChangeKind::Remove, ChangeKind::Remove,
                                ChangeKind::AddIfAbsent, ChangeKind::Set,    ChangeKind::Add};
    if (dice.roll(3) == 0) change.push_back({0, t, 1, kinds[dice.roll(6)]});
  }
  TouchedList touched;
  touched.last = static_cast<std::uint32_t>(change.size());
  std::vector<PageRequest> fresh, old;
  run([&](const auto& g) { LocateInList{lists, change.data(), &touched}(g, 0); });
  unsigned too_long = 0;
  PlanList{lists, change.data(), &touched, &too_long}(0);
  for (std::uint32_t k = 0; k < touched.fresh; ++k) fresh.push_back({32, page_number(100 + k)});
  old.resize(touched.old);
  run([&](const auto& g) {
    CommitList{lists, change.data(), &touched, fresh.data(), old.data()}(g, 0);
  });
  std::multiset<VertexId> left;
  DynamicSpan s;
  const DynamicEdges edges{region.data(), &list, layout};
  for (auto cursor = edges.begin(0); edges.next(cursor, s);)
    for (std::uint32_t i = 0; i < s.size; ++i) left.insert(s.target(i));
  std::set<std::uint32_t> distinct;
  for (const PageRequest& page : old) distinct.insert(page.page);
  EXPECT_EQ(distinct.size(), old.size());
  EXPECT_EQ(left.size(), touched.changes ? touched.size : entries);
  return {left, touched.old};
}

TEST(ListBody, lanes_commit_a_linked_list_as_one_lane_does) {
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    for (const bool markers : {false, true}) {
      const auto entries = static_cast<std::uint32_t>(seed * 7 % 60);
      const auto alone =
          committed(entries, markers, seed, [](const auto& body) { body(OneLane{}); });
      LaneTeam team(4);
      const auto together = committed(entries, markers, seed, [&](const auto& body) {
        team.run([&](const auto& lane) { body(lane); });
      });
      EXPECT_EQ(together, alone);
    }
}

TEST(ListBody, lanes_rewrite_a_list_as_one_lane_does) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const auto entries = static_cast<std::uint32_t>(seed * 7 % 60);
    const std::uint32_t words = seed % 3 == 2 ? 2 : 1;
    const Rewritten alone =
        rewritten(entries, words, seed, false, [](const auto& body) { body(OneLane{}); });
    EXPECT_EQ(alone.in_place, alone.moved);
    for (std::uint32_t i = 2; i < alone.moved.size(); i += 2)
      EXPECT_LE(alone.moved[i - 2], alone.moved[i]);
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
