// Slotted pages: how vertices share them, what ids can number, what is on them, what is refused.
#include "fathom/store/slotted/slotted.hpp"

#include <gtest/gtest.h>

#include <set>

#include "fathom/store/slotted/slotted_pages.hpp"
#include "tests/cpu/store/sample.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::store {
namespace {

using testing::expect_error;

std::vector<RvtEntry> plan(const SlottedLayout& layout, const std::vector<EdgeId>& degrees) {
  Paginator pages(layout);
  for (const EdgeId d : degrees) pages.add(d);
  pages.finish();
  EXPECT_TRUE(pages.fits());
  return pages.take();
}

TEST(SlottedOptions, AcceptTheConfigurationsOfThePaper) {
  for (const SlottedOptions& o : {SlottedOptions{},
                                  {64 * kKi, 2, 2},
                                  {kMi, 2, 2},
                                  {kMi, 4, 2},
                                  {64 * kMi, 2, 4},
                                  {64 * kMi, 3, 3},
                                  {64 * kKi, 3, 3}})
    check_slotted_options(o);
}

TEST(SlottedOptions, AreRefusedBeyondTheirLimitsNamingOnesThatWork) {
  for (const SlottedOptions& o : {SlottedOptions{kMi, 1, 3}, {kMi, 4, 4}, {kMi, 2, 3}, {kMi, 0, 0}})
    expect_error(
        ErrorCode::Usage, [&] { check_slotted_options(o); }, "3 and 3 bytes");
  for (const std::size_t bytes : {std::size_t{0}, 32 * kKi, 96 * kKi, 128 * kMi})
    expect_error(
        ErrorCode::Usage,
        [&] {
          check_slotted_options({bytes, 3, 3});
        },
        "1 MiB");
  // Table 2: at most 1.25 MiB with slot numbers of 2 bytes.
  expect_error(
      ErrorCode::Usage,
      [&] {
        check_slotted_options({2 * kMi, 4, 2});
      },
      "1.25 MiB");
  expect_error(
      ErrorCode::Usage,
      [&] {
        check_slotted_options({2 * kMi, 2, 2});
      },
      "1.125 MiB");
}

TEST(Paginator, FillsAPageToTheLastByteAndNoFurther) {
  const SlottedLayout layout{3, 3, 4096, 0};
  const EdgeId most = (4096 - 14) / 6;
  ASSERT_EQ(layout.capacity(), most);
  // One list fills a page but for two bytes; the next entry would not fit.
  EXPECT_EQ(plan(layout, {most, 0}).size(), 2u);
  EXPECT_EQ(plan(layout, {most}), (std::vector<RvtEntry>{{0, 0, 0, 680, 0, 0}}));
  // A record of k entries and its slot take 14 + 6 k bytes: 14 + 6 * 675 + 2 * 14 = 4092.
  EXPECT_EQ(plan(layout, {675, 0, 0}).size(), 1u);
  EXPECT_EQ(plan(layout, {676, 0, 0}).size(), 2u);
}

TEST(Paginator, GivesAVertexPagesOfItsOwnWhenNoneCanHoldIt) {
  const SlottedLayout layout{3, 3, 4096, 0};
  const auto rvt = plan(layout, {5, 681, 7, 1361, 1360, 3});
  const std::vector<RvtEntry> expected = {
      {0, 0, 0, 5, 0, 0},                                              // small
      {1, 0, 2, 680, 0, 0}, {1, 1, 2, 1, 0, 0},                        // 681
      {2, 0, 0, 7, 0, 0},                                              // small
      {3, 0, 3, 680, 0, 0}, {3, 1, 3, 680, 0, 0}, {3, 2, 3, 1, 0, 0},  // 1361
      {4, 0, 2, 680, 0, 0}, {4, 1, 2, 680, 0, 0}, {5, 0, 0, 3, 0, 0}};
  EXPECT_EQ(rvt, expected);
  EXPECT_EQ(fault_of_rvt(layout, rvt, 6, 5 + 681 + 7 + 1361 + 1360 + 3), "");
  const SlottedStatistics s = statistics_of(layout, rvt, 6);
  EXPECT_EQ(s.small_pages, 3u);
  EXPECT_EQ(s.large_pages, 7u);
  EXPECT_EQ(s.large_vertices, 3u);
  EXPECT_EQ(s.vertices_on_small, 3u);
  EXPECT_EQ(s.entries_on_small, 15u);
  EXPECT_EQ(s.entries_on_large, 681u + 1361 + 1360);
  EXPECT_EQ(s.bytes, 10 * 4096u);
}

TEST(Paginator, ClosesAPageWhenItsSlotNumbersAreUsedUp) {
  // 65,536 isolated vertices take 917,504 bytes: less than the page.
  for (const int pid_bytes : {2, 4}) {
    const SlottedLayout layout = layout_of({kMi, pid_bytes, 2}, false);
    const auto rvt = plan(layout, std::vector<EdgeId>(200'000, 0));
    ASSERT_EQ(rvt.size(), 4u);
    for (std::size_t p = 0; p < rvt.size(); ++p) EXPECT_EQ(rvt[p].start_vid, p * 65'536);
    EXPECT_EQ(fault_of_rvt(layout, rvt, 200'000, 0), "");
  }
  EXPECT_EQ(plan(layout_of({kMi, 3, 3}, false), std::vector<EdgeId>(200'000, 0)).size(), 3u);
}

TEST(Paginator, RefusesMorePagesThanIdsNamingAConfigurationThatWorks) {
  const SlottedOptions asked{64 * kKi, 2, 2};
  const EdgeId large = layout_of(asked, false).capacity() + 1;
  auto each_degree = [&](FunctionRef<void(EdgeId)> visit) {
    for (int i = 0; i < 32'769; ++i) visit(large);  // two pages each: 65,538
  };
  Paginator pages(layout_of(asked, false));
  each_degree([&](EdgeId d) { pages.add(d); });
  pages.finish();
  EXPECT_FALSE(pages.fits());
  EXPECT_EQ(pages.pages(), 65'538u);
  expect_error(
      ErrorCode::DoesNotFit, [&] { refuse_page_count(asked, false, pages.pages(), each_degree); },
      "65,538 pages of 64 KiB, more than page ids of 2 bytes can number; pages of 128 KiB with "
      "page "
      "ids and slot numbers of 2 and 2 bytes work");
  // Where larger pages do not help, longer page ids do.
  expect_error(
      ErrorCode::DoesNotFit,
      [&] {
        refuse_page_count({kMi, 2, 2}, false, 70'000, [&](FunctionRef<void(EdgeId)> visit) {
          for (int i = 0; i < 70'000; ++i) visit(200'000);
        });
      },
      "pages of 1 MiB with page ids and slot numbers of 3 and 3 bytes work");
}

TEST(Rvt, FindsThePageOfEveryVertex) {
  for (const std::size_t page_bytes : {64u, 128u, 512u}) {
    std::mt19937 random(5);
    std::vector<EdgeId> degrees;
    for (int v = 0; v < 3000; ++v)
      degrees.push_back(v % 500 == 7 ? 400 : v % 701 < 400 ? 0 : random() % 12);
    const SlottedLayout layout = layout_of({page_bytes, 3, 3}, false);
    const auto rvt = plan(layout, degrees);
    const RvtTables tables(rvt, 3000);
    for (VertexId v = 0; v < 3000; ++v) {
      std::size_t expected = 0;
      while (expected + 1 < rvt.size() && rvt[expected + 1].start_vid <= v &&
             rvt[expected + 1].lp_index == 0)
        ++expected;
      // Skip over the large pages that come before.
      for (std::size_t p = 0; p < rvt.size(); ++p)
        if (rvt[p].start_vid <= v && rvt[p].lp_index == 0) expected = p;
      ASSERT_EQ(tables.view().page_of(v), expected) << v;
    }
  }
}

class SlottedPages : public ::testing::TestWithParam<std::tuple<int, int, bool, std::size_t>> {
 protected:
  SlottedOptions options() const {
    return {std::get<3>(GetParam()), std::get<0>(GetParam()), std::get<1>(GetParam())};
  }
  Sample sample() const {
    Sample s = random_sample(900, 5000, std::get<2>(GetParam()));
    for (VertexId v = 0; v < 700; ++v) s.edges.push_back({17, v, static_cast<Weight>(v % 7)});
    s.edges.push_back({899, 0, 3});
    return s;
  }
};

TEST_P(SlottedPages, AreWhatTheirListsWere) {
  const Csr csr = out_of(sample());
  const SlottedImage image = paginate(csr.view(), options());
  EXPECT_EQ(fault_of_rvt(image.lists.layout, image.rvt, csr.vertices(), csr.edges()), "");
  for (std::size_t p = 0; p < image.rvt.size(); ++p)
    ASSERT_EQ(fault_of_page(image.lists, p, image.lists.page(p)), "") << p;
  const Csr back = unpack(image.lists);
  EXPECT_TRUE(std::equal(back.offset.begin(), back.offset.end(), csr.offset.begin()));
  ASSERT_EQ(back.edges(), csr.edges());
  EXPECT_TRUE(std::equal(back.target.begin(), back.target.end(), csr.target.begin()));
  ASSERT_EQ(back.weight.size(), csr.weight.size());
  EXPECT_TRUE(std::equal(back.weight.begin(), back.weight.end(), csr.weight.begin()));
}

TEST_P(SlottedPages, AreRefusedWhereverAByteOfAnIdOrSlotOrSizeLeavesItsRange) {
  const Csr csr = out_of(sample());
  SlottedImage image = paginate(csr.view(), options());
  const SlottedLists& lists = image.lists;
  // Any byte of a small and of a large page set to 0xff: refused, or an id that exists.
  std::set<std::size_t> pages{0, image.rvt.size() - 1};
  for (std::size_t p = 0; p < image.rvt.size(); ++p)
    if (image.rvt[p].lp_index == 1) pages.insert({p - 1, p});
  std::size_t refused = 0;
  std::vector<VertexId> target;
  for (const std::size_t p : pages) {
    std::byte* page = image.pages.data() + p * lists.layout.page_bytes;
    for (std::size_t at = 0; at < std::min<std::size_t>(lists.layout.page_bytes, 5000); ++at) {
      const std::byte before = page[at];
      page[at] = std::byte{0xff};
      if (!fault_of_page(lists, p, page).empty()) {
        ++refused;
      } else {
        target.assign(lists.rvt[p].entries, kNoVertex);
        decode_page(lists.layout, lists.rvt, p, page, target, {});
        for (const VertexId v : target) ASSERT_LT(v, lists.vertices);
      }
      page[at] = before;
    }
  }
  EXPECT_GT(refused, 10 * pages.size());
}

INSTANTIATE_TEST_SUITE_P(
    EveryWidth, SlottedPages,
    ::testing::Values(std::tuple(2, 2, false, 256), std::tuple(2, 2, true, 4096),
                      std::tuple(3, 3, false, 64), std::tuple(3, 3, true, 128),
                      std::tuple(3, 3, false, 65536), std::tuple(2, 4, true, 256),
                      std::tuple(4, 2, false, 512), std::tuple(4, 2, true, 4096)));

TEST(SlottedRvt, IsRefusedWhenItContradictsItself) {
  const SlottedLayout layout{3, 3, 4096, 0};
  const auto good = plan(layout, {5, 681, 7, 1361});
  constexpr EdgeId kEdges = 5 + 681 + 7 + 1361;
  ASSERT_EQ(fault_of_rvt(layout, good, 4, kEdges), "");
  EXPECT_NE(fault_of_rvt(layout, good, 5, kEdges), "");
  EXPECT_NE(fault_of_rvt(layout, good, 3, kEdges), "");
  EXPECT_NE(fault_of_rvt(layout, good, 4, kEdges + 1), "");
  EXPECT_NE(fault_of_rvt(layout, std::span(good).first(good.size() - 1), 4, kEdges - 1), "");
  for (std::size_t p = 0; p < good.size(); ++p)
    for (const auto field :
         {&RvtEntry::lp_index, &RvtEntry::lp_count, &RvtEntry::entries, &RvtEntry::reserved})
      for (const std::uint32_t step : {1u, ~0u}) {
        auto bad = good;
        bad[p].*field += step;
        EXPECT_NE(fault_of_rvt(layout, bad, 4, kEdges), "") << p;
      }
  for (std::size_t p = 0; p < good.size(); ++p) {
    auto bad = good;
    bad[p].start_vid += 1;
    EXPECT_NE(fault_of_rvt(layout, bad, 4, kEdges), "") << p;
  }
}

}  // namespace
}  // namespace fathom::store
