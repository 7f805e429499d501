// Pages from a store's disk: each wanted one once, what is in memory first, within the budget.
#include "fathom/residency/ssd/ssd_supply.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>
#include <set>

#include "tests/cpu/store/sample.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/faulty_reader.hpp"

namespace fathom {
namespace {

using store::kMi;
using store::SectionId;
using testing::expect_error;

constexpr ListSectionIds kOut{SectionId::OutOffsets, SectionId::OutTargets, SectionId::OutWeights};
constexpr ListSectionIds kIn{SectionId::InOffsets, SectionId::InTargets, SectionId::InWeights};

class Supply : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new store::TemporaryDirectory;
    // 6.5 MiB of targets.
    store::Sample sample = store::random_sample(1000, 6'800'000 / sizeof(VertexId), true);
    sample.in_edges = true;
    path_ = directory_->file("a.fg");
    store::write_sample(path_, sample);
    out_ = store::out_of(sample);
    in_ = store::in_of(sample);
  }
  static void TearDownTestSuite() { delete directory_; }

  static Context context(std::size_t host_memory) {
    CpuOptions options;
    options.host_memory = host_memory;
    options.threads = 2;
    return Context::cpu(options);
  }

  std::shared_ptr<PageBuffer> buffer(const Context& ctx, std::size_t page_bytes,
                                     PageCache cache = PageCache::Lru) const {
    PagingOptions paging;
    paging.page_bytes = page_bytes;
    paging.cache = cache;
    paging.io.wrap = testing::with_faults({.late = 0.5});  // completions in any order
    return std::make_shared<PageBuffer>(ctx, path_, paging);
  }

  /// Takes all wanted pages, checks their content, and returns them in the order they came.
  std::vector<std::size_t> take(PageSupply& supply, const std::vector<std::size_t>& wanted,
                                bool weights, const Csr& csr) const {
    std::vector<std::size_t> order;
    supply.start(wanted, weights);
    while (const auto page = supply.next()) {
      const std::size_t first = page->page * (supply.page_bytes() / sizeof(VertexId));
      EXPECT_EQ(page->count(),
                std::min(supply.page_bytes() / sizeof(VertexId), csr.edges() - first));
      EXPECT_EQ(std::memcmp(page->targets(), csr.target.data() + first, page->bytes), 0);
      EXPECT_EQ(page->weights() != nullptr, weights);
      if (weights) {
        EXPECT_EQ(std::memcmp(page->weights(), csr.weight.data() + first, page->weight_bytes()), 0);
      }
      order.push_back(page->page);
      supply.release(page->page);
    }
    supply.stop();
    return order;
  }

  static std::vector<std::size_t> all(const PageSupply& supply) {
    std::vector<std::size_t> pages(supply.pages());
    std::iota(pages.begin(), pages.end(), std::size_t{0});
    return pages;
  }
  static std::set<std::size_t> set_of(const std::vector<std::size_t>& pages) {
    return {pages.begin(), pages.end()};
  }

  inline static store::TemporaryDirectory* directory_ = nullptr;
  inline static std::string path_;
  inline static Csr out_, in_;
};

TEST_F(Supply, BringsEachWantedPageOnceWhateverFits) {
  for (const std::size_t page_bytes : {kMi, 2 * kMi, kMi / 16})
    for (const std::size_t budget : {5 * kMi, 9 * kMi, MemoryPool::kUnlimited})
      for (const PageCache cache : {PageCache::Lru, PageCache::Static, PageCache::None}) {
        const Context ctx = context(budget);
        SsdSupply supply(ctx, buffer(ctx, page_bytes, cache), kOut, page_bytes);
        for (const bool weights : {false, true, false}) {
          const auto order = take(supply, all(supply), weights, out_);
          EXPECT_EQ(order.size(), supply.pages());
          EXPECT_EQ(set_of(order).size(), supply.pages());
        }
        const std::vector<std::size_t> some{1, 2, supply.pages() - 1};
        EXPECT_EQ(set_of(take(supply, some, true, out_)), set_of(some));
        EXPECT_LE(ctx.peak_host_bytes(), budget);
      }
}

/// Eight mebibytes of them, side by side where there is room, else one by one.
TEST_F(Supply, ReadsOffsetsInWhatIsLeft) {
  const std::string path = directory_->file("vertices.fg");
  store::write_sample(path, store::random_sample(1'000'000, 1000, false));
  for (const std::size_t budget : {kMi + kMi / 4, 3 * kMi, 20 * kMi}) {
    const Context ctx = context(budget);
    PagingOptions paging;
    paging.page_bytes = kMi;
    SsdSupply supply(ctx, std::make_shared<PageBuffer>(ctx, path, paging),
                     {SectionId::OutOffsets, SectionId::OutTargets, {}}, kMi);
    std::size_t seen = 0;
    supply.for_each_offsets([&](std::size_t first, std::span<const EdgeId> piece) {
      EXPECT_EQ(first, seen);
      seen += piece.size();
    });
    EXPECT_EQ(seen, 1'000'001u);
    EXPECT_LE(ctx.peak_host_bytes(), budget);
  }
}

TEST_F(Supply, BringsSlottedPagesAsTheyAreInTheFile) {
  store::Sample sample = store::random_sample(1000, 500'000, true);
  const std::string path = directory_->file("slotted.fg");
  for (const std::size_t page_bytes : {std::size_t{4096}, kMi, 2 * kMi}) {
    store::write_slotted_sample(path, sample, {page_bytes, 3, 3});
    const store::SlottedImage image =
        store::paginate(store::out_of(sample).view(), {page_bytes, 3, 3});
    const Context ctx = context(6 * kMi);
    PagingOptions paging;
    paging.page_bytes = page_bytes;
    SsdSupply supply(ctx, std::make_shared<PageBuffer>(ctx, path, paging),
                     {SectionId::OutOffsets, SectionId::OutPages, {}}, page_bytes);
    ASSERT_EQ(supply.pages(), image.rvt.size());
    EXPECT_EQ(supply.edges(), sample.edges.size());
    EXPECT_TRUE(supply.weighted());
    for (int twice = 0; twice < 2; ++twice) {
      std::size_t got = 0;
      supply.start(all(supply), true);
      for (; const auto page = supply.next(); ++got) {
        EXPECT_EQ(page->bytes, page_bytes);
        EXPECT_EQ(page->weight_data, nullptr);
        EXPECT_EQ(std::memcmp(page->data, image.lists.page(page->page), page_bytes), 0);
        supply.release(page->page);
      }
      EXPECT_EQ(got, supply.pages());
    }
    EXPECT_LE(ctx.peak_host_bytes(), 6 * kMi);
  }
}

TEST_F(Supply, GivesWhatIsInMemoryFirstAndReadsTheRest) {
  for (const PageCache cache : {PageCache::Lru, PageCache::Static}) {
    const Context ctx = context(5 * kMi);
    SsdSupply supply(ctx, buffer(ctx, kMi, cache), kOut, kMi);
    take(supply, all(supply), false, out_);
    const DiskTraffic first = supply.traffic();
    EXPECT_EQ(first.page_misses, supply.pages());
    EXPECT_EQ(first.page_hits, 0u);
    EXPECT_EQ(first.bytes, store::padded(out_.edges() * sizeof(VertexId)));
    const std::size_t slots = supply.buffer().slots();
    EXPECT_EQ(slots, 4u);
    take(supply, all(supply), false, out_);
    const DiskTraffic second = supply.traffic() - first;
    // A whole sweep finds all that is kept, although more than that is wanted.
    EXPECT_EQ(second.page_hits, slots);
    EXPECT_EQ(second.page_misses, supply.pages() - slots);
    EXPECT_LE(second.bytes, (supply.pages() - slots) * kMi);
  }
}

TEST_F(Supply, KeepsNothingWithoutACache) {
  const Context ctx = context(MemoryPool::kUnlimited);
  SsdSupply supply(ctx, buffer(ctx, kMi, PageCache::None), kOut, kMi);
  take(supply, all(supply), false, out_);
  take(supply, all(supply), false, out_);
  EXPECT_EQ(supply.traffic().page_misses, 2 * supply.pages());
}

TEST_F(Supply, ReplacesTheLeastRecentPagesOrTheMostRecentOnes) {
  for (const PageCache cache : {PageCache::Lru, PageCache::Static}) {
    const Context ctx = context(5 * kMi);
    SsdSupply supply(ctx, buffer(ctx, kMi, cache), kOut, kMi);
    for (const std::size_t page : {0, 1, 2, 3, 4}) take(supply, {page}, false, out_);
    const DiskTraffic before = supply.traffic();
    const std::size_t gone = cache == PageCache::Lru ? 0 : 3;
    for (const std::size_t page : {0, 1, 2, 3})
      if (page != gone) take(supply, {page}, false, out_);
    EXPECT_EQ((supply.traffic() - before).page_hits, 3u);
    take(supply, {gone}, false, out_);
    EXPECT_EQ((supply.traffic() - before).page_misses, 1u);
  }
}

TEST_F(Supply, SharesItsBufferAndCountsItsOwnReads) {
  const Context ctx = context(20 * kMi);
  const auto shared = buffer(ctx, kMi);
  SsdSupply out(ctx, shared, kOut, kMi), in(ctx, shared, kIn, kMi);
  take(out, all(out), false, out_);
  take(in, all(in), false, in_);
  EXPECT_EQ(out.traffic().bytes, store::padded(out_.edges() * sizeof(VertexId)));
  EXPECT_EQ(in.traffic().bytes, out.traffic().bytes);
  take(out, all(out), false, out_);  // both fit: nothing is read again
  EXPECT_EQ(out.traffic().bytes, in.traffic().bytes);
  EXPECT_EQ(out.block().data(), in.block().data());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(out.block().data()) % 4096, 0u);
}

TEST_F(Supply, ShowsTheOffsetsWithinItsBudget) {
  const Context ctx = context(3 * kMi);
  SsdSupply supply(ctx, buffer(ctx, kMi), kOut, kMi);
  std::vector<EdgeId> got;
  supply.for_each_offsets([&](std::size_t first, std::span<const EdgeId> piece) {
    EXPECT_EQ(first, got.size());
    got.insert(got.end(), piece.begin(), piece.end());
  });
  EXPECT_TRUE(std::equal(got.begin(), got.end(), out_.offset.begin(), out_.offset.end()));
}

TEST_F(Supply, ItsBufferGivesWayToAllocationsAndComesBackSmaller) {
  const Context ctx = context(8 * kMi);
  SsdSupply supply(ctx, buffer(ctx, kMi), kOut, kMi);
  take(supply, all(supply), false, out_);
  const std::size_t before = supply.buffer().slots();
  {
    const Array<std::byte> state(3 * kMi, ctx.host_memory());  // fits only when the buffer goes
    take(supply, all(supply), false, out_);
    EXPECT_LT(supply.buffer().slots(), before);
  }
  const Array<std::byte> again(3 * kMi, ctx.host_memory());  // and has left room for such state
  EXPECT_GT(supply.buffer().slots(), 0u);
}

TEST_F(Supply, SaysHowMuchMemoryAPageNeeds) {
  const Context ctx = context(kMi);
  SsdSupply supply(ctx, buffer(ctx, kMi), kOut, kMi);
  const std::string message = expect_error(
      ErrorCode::DoesNotFit, [&] { supply.start(std::array<std::size_t, 1>{0}, true); },
      "at least 2048 KiB");
}

TEST_F(Supply, CanBeStoppedWithPagesHeldAndReadsUnderWay) {
  const Context ctx = context(6 * kMi);
  SsdSupply supply(ctx, buffer(ctx, kMi), kOut, kMi);
  supply.start(all(supply), false);
  ASSERT_TRUE(supply.next());
  supply.stop();
  take(supply, all(supply), true, out_);
  supply.start(all(supply), false);
  ASSERT_TRUE(supply.next());  // and goes with reads under way
}

TEST_F(Supply, RefusesToWaitForPagesWhileAllAreHeld) {
  const Context ctx = context(6 * kMi);
  SsdSupply supply(ctx, buffer(ctx, kMi), kOut, kMi);
  supply.start(all(supply), false);
  expect_error(ErrorCode::Internal, [&] {
    while (supply.next()) {
    }
  });
  // try_next() leaves room to read on.
  supply.start(all(supply), false);
  std::size_t held = 0;
  ASSERT_TRUE(supply.next());
  for (int i = 0; i < 1000; ++i) held += supply.try_next() ? 1 : 0;
  EXPECT_LT(held + 1, supply.buffer().slots());
}

TEST_F(Supply, AfterAnErrorStartsAgain) {
  const Context ctx = context(6 * kMi);
  PagingOptions paging;
  const std::vector<std::byte> bytes = store::read_file(path_);
  const auto entry = *store::decode_header(path_, bytes, bytes.size()).find(SectionId::OutTargets);
  paging.io.wrap = testing::with_faults({.lasting_error_at = entry.offset + 3 * kMi});
  SsdSupply supply(ctx, std::make_shared<PageBuffer>(ctx, path_, paging), kOut, kMi);
  for (int round = 0; round < 3; ++round)
    expect_error(ErrorCode::Io, [&] { take(supply, {0, 1, 2, 3, 4, 5}, false, out_); });
  EXPECT_EQ(take(supply, {5, 1}, false, out_).size(), 2u);
}

}  // namespace
}  // namespace fathom
