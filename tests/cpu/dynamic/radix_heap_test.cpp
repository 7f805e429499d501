#include "fathom/dynamic/follow/radix_heap.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

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

}  // namespace
}  // namespace fathom::dynamic
