// How pages are dealt to devices.
#include <gtest/gtest.h>

#include <vector>

#include "fathom/residency/paged/page_deal.hpp"

namespace fathom {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

std::vector<std::size_t> dealt(const PageDeal& deal, std::size_t pages) {
  std::vector<std::size_t> count(deal.devices);
  for (std::size_t p = 0; p < pages; ++p) ++count.at(deal.device_of(p));
  return count;
}

TEST(PageDeal, CountsAreThoseOfThePagesThatEachDeviceGets) {
  for (const std::size_t devices : {1, 2, 3, 4, 7, 64})
    for (const std::size_t page_bytes : {std::size_t{1024}, kMiB, 64 * kMiB})
      for (const std::size_t pages : {0, 1, 2, 63, 64, 1000, 4096, 100'000}) {
        const PageDeal deal = PageDeal::of(pages, page_bytes, devices);
        const std::vector<std::size_t> count = dealt(deal, pages);
        for (std::size_t d = 0; d < devices; ++d)
          EXPECT_EQ(deal.count(static_cast<std::uint32_t>(d), pages), count[d])
              << d << " of " << devices << ", " << pages << " pages of " << page_bytes;
      }
}

TEST(PageDeal, NoDeviceHasManyMorePagesThanAnother) {
  for (const std::size_t devices : {2, 3, 4, 7})
    for (const std::size_t pages : {500, 2048, 10'007, 1'000'000}) {
      const std::vector<std::size_t> count = dealt(PageDeal::of(pages, kMiB, devices), pages);
      const std::size_t most = *std::max_element(count.begin(), count.end());
      const std::size_t least = *std::min_element(count.begin(), count.end());
      EXPECT_LE(most - least, pages / devices / 64 + 1) << devices << " devices, " << pages;
    }
}

TEST(PageDeal, NeighboursOfALargeGraphGoTogether) {
  const PageDeal deal = PageDeal::of(100'000, kMiB, 2);
  EXPECT_EQ(std::size_t{1} << deal.run_shift, 16u);  // copies of 16 MiB
  EXPECT_EQ(deal.device_of(15), 0u);
  EXPECT_EQ(deal.device_of(16), 1u);
  EXPECT_EQ(deal.device_of(32), 0u);
  EXPECT_EQ(PageDeal::of(100'000, 16 * kMiB, 2).run_shift, 0u);
}

}  // namespace
}  // namespace fathom
