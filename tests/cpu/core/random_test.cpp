#include "fathom/core/random.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace fathom {
namespace {

TEST(Mix64, GivesThePublishedSplitMix64Sequence) {
  const std::uint64_t seed = 1234567, golden = 0x9e3779b97f4a7c15u;
  EXPECT_EQ(mix64(seed + golden), 6457827717110365317u);
  EXPECT_EQ(mix64(seed + 2 * golden), 3203168211198807973u);
}

TEST(RandomStream, FlipsHalfOfTheBitsWhenAnyInputChangesByOne) {
  double seed = 0, stream = 0, counter = 0, first = 0, second = 0;
  const auto flips = [](std::uint64_t a, std::uint64_t b) { return std::popcount(a ^ b) / 4096.0; };
  for (std::uint64_t i = 0; i < 4096; ++i) {
    seed += flips(RandomStream(i, 0).at(7), RandomStream(i + 1, 0).at(7));
    stream += flips(RandomStream(7, i).at(7), RandomStream(7, i + 1).at(7));
    counter += flips(RandomStream(7, 0).at(i), RandomStream(7, 0).at(i + 1));
    first += flips(RandomStream(7, 0).at(i, 5), RandomStream(7, 0).at(i + 1, 5));
    second += flips(RandomStream(7, 0).at(5, i), RandomStream(7, 0).at(5, i + 1));
  }
  for (const double mean : {seed, stream, counter, first, second}) EXPECT_NEAR(mean, 32, 0.4);
}

TEST(RandomStream, WordsOfAPairDependOnTheOrder) {
  EXPECT_NE(RandomStream(7, 0).at(1, 2), RandomStream(7, 0).at(2, 1));
}

TEST(Bounded, CoversExactlyTheRange) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < 1000; ++i) seen.insert(bounded(RandomStream(7, 0).at(i), 10));
  EXPECT_EQ(seen.size(), 10u);
  EXPECT_EQ(*seen.rbegin(), 9u);
  EXPECT_EQ(bounded(0, 10), 0u);
  EXPECT_EQ(bounded(~std::uint64_t{0}, 10), 9u);
  EXPECT_EQ(bounded(~std::uint64_t{0}, 1), 0u);
}

TEST(UnitInterval, ExcludesOne) {
  EXPECT_EQ(unit_interval(0), 0.0);
  EXPECT_LT(unit_interval(~std::uint64_t{0}), 1.0);
  EXPECT_GT(unit_interval(~std::uint64_t{0}), 0.999999999);
}

}  // namespace
}  // namespace fathom
