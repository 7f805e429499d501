// Which page leaves when another needs its frame.
#include "fathom/residency/paged/frame_table.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace fathom {
namespace {

constexpr std::size_t kPages = 20, kPageBytes = std::size_t{64} << 20;  // a batch of one page

/// A sweep over these pages: how many are found in frames.
std::size_t sweep(FrameTable& table, const std::vector<std::size_t>& pages) {
  table.begin_sweep(
      [&](std::size_t page) { return std::find(pages.begin(), pages.end(), page) != pages.end(); });
  std::vector<std::size_t> missing;
  std::size_t found = 0;
  for (const std::size_t page : pages) {
    if (!table.has(page)) {
      missing.push_back(page);
      continue;
    }
    ++found;
    table.shown(page);
  }
  for (const std::size_t page : missing) {
    EXPECT_TRUE(table.can_take(1));
    const std::size_t frame = table.take(page);
    EXPECT_EQ(table.frame_of(page), frame);
    table.shown(page);
  }
  table.end_sweep();
  return found;
}

std::vector<std::size_t> all_pages() {
  std::vector<std::size_t> pages(kPages);
  std::iota(pages.begin(), pages.end(), 0);
  return pages;
}

TEST(FrameTable, FindsAsManyOfAllPagesAsThereAreFrames) {
  for (const std::size_t frames : {1, 2, 7, 20}) {
    FrameTable table(frames, kPages, kPageBytes, PageCache::Lru);
    EXPECT_EQ(sweep(table, all_pages()), 0u);
    for (int again = 0; again < 3; ++again) EXPECT_EQ(sweep(table, all_pages()), frames);
    EXPECT_EQ(table.empty(), 0u);
  }
}

TEST(FrameTable, ReplacesWhatWasShownLongestAgo) {
  FrameTable table(3, kPages, kPageBytes, PageCache::Lru);
  sweep(table, {1, 2, 3});
  EXPECT_EQ(sweep(table, {1}), 1u);
  EXPECT_EQ(sweep(table, {3}), 1u);
  sweep(table, {4});  // takes the frame of 2
  EXPECT_FALSE(table.has(2));
  sweep(table, {5});  // of 1
  EXPECT_FALSE(table.has(1));
  EXPECT_TRUE(table.has(3) && table.has(4) && table.has(5));
}

TEST(FrameTable, TakesEmptyFramesFirst) {
  FrameTable table(5, kPages, kPageBytes, PageCache::Lru);
  sweep(table, {1, 2, 3});
  EXPECT_EQ(table.empty(), 2u);
  sweep(table, {4, 5});
  EXPECT_EQ(sweep(table, {1, 2, 3}), 3u);
}

TEST(FrameTable, KeepsWhatCameFirstWhenStatic) {
  FrameTable table(8, kPages, kPageBytes, PageCache::Static);
  const std::size_t kept = table.size() - 3 * table.batch();
  for (int again = 0; again < 3; ++again) sweep(table, all_pages());
  for (std::size_t page = 0; page < kept; ++page) EXPECT_TRUE(table.has(page)) << page;
}

TEST(FrameTable, ForgetsEveryPageWhenNothingIsKept) {
  FrameTable table(8, kPages, kPageBytes, PageCache::None);
  for (int again = 0; again < 2; ++again) EXPECT_EQ(sweep(table, all_pages()), 0u);
  EXPECT_EQ(table.empty(), table.size());
}

TEST(FrameTable, GivesAForgottenPagesFrameToTheNext) {
  FrameTable table(3, kPages, kPageBytes, PageCache::Lru);
  sweep(table, {1, 2, 3});
  table.begin_sweep([](std::size_t page) { return page == 2; });
  const std::size_t frame = table.frame_of(2);
  table.forget(2);
  EXPECT_FALSE(table.has(2));
  EXPECT_EQ(table.take(2), frame);
}

}  // namespace
}  // namespace fathom
