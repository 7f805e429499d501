#include "fathom/store/degree_summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

namespace fathom::store {
namespace {

TEST(DegreeSummary, OfNothingIsZero) {
  EXPECT_EQ(summarize_degrees({}), DegreeSummary{});
  EXPECT_EQ(summarize_degrees(std::vector<EdgeId>{0}), DegreeSummary{});
}

TEST(DegreeSummary, IsExactForSmallDegrees) {
  const std::vector<EdgeId> offsets{0, 0, 1, 3, 7, 107};  // degrees 0 1 2 4 100
  const DegreeSummary s = summarize_degrees(offsets);
  EXPECT_EQ(s.vertices, 5u);
  EXPECT_EQ(s.edges, 107u);
  EXPECT_EQ(s.maximum, 100u);
  EXPECT_DOUBLE_EQ(s.mean(), 21.4);
  EXPECT_EQ(s.percentile, (std::array<std::uint64_t, 5>{2, 100, 100, 100, 100}));
  EXPECT_EQ(s.histogram[0], 1u);
  EXPECT_EQ(s.histogram[1], 1u);
  EXPECT_EQ(s.histogram[2], 1u);
  EXPECT_EQ(s.histogram[3], 1u);
  EXPECT_EQ(s.histogram[7], 1u);
}

TEST(DegreeSummary, AgreesWithSortingWhateverThePieces) {
  std::mt19937_64 random(1);
  std::vector<EdgeId> offsets{0};
  std::vector<std::uint64_t> degrees;
  for (int i = 0; i < 30'000; ++i) {
    degrees.push_back(random() >> (20 + random() % 44));
    offsets.push_back(offsets.back() + degrees.back());
  }
  DegreeAccumulator accumulator;
  for (std::size_t i = 0; i < offsets.size(); i += 17)
    accumulator.add(std::span(offsets).subspan(i, std::min<std::size_t>(17, offsets.size() - i)));
  const DegreeSummary s = accumulator.summary();
  EXPECT_EQ(s, summarize_degrees(offsets));
  std::sort(degrees.begin(), degrees.end());
  EXPECT_EQ(s.maximum, degrees.back());
  for (std::size_t p = 0; p < s.percentile.size(); ++p) {
    const auto rank = static_cast<std::size_t>(std::ceil(30'000 * kDegreePercentiles[p] / 100));
    EXPECT_GE(s.percentile[p], degrees[rank - 1]);
    EXPECT_LE(s.percentile[p], degrees[rank - 1] + degrees[rank - 1] / 64);
  }
  std::array<std::uint64_t, 65> histogram{};
  for (std::uint64_t d : degrees) ++histogram[static_cast<std::size_t>(std::bit_width(d))];
  EXPECT_EQ(s.histogram, histogram);
}

}  // namespace
}  // namespace fathom::store
