// Lists rewritten by a group of lanes: the same as by one lane.
#include <gtest/gtest.h>

#include <vector>

#include "fathom/dynamic/list_body.hpp"
#include "tests/suites/thread_lanes.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {
namespace {

using namespace fathom::dynamic;

struct Rewritten {
  std::vector<std::uint32_t> in_place, moved;
  std::uint32_t size = 0;
};

/// A list of even targets, and changes of some of its edges and of some between.
template <class Run>
Rewritten rewritten(std::uint32_t entries, std::uint32_t words, std::uint64_t seed,
                    const Run& run) {
  zoo::Dice dice(seed);
  const DynamicLayout layout{words, 0, seed % 2 == 0, false};
  const std::uint32_t capacity = entries * 2 + 8;
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
    change.push_back({0, t, 100, kinds[dice.roll(5)]});
    from = locate(list, from, entries, change.back());
    size += change.back().growth();
  }
  Rewritten result;
  result.size = static_cast<std::uint32_t>(size);
  const Change* const first = change.data();
  const Change* const last = first + change.size();
  run([&](const auto& g) {
    rewrite(g, first, last, list, entries, copy, true);
    g.ballot(true);
    const std::uint32_t left = rewrite(g, first, last, list, entries, list, false);
    insert(g, first, last, list, left, result.size);
  });
  const auto entries_of = [&](const PageRef& p) {
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < result.size; ++i) {
      all.push_back(p.target(i));
      all.push_back(static_cast<std::uint32_t>(p.weight(i)));
    }
    return all;
  };
  result.in_place = entries_of(list);
  result.moved = entries_of(copy);
  return result;
}

TEST(ListBody, lanes_rewrite_a_list_as_one_lane_does) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const auto entries = static_cast<std::uint32_t>(seed * 7 % 60);
    const std::uint32_t words = seed % 3 == 2 ? 2 : 1;
    const Rewritten alone =
        rewritten(entries, words, seed, [](const auto& body) { body(OneLane{}); });
    EXPECT_EQ(alone.in_place, alone.moved);
    for (std::uint32_t i = 2; i < alone.moved.size(); i += 2)
      EXPECT_LE(alone.moved[i - 2], alone.moved[i]);
    LaneTeam team(4);
    const Rewritten together = rewritten(entries, words, seed, [&](const auto& body) {
      team.run([&](const auto& lane) { body(lane); });
    });
    EXPECT_EQ(together.in_place, alone.in_place);
    EXPECT_EQ(together.moved, alone.moved);
  }
}

}  // namespace
}  // namespace fathom::testing
