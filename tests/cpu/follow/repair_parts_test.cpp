// What repairs of results that follow a graph are made of.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include "fathom/dynamic/follow/incremental_parts.hpp"
#include "fathom/dynamic/follow/level_repair.hpp"
#include "fathom/dynamic/follow/radix_heap.hpp"
#include "fathom/dynamic/follow/search_forest.hpp"

namespace fathom::dynamic {
namespace {

/// Takes what is least of both and compares it. @return the key
std::uint32_t take(RadixHeap<int>& heap, std::multimap<std::uint32_t, int>& model) {
  std::vector<int> values{-1};  // gone after the call
  const std::uint32_t key = heap.take_least(values);
  const auto [first, last] = model.equal_range(model.begin()->first);
  EXPECT_EQ(key, model.begin()->first);
  std::vector<int> expected;
  for (auto i = first; i != last; ++i) expected.push_back(i->second);
  std::ranges::sort(values);
  std::ranges::sort(expected);
  EXPECT_EQ(values, expected);
  model.erase(first, last);
  return key;
}

RC_GTEST_PROP(RadixHeap, TakesWhatIsLeast, ()) {
  RadixHeap<int> heap;
  std::multimap<std::uint32_t, int> model;
  std::uint32_t least = 0;
  const auto steps =
      *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::arbitrary<std::uint32_t>());
  int value = 0;
  for (const std::uint32_t step : steps) {
    if (step % 3 == 0 && !model.empty()) {
      least = take(heap, model);
    } else {
      if (model.empty()) least = 0;
      const std::uint32_t above = std::uint32_t{step} >> (step % 32);
      const std::uint32_t key = above > ~least ? ~std::uint32_t{0} : least + above;
      heap.push(key, value);
      model.emplace(key, value++);
    }
    RC_ASSERT(heap.empty() == model.empty());
  }
  while (!model.empty()) take(heap, model);
  RC_ASSERT(heap.empty());
}

TEST(RadixHeap, GivesMemoryBackWhenItForgets) {
  RadixHeap<int> heap;
  std::vector<int> values;
  for (std::uint32_t level = 1; level < 1u << 20; level *= 2) {
    for (int i = 0; i < 1000; ++i) heap.push(level, i);
    heap.take_least(values);
  }
  EXPECT_GT(heap.capacity(), 1000u);
  heap.clear();
  EXPECT_EQ(heap.capacity(), 0u);
}

TEST(RadixHeap, BeginsAgainFromZero) {
  RadixHeap<int> heap;
  std::multimap<std::uint32_t, int> model;
  const auto push = [&](std::uint32_t key, int value) {
    heap.push(key, value);
    model.emplace(key, value);
  };
  push(~std::uint32_t{0}, 1);
  take(heap, model);
  push(3, 2);
  push(0, 3);
  push(3, 4);
  EXPECT_EQ(take(heap, model), 0u);
  EXPECT_EQ(take(heap, model), 3u);
  push(7, 5);
  heap.clear();
  EXPECT_TRUE(heap.empty());
  model.clear();
  push(1, 6);
  EXPECT_EQ(take(heap, model), 1u);
}

TEST(SearchForest, stops_when_it_may_look_at_no_more_vertices) {
  constexpr VertexId kPath = 100;
  SearchForest forest(kPath, MemoryPool::unlimited());
  const auto around = [](VertexId v, const auto& visit) {
    if (v > 0 && !visit(v - 1)) return;
    if (v + 1 < kPath) visit(v + 1);
  };
  for (const bool enough : {false, true}) {
    forest.start_anew();
    forest.grow_to(kPath);
    for (VertexId v = 0; v < kPath; ++v)
      forest.set(v, static_cast<std::uint32_t>(v), v == 0 ? 0 : v - 1);
    forest.allow(enough ? 200 : 10);
    forest.orphan(60);  // 40 lose their way, which is there still
    const std::vector<VertexId> lost = forest.adopt(
        [](VertexId v, const auto& visit) {
          if (v > 60) visit(v - 1);
        },
        around);
    EXPECT_EQ(forest.gave_up(), !enough);
    EXPECT_EQ(lost.size(), enough ? 40u : 10u);
    if (!enough) continue;
    forest.offer(59, 60);
    forest.relax(true, around);
    EXPECT_FALSE(forest.gave_up());
    for (VertexId v = 0; v < kPath; ++v) EXPECT_EQ(forest.level(v), v);
  }
}
/// How often it holds for a batch of 1,000 edges.
int held(TooLarge& too_large) {
  int times = 0;
  while (times < 1000 && too_large.holds(1000)) ++times;
  return times;
}

TEST(LevelRepair, gives_up_after_the_supersteps_and_the_time_that_it_has) {
  const Context ctx = Context::cpu({});
  constexpr VertexId kVertices = 100;
  DynamicGraph graph(ctx,
                     {.directed = false, .memory = 1 << 24, .most_vertices = VertexId{1} << 12});
  std::vector<EdgeUpdate> path;
  for (VertexId v = 1; v < kVertices; ++v) path.push_back(EdgeUpdate::insert(v - 1, v));
  graph.apply({kVertices, path, {}});
  std::vector<std::uint32_t> from_first(kVertices);
  std::iota(from_first.begin(), from_first.end(), 0u);
  const std::vector<EdgeUpdate> shortcut{EdgeUpdate::insert(0, 50)};
  const AppliedBatch batch = graph.apply_recorded({0, shortcut, {}});

  const auto level_of_last = [&](const RepairLimits& limits) -> std::optional<std::uint32_t> {
    DeviceValues<std::uint32_t> level(ctx);
    level.assign(from_first.data(), kVertices);
    const Graph now = graph.graph();
    LevelRepair repair(ctx, now, false, {level.data(), nullptr}, limits);
    repair.offer(batch.in_place(), true);
    if (repair.gave_up()) return std::nullopt;
    return level.get(kVertices - 1);
  };
  EXPECT_EQ(level_of_last({}), std::nullopt);  // it takes 50
  EXPECT_EQ(level_of_last({.steps = 100}), 50u);
  EXPECT_EQ(level_of_last({.steps = 100, .seconds = 0}), std::nullopt);
}

TEST(TooLarge, holds_for_batches_not_much_smaller_twice_as_often_each_time) {
  TooLarge too_large;
  EXPECT_FALSE(too_large.holds(~std::size_t{0} / 2));
  too_large.gave_up(1000);
  EXPECT_FALSE(too_large.holds(249));
  int last = held(too_large);
  EXPECT_EQ(last, 2);
  EXPECT_TRUE(too_large.holds(2000));
  for (int time = 1; time < 7; ++time) {
    too_large.gave_up(1000);
    const int now = held(too_large);
    EXPECT_GT(2 * now, 3 * last);
    EXPECT_LE(now, 2 * last);
    last = now;
  }
  too_large.gave_up(1000);
  EXPECT_EQ(held(too_large), last);
}

TEST(TooLarge, holds_where_repairs_take_longer_on_average_than_to_compute) {
  TooLarge too_large;
  too_large.repaired(1000, 100);  // nothing is known yet
  EXPECT_FALSE(too_large.holds(1000));
  too_large.gave_up(1000, 1);
  EXPECT_EQ(held(too_large), 2);
  too_large.computed(2);
  too_large.repaired(1000, 1);
  EXPECT_FALSE(too_large.holds(1000));
  too_large.repaired(1000, 4);
  EXPECT_FALSE(too_large.holds(1000));
  too_large.gave_up(1000, 2);  // and 2 more
  EXPECT_EQ(held(too_large), 2);
  too_large.repaired(1000, 2.5);  // the average begins anew
  EXPECT_GT(held(too_large), 2);
  too_large.repaired(1000, 1);
  EXPECT_TRUE(too_large.holds(1000000));  // of what is much larger nothing better is known
  too_large.repaired(1000, 100);
  EXPECT_EQ(held(too_large), 2);
}

TEST(TooLarge, doubts_what_the_first_computation_took_where_it_may) {
  TooLarge too_large;
  too_large.doubt_first();
  too_large.computed(80);
  too_large.repaired(1000, 9.5);
  EXPECT_FALSE(too_large.holds(1000));
  too_large.repaired(1000, 11.5);  // no more than 10 on average: less than an eighth
  EXPECT_FALSE(too_large.holds(1000));
  too_large.repaired(1000, 15);
  EXPECT_EQ(held(too_large), 2);
  too_large.computed(11);
  too_large.repaired(1000, 10);
  EXPECT_FALSE(too_large.holds(1000)) << "what the second one took is not doubted";
  too_large.repaired(1000, 20);
  EXPECT_GT(held(too_large), 0);
}
}  // namespace
}  // namespace fathom::dynamic
