// How likely what is drawn from a list is.
#include "fathom/algorithms/neighbor_sampling/neighbor_sampling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "tests/reference/sampling/neighbor_sampling.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo_csr.hpp"

namespace fathom {
namespace {

using testing::expect_error;

/// A list of its own: vertex 0 and neighbours 1 to d, with weights.
class DrawsFromAList : public ::testing::Test {
 protected:
  static Graph list_of(const Context& ctx, const std::vector<float>& weights) {
    zoo::RawGraph raw{"List", static_cast<std::uint32_t>(weights.size() + 1), true, {}, weights};
    for (std::uint32_t i = 0; i < weights.size(); ++i) raw.edges.emplace_back(0, i + 1);
    return make_graph(ctx, zoo::build(raw), true);
  }
  /// How often each outcome is drawn of the list in many batches.
  std::map<std::vector<std::uint32_t>, std::uint64_t> outcomes(
      NeighborSamplingOptions options, const std::vector<float>& weights,
      const std::vector<std::int64_t>& until = {}) const {
    constexpr std::uint64_t kBatches = 20'000;
    const Graph graph = list_of(ctx_, weights);
    options.along = SampleAlong::OutEdges;
    NeighborSampler sampler(ctx_, graph, options);
    const std::vector<VertexId> seeds{0};
    std::map<std::vector<std::uint32_t>, std::uint64_t> seen;
    for (std::uint64_t batch = 0; batch < kBatches; ++batch) {
      const NeighborSample s = sampler.sample(seeds, batch, until);
      ++seen[{s.edge.begin(), s.edge.end()}];
    }
    return seen;
  }

  const Context ctx_ = Context::cpu();
};

TEST_F(DrawsFromAList, WithoutReplacementTakeEachSetAsOftenAsTheOthers) {
  for (const std::int64_t k : {1, 2, 3, 4, 5}) {
    NeighborSamplingOptions options;
    options.fan_out = {k};
    EXPECT_TRUE(
        reference::plausible(outcomes(options, std::vector<float>(6, 1)),
                             reference::draw_probabilities(std::vector<double>(6, 1),
                                                           static_cast<std::size_t>(k), false)))
        << k;
  }
}

TEST_F(DrawsFromAList, WithReplacementAreIndependent) {
  NeighborSamplingOptions options;
  options.fan_out = {3};
  options.replace = true;
  EXPECT_TRUE(
      reference::plausible(outcomes(options, std::vector<float>(5, 1)),
                           reference::draw_probabilities(std::vector<double>(5, 1), 3, true)));
}

TEST_F(DrawsFromAList, ByWeightAreSuccessiveDrawsInProportion) {
  const std::vector<float> weights{1, 0, 2.5, 8, .25, 3};
  for (const bool replace : {false, true})
    for (const std::int64_t k : {1, 2, 3}) {
      NeighborSamplingOptions options;
      options.fan_out = {k};
      options.weighted = true;
      options.replace = replace;
      EXPECT_TRUE(
          reference::plausible(outcomes(options, weights),
                               reference::draw_probabilities({weights.begin(), weights.end()},
                                                             static_cast<std::size_t>(k), replace)))
          << k << (replace ? " with" : " without") << " replacement";
    }
}

TEST_F(DrawsFromAList, WithTimesAreAsLikelyAmongTheEdgesInTime) {
  const std::vector<std::int64_t> edge_times{3, 9, 1, 4, 5, 6}, until{5};
  for (const bool weighted : {false, true}) {
    NeighborSamplingOptions options;
    options.fan_out = {2};
    options.disjoint = true;
    options.weighted = weighted;
    options.edge_times = edge_times;
    const std::vector<double> as{1, 0, 1, weighted ? 4. : 1., 1, 0};
    EXPECT_TRUE(reference::plausible(outcomes(options, {1, 1, 1, 4, 1, 1}, until),
                                     reference::draw_probabilities(as, 2, false)));
  }
}

TEST_F(DrawsFromAList, OfManyTakeEachEdgeAsOftenAsTheOthers) {
  constexpr std::size_t kDegree = 300;
  constexpr std::int64_t kFanOut = 100, kBatches = 4000;
  const Graph graph = list_of(ctx_, std::vector<float>(kDegree, 1));
  for (const bool weighted : {false, true}) {
    NeighborSamplingOptions options;
    options.fan_out = {kFanOut};
    options.along = SampleAlong::OutEdges;
    options.weighted = weighted;
    NeighborSampler sampler(ctx_, graph, options);
    std::vector<double> times(kDegree, 0);
    for (std::uint64_t batch = 0; batch < kBatches; ++batch)
      for (const EdgeId e : sampler.sample({{0}}, batch).edge) ++times[e];
    constexpr double kShare = double{kFanOut} / kDegree;
    const double expected = kBatches * kShare, deviation = std::sqrt(expected * (1 - kShare));
    for (const double t : times) EXPECT_NEAR(t, expected, 5 * deviation) << weighted;
  }
}

TEST_F(DrawsFromAList, AreOthersInAnotherBatchTreeOrWithAnotherSeed) {
  const Graph graph = list_of(ctx_, std::vector<float>(1000, 1));
  NeighborSamplingOptions options;
  options.fan_out = {20};
  options.along = SampleAlong::OutEdges;
  options.disjoint = true;
  const auto first_tree = [](const NeighborSample& s) {
    return std::vector(s.edge.begin(), s.edge.begin() + 20);
  };
  NeighborSampler sampler(ctx_, graph, options);
  const std::vector<VertexId> twice{0, 0};
  const NeighborSample sample = sampler.sample(twice);
  ASSERT_EQ(sample.edge.size(), 40u);
  const auto drawn = first_tree(sample);
  EXPECT_NE(drawn, std::vector(sample.edge.begin() + 20, sample.edge.end()));
  EXPECT_NE(first_tree(sampler.sample(twice, 1)), drawn);
  EXPECT_EQ(first_tree(sampler.sample(twice, 0)), drawn);
  options.seed = 1;
  EXPECT_NE(first_tree(NeighborSampler(ctx_, graph, options).sample(twice)), drawn);
}

TEST_F(DrawsFromAList, RefuseWeightsThatAreNone) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float bad : {-1.f, infinity, -infinity, std::nanf("")})
    for (const bool replace : {false, true})
      for (const SampleReads reads : {SampleReads::Host, SampleReads::Operators}) {
        std::vector<EdgeId> offset{0, 3, 3, 3, 3};
        std::vector<VertexId> target{1, 2, 3};
        std::vector<Weight> weight{1, bad, 1};
        const CsrView lists{4, 3, offset.data(), target.data(), weight.data()};
        const Graph graph = make_graph(ctx_, lists, nullptr, true);
        NeighborSamplingOptions options;
        options.fan_out = {2};
        options.along = SampleAlong::OutEdges;
        options.weighted = true;
        options.replace = replace;
        options.reads = reads;
        NeighborSampler sampler(ctx_, graph, options);
        expect_error(
            ErrorCode::BadInput, [&] { sampler.sample({{0}}); }, "edge 1 of the list of vertex 0");
      }
}

}  // namespace
}  // namespace fathom
