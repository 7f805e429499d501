#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <vector>

#include "fathom/generate/bijection.hpp"
#include "fathom/generate/generate.hpp"
#include "fathom/generate/rmat.hpp"

namespace fathom::generate {
namespace {

TEST(RmatTable, BiasOfEveryQuadrantAtEveryLevelStaysBelow1e6) {
  const double quadrant[4] = {.57, .19, .19, .05};
  const RmatTable table(quadrant[0], quadrant[1], quadrant[2]);
  for (int level = 0; level < RmatTable::kLevels; ++level) {
    double p[4] = {};
    for (std::uint32_t o = 0; o < RmatTable::kOutcomes; ++o)
      p[2 * ((o >> (RmatTable::kLevels + level)) & 1) + ((o >> level) & 1)] += table.probability(o);
    for (int q = 0; q < 4; ++q) EXPECT_NEAR(p[q], quadrant[q], 1e-6) << level << " " << q;
  }
}

TEST(RmatTable, DrawsEachOutcomeAsOftenAsItsProbabilitySays) {
  const RmatTable table(.57, .19, .19);
  std::vector<std::uint32_t> seen(RmatTable::kOutcomes, 0);
  const std::uint32_t draws = 1u << 22;
  // Multiples of an odd constant visit the 32-bit words evenly.
  for (std::uint32_t i = 0; i < draws; ++i) ++seen[table.draw(i * 0x9e3779b1u)];
  for (std::uint32_t o = 0; o < RmatTable::kOutcomes; ++o) {
    const double expected = table.probability(o) * draws;
    EXPECT_NEAR(seen[o], expected, 6 * std::sqrt(expected) + 3) << o;
  }
}

TEST(RmatTable, NeverDrawsAnImpossibleQuadrant) {
  const RmatTable table(0.5, 0.5, 0);  // the row bit is always 0
  for (std::uint32_t i = 0; i < 100000; ++i) EXPECT_LT(table.draw(i * 0x9e3779b1u), 32u);
}

TEST(IdPermutation, IsABijectionForEverySize) {
  for (int bits = 0; bits <= 16; ++bits) {
    const IdPermutation permute(bits, RandomStream(7, 1));
    std::vector<bool> hit(std::size_t{1} << bits, false);
    for (std::size_t v = 0; v < hit.size(); ++v) {
      ASSERT_LT(permute(v), hit.size());
      hit[permute(v)] = true;
    }
    EXPECT_EQ(std::count(hit.begin(), hit.end(), true), static_cast<std::ptrdiff_t>(hit.size()));
  }
}

TEST(IdPermutation, SpreadsIdsWithFewOneBitsEvenly) {
  const int bits = 16;
  const IdPermutation permute(bits, RandomStream(7, 1));
  int in_bucket[16] = {}, lowest_bits[16] = {}, ids = 0;
  for (std::uint32_t v = 0; v < 1u << bits; ++v) {
    if (std::popcount(v) > 4) continue;
    ++ids;
    ++in_bucket[permute(v) >> (bits - 4)];
    ++lowest_bits[permute(v) % 16];
  }
  for (int i = 0; i < 16; ++i) {
    EXPECT_NEAR(in_bucket[i], ids / 16.0, 5 * std::sqrt(ids / 16.0)) << i;
    EXPECT_NEAR(lowest_bits[i], ids / 16.0, 5 * std::sqrt(ids / 16.0)) << i;
  }
}

std::vector<std::uint64_t> sorted_out_degrees(const Spec& spec) {
  const Generator g(spec);
  std::vector<Edge> edge(g.edges());
  g.fill(0, edge);
  std::vector<std::uint64_t> degree(g.vertices(), 0);
  for (const Edge& e : edge) ++degree[e.source];
  std::sort(degree.rbegin(), degree.rend());
  return degree;
}

TEST(Rmat, HubDegreesFollowTheQuadrantProbabilities) {
  const Spec spec{.kind = Kind::Rmat, .scale = 14, .edge_factor = 16};
  const auto degree = sorted_out_degrees(spec);
  // The row of all zero bits is drawn with probability (a + b)^scale, those with one 1-bit with
  // (a + b)^(scale - 1) * (c + d).
  const double edges = 16.0 * (1 << 14);
  const double first = edges * std::pow(.76, 14), second = edges * std::pow(.76, 13) * .24;
  EXPECT_NEAR(static_cast<double>(degree[0]), first, 6 * std::sqrt(first));
  double next = 0;
  for (int i = 1; i <= 14; ++i) next += static_cast<double>(degree[static_cast<std::size_t>(i)]);
  EXPECT_NEAR(next, 14 * second, 6 * std::sqrt(14 * second));
}

TEST(Rmat, PlacesTheLargestHubAccordingToTheSeed) {
  std::set<VertexId> hubs;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Generator g(Spec{.kind = Kind::Rmat, .scale = 12, .seed = seed});
    std::vector<Edge> edge(g.edges());
    g.fill(0, edge);
    std::vector<int> degree(g.vertices(), 0);
    for (const Edge& e : edge) ++degree[e.source];
    const auto largest = std::max_element(degree.begin(), degree.end());
    hubs.insert(static_cast<VertexId>(largest - degree.begin()));
  }
  EXPECT_GT(hubs.size(), 6u);
}

TEST(Rmat, IsSkewedWhereUniformIsNot) {
  const auto rmat = sorted_out_degrees({.kind = Kind::Rmat, .scale = 14});
  const auto uniform = sorted_out_degrees({.kind = Kind::Uniform, .scale = 14});
  EXPECT_GT(rmat[0], 40 * 16u);
  EXPECT_EQ(rmat.back(), 0u);
  EXPECT_LT(uniform[0], 3 * 16u);
}

TEST(Rmat, UsesAllVerticesOfScalesThatFiveDoesNotDivide) {
  for (const int scale : {0, 1, 3, 11}) {
    const Generator g(
        Spec{.kind = Kind::Rmat, .scale = scale, .edge_factor = 64, .a = .25, .b = .25, .c = .25});
    std::vector<Edge> edge(g.edges());
    g.fill(0, edge);
    std::set<VertexId> seen;
    for (const Edge& e : edge) {
      ASSERT_LT(std::max(e.source, e.target), g.vertices());
      seen.insert(e.source);
    }
    EXPECT_EQ(seen.size(), g.vertices()) << scale;
  }
}

}  // namespace
}  // namespace fathom::generate
