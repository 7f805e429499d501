// The pool of pages in host memory at the edge of what it may take: what fits is served, and what
// is refused leaves no trace.
#include "fathom/dynamic/pages/host_pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "fathom/dynamic/pages/manager_pages.hpp"
#include "fathom/dynamic_graph.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {
namespace {

using dynamic::HostPages;
using dynamic::PageRequest;

constexpr std::size_t kMiB = std::size_t{1} << 20;

std::vector<PageRequest> requests_of(std::size_t n, std::uint64_t bytes) {
  return std::vector<PageRequest>(n, {bytes});
}

/// Sizes from 16 bytes to 4 KiB, in any order, that come to `bytes`.
std::vector<PageRequest> mixed_requests(std::size_t bytes, std::uint64_t seed) {
  zoo::Dice dice(seed);
  std::vector<PageRequest> requests;
  while (bytes != 0) {
    const std::uint64_t size = std::uint64_t{16} << dice.roll(9);
    if (size > bytes) continue;
    requests.push_back({size});
    bytes -= size;
  }
  return requests;
}

/// Every page is full of what says whose it is.
class Marked {
 public:
  explicit Marked(const HostPages& pages) : pages_(pages) {}

  void write(const PageRequest& r) const { fill(r, r.page); }
  ::testing::AssertionResult holds(const PageRequest& r) const {
    const std::uint32_t* const words = at(r);
    for (std::uint64_t i = 0; i < words_of(r); ++i)
      if (words[i] != r.page)
        return ::testing::AssertionFailure()
               << "word " << i << " of a page of " << r.bytes << " bytes at " << r.page;
    return ::testing::AssertionSuccess();
  }

 private:
  static std::uint64_t words_of(const PageRequest& r) {
    return dynamic::page_bytes_for(r.bytes) / 4;
  }
  std::uint32_t* at(const PageRequest& r) const {
    return pages_.region() + std::size_t{r.page} * (kDynamicUnit / 4);
  }
  void fill(const PageRequest& r, std::uint32_t value) const {
    std::fill_n(at(r), words_of(r), value);
  }

  const HostPages& pages_;
};

class HostPagesTest : public ::testing::Test {
 protected:
  std::shared_ptr<MemoryPool> budget_ = std::make_shared<MemoryPool>("host memory", 4 * kMiB);
};

TEST_F(HostPagesTest, APoolIsFilledToItsLastByte) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    HostPages pages(kMiB, budget_);
    std::vector<PageRequest> all =
        seed == 0 ? requests_of(kMiB / 16, 16) : mixed_requests(kMiB, seed);
    pages.allocate(all, 2);
    EXPECT_EQ(pages.statistics().used_bytes, kMiB);
    auto one = requests_of(1, 16);
    expect_error(
        ErrorCode::DoesNotFit, [&] { pages.allocate(one, 1); }, "needed");
  }
}

TEST_F(HostPagesTest, ABudgetIsFilledToItsLastByte) {
  HostPages pages(std::size_t{1} << 30, budget_);
  auto all = requests_of(4 * kMiB / 16, 16);
  pages.allocate(all, 2);
  EXPECT_EQ(budget_->used(), 4 * kMiB);
}

TEST_F(HostPagesTest, WhatIsRefusedLeavesNoTrace) {
  HostPages pages(kMiB, budget_);
  auto first = requests_of(100, 16);
  pages.allocate(first, 1);
  const std::size_t before = budget_->used();
  for (const std::uint64_t bytes : {16u, 48u, 128u, 4096u, 1u << 19}) {
    auto many = requests_of(2 * kMiB / bytes, bytes);
    expect_error(
        ErrorCode::DoesNotFit, [&] { pages.allocate(many, 2); }, "needed");
    EXPECT_EQ(budget_->used(), before) << bytes;
    for (const PageRequest& r : many) ASSERT_EQ(r.page, kNoPage);
  }
  auto large = requests_of(1, kMiB / 2);
  pages.allocate(large, 1);
  EXPECT_EQ(pages.statistics().pages, 101u);
}

TEST_F(HostPagesTest, SmallPagesThatAreFreeMakeALargeOne) {
  HostPages pages(kMiB, budget_);
  auto small = requests_of(kMiB / 16, 16);
  pages.allocate(small, 2);
  pages.free(std::span(small).last(small.size() / 2), 2);
  auto large = requests_of(1, kMiB / 2);
  pages.allocate(large, 1);
  EXPECT_EQ(pages.statistics().used_bytes, kMiB);
}

TEST_F(HostPagesTest, PagesThatAnyWorkerGaveBackAreTakenBeforeMemoryGrows) {
  HostPages pages(std::size_t{1} << 30, budget_);
  auto all = requests_of(3 * kMiB / 64, 64);
  pages.allocate(all, 4);
  const std::size_t before = pages.statistics().reserved_bytes;
  for (int round = 0; round < 20; ++round) {
    pages.free(all, 1 + round % 4);
    EXPECT_EQ(pages.statistics().pages, 0u);
    pages.allocate(all, 4 - round % 4);
    EXPECT_EQ(pages.statistics().reserved_bytes, before);
  }
}

TEST_F(HostPagesTest, NoPageIsLostOrHandedOutTwiceAtTheEdge) {
  HostPages pages(kMiB, budget_);
  const Marked marked(pages);
  zoo::Dice dice(11);
  std::mt19937 order(11);
  std::vector<PageRequest> live;
  int refused = 0;
  for (int round = 0; round < 400; ++round) {
    auto more = mixed_requests(16 * (1 + dice.roll(dice.roll(2) == 0 ? 30000 : 4000)),
                               static_cast<std::uint64_t>(round));
    try {
      pages.allocate(more, 2);
      for (const PageRequest& r : more) marked.write(r);
      live.insert(live.end(), more.begin(), more.end());
    } catch (const Error& e) {
      ASSERT_EQ(e.code(), ErrorCode::DoesNotFit);
      ++refused;
    }
    for (const PageRequest& r : live) ASSERT_TRUE(marked.holds(r)) << "round " << round;
    std::shuffle(live.begin(), live.end(), order);
    const std::size_t gone = dice.roll(static_cast<unsigned>(live.size()) / 3 + 1);
    pages.free(std::span(live).last(gone), 2);
    live.resize(live.size() - gone);
    std::size_t used = 0;
    for (const PageRequest& r : live) used += dynamic::page_bytes_for(r.bytes);
    ASSERT_EQ(pages.statistics().used_bytes, used);
    ASSERT_LE(pages.statistics().reserved_bytes, kMiB);
  }
  EXPECT_GT(refused, 20);
  pages.free(live, 2);
  auto all = requests_of(1, kMiB);
  pages.allocate(all, 1);
}

TEST_F(HostPagesTest, NoNumberOfBytesIsTooLargeToBeRefused) {
  HostPages pages(kMiB, budget_);
  dynamic::ManagerPages<memory::Ouroboros<memory::SP>> managed(kMiB, budget_);
  auto some = requests_of(10, 16);
  pages.allocate(some, 1);
  const std::size_t before = budget_->used();
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  for (const std::size_t bytes : {kAll, kAll - 100, kAll / 2, 2 * kMiB}) {
    expect_error(
        ErrorCode::DoesNotFit, [&] { pages.reserve(bytes, 1); }, "needed");
    expect_error(
        ErrorCode::DoesNotFit, [&] { managed.reserve(bytes, 1); }, "needed");
    EXPECT_EQ(budget_->used(), before);
  }
}

/// A graph whose batch is refused counts what it did before, whichever part it was refused for.
TEST(RefusedBatch, LeavesNoTrace) {
  for (const bool in_edges : {false, true}) {
    CpuOptions options;
    options.host_memory = 8 * kMiB;
    const Context ctx = Context::cpu(options);
    DynamicGraph graph(ctx, {.in_edges = in_edges, .most_vertices = 1u << 20});
    graph.apply({1000, {}, {}});
    std::vector<EdgeUpdate> ring, fan;
    for (VertexId v = 0; v < 1000; ++v) ring.push_back(EdgeUpdate::insert(v, (v + 1) % 1000));
    graph.apply({0, ring, {}});
    for (VertexId v = 0; v < 1000; ++v)
      for (VertexId u = 0; u < 600; ++u) fan.push_back(EdgeUpdate::insert(v, (v * 7 + u) % 1000));
    const std::size_t before = ctx.host_memory()->used();
    const DynamicMemory memory = graph.memory();
    for (const VertexId vertices : {0u, 100000u}) {
      expect_error(
          ErrorCode::DoesNotFit,
          [&] {
            graph.apply({vertices, fan, {}});
          },
          "");
      EXPECT_EQ(ctx.host_memory()->used(), before);
      EXPECT_EQ(graph.memory().record_bytes, memory.record_bytes);
      EXPECT_EQ(graph.memory().reserved_bytes, memory.reserved_bytes);
      EXPECT_EQ(graph.vertices(), 1000u);
    }
  }
}

}  // namespace
}  // namespace fathom::testing
