// All algorithms on a GPU, over every graph of the zoo and every residency. Skipped without a
// device.
#include <gtest/gtest.h>

#include <string_view>

#include "tests/cuda/algorithms/checks.hpp"
#include "tests/suites/extreme_weights.hpp"

namespace fathom::on_gpus {
namespace {

const std::vector<Check>& all_checks() {
  static const auto all = [] {
    std::vector<Check> checks;
    for (const auto& group : {path_checks(), rank_checks(), component_checks(),
                              neighborhood_checks(), community_checks(), part_checks()})
      checks.insert(checks.end(), group.begin(), group.end());
    return checks;
  }();
  return all;
}

std::vector<Check> beginning_with(std::string_view name, std::vector<Check> checks) {
  std::erase_if(
      checks, [&](const Check& check) { return !std::string_view(check.name).starts_with(name); });
  return checks;
}

class OnGpus : public ::testing::TestWithParam<zoo::RawGraph> {
 protected:
  void SetUp() override {
    static const bool present = testing::gpu_present();
    if (!present) GTEST_SKIP() << "no CUDA device";
  }
};

const std::vector<testing::GpuConfiguration>& one_and_several() {
  static const auto configurations = [] {
    auto all = testing::gpu_configurations();
    for (auto& c : testing::multi_gpu_configurations()) all.push_back(std::move(c));
    return all;
  }();
  return configurations;
}

TEST_P(OnGpus, AllAlgorithmsEqualTheReference) {
  testing::run_everywhere(GetParam(), all_checks(), one_and_several());
}

TEST_P(OnGpus, SplitStateEqualsTheReference) {
  static const auto configurations = testing::split_configurations();
  testing::run_everywhere(GetParam(), split_checks(), configurations);
}

INSTANTIATE_TEST_SUITE_P(Zoo, OnGpus, ::testing::ValuesIn(testing::gpu_graphs()), zoo::GraphName{});

/// Weights whose sums a float does not hold.
using RoundingOnGpus = OnGpus;

TEST_P(RoundingOnGpus, DistancesInBothPrecisionsEqualTheReference) {
  testing::run_everywhere(GetParam(), beginning_with("Sssp", path_checks()), one_and_several());
  testing::run_everywhere(GetParam(), beginning_with("Sssp", split_checks()),
                          testing::split_configurations());
}

INSTANTIATE_TEST_SUITE_P(Zoo, RoundingOnGpus,
                         ::testing::Values(zoo::long_steps(),
                                           zoo::weighted(zoo::rmat(true), zoo::Weights::Thirds),
                                           zoo::weighted(zoo::grid(), zoo::Weights::Thirds)),
                         zoo::GraphName{});

/// Weights that are beyond shares of floats.
using ExtremeWeightsOnGpus = OnGpus;

TEST_P(ExtremeWeightsOnGpus, RanksEqualTheReference) {
  for (const char* const name : {"Pagerank", "RandomWalk", "WalksFromEach"})
    testing::run_everywhere(GetParam(), beginning_with(name, rank_checks()), one_and_several());
  testing::run_everywhere(GetParam(), beginning_with("Pagerank", split_checks()),
                          testing::split_configurations());
}

INSTANTIATE_TEST_SUITE_P(Directed, ExtremeWeightsOnGpus,
                         ::testing::ValuesIn(testing::graphs_of_extreme_weights(true)),
                         zoo::GraphName{});
INSTANTIATE_TEST_SUITE_P(Undirected, ExtremeWeightsOnGpus,
                         ::testing::ValuesIn(testing::graphs_of_extreme_weights(false)),
                         zoo::GraphName{});

}  // namespace
}  // namespace fathom::on_gpus
