// What streams pages to a GPU: copies that are put off until neighbours come, the table of pages,
// and lists in host memory, obtained in each way, or not at all.
#include <gtest/gtest.h>

#include <numeric>
#include <optional>

#include "fathom/residency/cuda/pinned_lists.hpp"
#include "fathom/residency/paged/frame_copies.hpp"
#include "fathom/residency/paged/paged_source.hpp"
#include "tests/cuda/configurations.hpp"
#include "tests/suites/zoo.hpp"
#include "tests/suites/zoo_csr.hpp"

namespace fathom {
namespace {

constexpr std::size_t kPage = 4096, kPages = 8, kWords = kPage / sizeof(std::uint32_t);

/// Eight pages in host memory, and as many frames.
class PageCopies : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::gpu_present()) GTEST_SKIP() << "no CUDA device";
    ctx_.emplace(Context::cuda());
    const Device& device = ctx_->devices()[0];
    host_.resize(kPages * kWords);
    std::iota(host_.begin(), host_.end(), 1u);
    frames_ = Array<std::uint32_t>(kPages * kWords, device.memory());
    entries_ = Array<const void*>(kPages, device.memory());
    copies_ = FrameCopies::of(*ctx_, device, kPages, nullptr);
    copies_->clear(entries_.data(), kPages * sizeof(void*));
    copies_->clear(frames_.data(), kPages * kPage);
    copies_->begin_sweep(kPages, table());
  }
  PageTable table() const { return {const_cast<const void**>(entries_.data()), nullptr}; }
  void copy(std::size_t page, std::size_t frame) {
    const FrameCopies::Piece piece{frames_.data() + frame * kWords, host_.data() + page * kWords,
                                   kPage};
    copies_->copy(frame, {&piece, 1});
  }
  std::uint32_t first_word(std::size_t frame) const {
    std::uint32_t word = 0;
    copies_->fetch(&word, frames_.data() + frame * kWords, sizeof(word));
    return word;
  }
  /// Pages that kernels find.
  std::vector<std::size_t> found() const {
    std::vector<const void*> entries(kPages);
    copies_->fetch(entries.data(), entries_.data(), kPages * sizeof(void*));
    std::vector<std::size_t> pages;
    for (std::size_t p = 0; p < kPages; ++p)
      if (entries[p]) pages.push_back(p);
    return pages;
  }
  void show(const std::vector<std::size_t>& pages) {
    std::vector<PageEntry> entries;
    for (const std::size_t p : pages) entries.push_back({p, frames_.data(), nullptr});
    copies_->begin_pass(table(), entries);
    copies_->end_pass(pages, 0);
  }

  std::optional<Context> ctx_;
  std::vector<std::uint32_t> host_;
  Array<std::uint32_t> frames_;
  Array<const void*> entries_;
  std::unique_ptr<FrameCopies> copies_;
};

TEST_F(PageCopies, NeighboursInMemoryAndInFramesGoTogether) {
  for (const std::size_t page : {0u, 1u, 2u}) copy(page, page + 1);
  copy(5, 4);  // a neighbour's frame, and no neighbour
  copy(6, 7);  // the other way round
  copy(7, 0);
  EXPECT_EQ(copies_->requests(), 4u);
  EXPECT_EQ(copies_->ended(0), 0u) << "they were put off";
  copies_->show_copied();
  EXPECT_EQ(copies_->ended(6), 6u);
  const std::vector<std::size_t> page_of{7, 0, 1, 2, 5, kPages, kPages, 6};
  for (std::size_t frame = 0; frame < kPages; ++frame)
    EXPECT_EQ(first_word(frame), page_of[frame] == kPages ? 0u : host_[page_of[frame] * kWords]);
}

TEST_F(PageCopies, WhoWaitsForACopyStartsIt) {
  copy(3, 3);
  EXPECT_EQ(copies_->ended(1), 1u);
  copy(4, 4);
  copy(5, 5);
  EXPECT_EQ(copies_->ended(2), 3u);
  EXPECT_EQ(first_word(5), host_[5 * kWords]);
}

TEST_F(PageCopies, CopiesOfAnInterruptedSweepAreForgotten) {
  copy(3, 3);
  copies_->begin_sweep(kPages, table());
  copy(4, 3);
  EXPECT_EQ(copies_->ended(1), 1u);
  EXPECT_EQ(first_word(3), host_[4 * kWords]);
}

TEST_F(PageCopies, APassFindsItsPagesAlone) {
  show({1, 2, 6});
  EXPECT_EQ(found(), (std::vector<std::size_t>{1, 2, 6}));
  show({3});
  EXPECT_EQ(found(), std::vector<std::size_t>{3});
  copies_->end_sweep();
  copies_->begin_sweep(kPages, table());
  EXPECT_EQ(found(), std::vector<std::size_t>{});
  show({3, 0});
  EXPECT_EQ(found(), (std::vector<std::size_t>{0, 3}));
  // So does the first of a sweep after one that did not end.
  copies_->begin_pass(table(), std::vector<PageEntry>{{5, frames_.data(), nullptr}});
  copies_->begin_sweep(kPages, table());
  EXPECT_EQ(found(), std::vector<std::size_t>{});
}

/// A ring of 4,096 vertices: 8,192 edges in 32 pages, too few bytes to be pinned where they are.
class PinnedLists : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::gpu_present()) GTEST_SKIP() << "no CUDA device";
    zoo::RawGraph ring{"Ring", 4096, false, {}, {}};
    for (std::uint32_t v = 0; v < 4096; ++v) ring.edges.emplace_back(v, (v + 1) % 4096);
    built_ = zoo::build(ring);
  }
  CsrView lists() const { return built_.out.view(); }
  std::size_t pages(std::size_t bytes) const { return lists().edges * sizeof(VertexId) / bytes; }
  /// A sweep over everything in place, if that can be.
  Traffic sweep(const Context& ctx, std::optional<ZeroCopyWay> way, HostMemoryReport& report) {
    PagingOptions paging{1024, 4};
    paging.page_move = PageMove::InPlace;
    PagedSource source(
        ctx, std::make_unique<PinnedListsSupply>(ctx, lists(), nullptr, paging.page_bytes, way),
        paging);
    Frontier all(ctx, lists().vertices);
    all.fill();
    bool remote = false;
    source.sweep(ctx, all, {}, [&](const Pass& pass) { remote = remote || pass.remote; });
    EXPECT_EQ(remote, source.traffic().cache_misses == 0);
    source.report_host_memory(report);
    return source.traffic();
  }
  graph::BuiltGraph built_;
};

TEST_F(PinnedLists, AreReadInPlaceInMemoryObtainedInEachWay) {
  const Context ctx = Context::cuda();
  for (const auto way :
       {std::optional<ZeroCopyWay>(), std::optional(ZeroCopyWay::Malloc),
        std::optional(ZeroCopyWay::Register), std::optional(ZeroCopyWay::Managed)}) {
    HostMemoryReport report;
    EXPECT_EQ(sweep(ctx, way, report).cache_misses, 0u);
    // Less than 2 MiB is not registered.
    const ZeroCopyWay got = way == ZeroCopyWay::Managed ? *way : ZeroCopyWay::Malloc;
    EXPECT_EQ(report.ways(), std::vector<std::string>{std::string(name_of(got))});
    EXPECT_EQ(report.bytes(), lists().edges * sizeof(VertexId));
  }
  EXPECT_EQ(ctx.host_memory()->used(), 0u);
}

TEST_F(PinnedLists, AreCopiedWhereTheyAreWithoutHostMemoryForACopy) {
  CudaOptions options;
  options.host_memory = 1024;
  const Context ctx = Context::cuda(options);
  HostMemoryReport report;
  const Traffic did = sweep(ctx, std::nullopt, report);
  EXPECT_EQ(did.cache_misses, pages(1024));
  EXPECT_EQ(did.bytes, lists().edges * sizeof(VertexId));
  EXPECT_EQ(report.bytes(), 0u);
}

TEST_F(PinnedLists, ARunOfPagesIsOneCopy) {
  const Context ctx = Context::cuda();
  PagingOptions paging{1024, 100};
  paging.page_move = PageMove::Copy;
  PagedSource source(
      ctx,
      std::make_unique<PinnedListsSupply>(ctx, lists(), nullptr, paging.page_bytes, std::nullopt),
      paging);
  Frontier all(ctx, lists().vertices);
  all.fill();
  source.sweep(ctx, all, {}, [](const Pass&) {});
  // Batches of a third of the frames.
  EXPECT_EQ(source.traffic().cache_misses, pages(paging.page_bytes));
  EXPECT_EQ(source.traffic().requests, source.passes());
}

}  // namespace
}  // namespace fathom
