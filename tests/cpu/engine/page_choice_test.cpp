// When a page of edges is worth a copy.
#include "fathom/residency/paged/page_choice.hpp"

#include <gtest/gtest.h>

#include "tests/suites/sizes.hpp"

namespace fathom {
namespace {

using testing::kGi;

/// 50 GB/s for copies; in place, in order 40, every 8th line 20, every 64th 4.
LinkProfile simple_profile() {
  LinkProfile p;
  p.copies.to_device = 50;
  p.copies.chunked = {{1 << 20, 50}};
  p.in_order = {{ZeroCopyWay::Malloc, 40, 40, 10}};
  p.reach = {{ZeroCopyWay::Malloc, kGi, 2, {40, 20, 4, 2}}};
  return p;
}

TEST(PageChoice, CostsOfAPageFollowFromTheProfile) {
  const LinkProfile profile = simple_profile();
  const PageChoice choice(profile, ZeroCopyWay::Malloc, kGi, 1 << 20);
  EXPECT_EQ(choice.lines(), 8192u);
  EXPECT_NEAR(choice.copy_seconds(), (1 << 20) / 50e9, 1e-12);
  EXPECT_NEAR(choice.read_seconds(8192), (1 << 20) / 40e9, 1e-12);
  EXPECT_NEAR(choice.read_seconds(1024), 1024 * 128 / 20e9, 1e-12);
  EXPECT_NEAR(choice.read_seconds(128), 128 * 128 / 4e9, 1e-12);
  EXPECT_EQ(choice.read_seconds(0), 0);
}

TEST(PageChoice, FullPagesAreCopiedWhereCopiesAreFasterAndSparseOnesReadInPlace) {
  const LinkProfile profile = simple_profile();
  const PageChoice choice(profile, ZeroCopyWay::Malloc, kGi, 1 << 20);
  EXPECT_TRUE(choice.copy(8192));
  EXPECT_TRUE(choice.copy(20000)) << "lists that share lines cannot make a page larger";
  EXPECT_FALSE(choice.copy(1024));
  EXPECT_FALSE(choice.copy(1));
}

TEST(PageChoice, PagesThatAreReadAgainAreCopiedEarlier) {
  const LinkProfile profile = simple_profile();
  const PageChoice choice(profile, ZeroCopyWay::Malloc, kGi, 1 << 20);
  EXPECT_FALSE(choice.copy(2048));
  EXPECT_TRUE(choice.copy(2048, 4));
}

TEST(PageChoice, ScatteredListsOfALargeRegionAreWorthACopyFarEarlier) {
  const LinkProfile profile = default_link_profile();
  auto least = [&](std::uint64_t region) {
    const PageChoice choice(profile, ZeroCopyWay::Malloc, region, 1 << 20);
    std::uint32_t lines = 1;
    while (!choice.copy(lines)) ++lines;
    return lines;
  };
  EXPECT_LE(least(32 * kGi), least(kGi / 2));
}

}  // namespace
}  // namespace fathom
