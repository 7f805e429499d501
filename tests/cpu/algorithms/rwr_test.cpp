#include "fathom/algorithms/pagerank/rwr.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/reference/bfs.hpp"
#include "tests/reference/ranks/pagerank.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using testing::AlgorithmSuite;
using testing::expect_error;

class RandomWalk : public AlgorithmSuite {
 protected:
  void expect_right(const std::vector<VertexId>& sources, bool weighted) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx);
    RwrOptions options;
    options.restart = .25;
    options.tolerance = 1e-10;
    options.max_iterations = 1000;
    options.weighted = weighted;
    const RwrResult result = random_walk_with_restart(ctx, graph, sources, options);
    EXPECT_TRUE(result.converged);
    reference::PagerankOptions r;
    r.alpha = .75;
    r.tolerance = 1e-14;
    r.weighted = weighted;
    r.personalization.assign(raw().vertices, 0.0);
    for (const VertexId s : sources) ++r.personalization[s];
    const auto expected = reference::pagerank(reference_graph(), r).rank;
    double distance = 0;
    for (std::size_t v = 0; v < expected.size(); ++v)
      distance += std::abs(result.probability[v] - expected[v]);
    EXPECT_LE(distance, 1e-9);
    const auto depth = reference::bfs_depths(reference_graph(), {sources.begin(), sources.end()});
    for (std::size_t v = 0; v < expected.size(); ++v) {
      const bool reached = depth[v] >= 0;
      EXPECT_TRUE(reached || result.probability[v] == 0) << v;
    }
    EXPECT_NO_THROW(verify_random_walk(ctx, graph, sources, options, result));
  }
};

TEST_P(RandomWalk, EqualsTheReferenceFromOneSource) {
  if (raw().vertices > 0) expect_right({raw().vertices / 2}, false);
}
TEST_P(RandomWalk, EqualsTheReferenceFromSeveralSourcesByWeight) {
  if (raw().vertices > 0) expect_right({0, raw().vertices - 1}, true);
}

INSTANTIATE_TEST_SUITE_P(
    Zoo, RandomWalk,
    testing::each_in_each({zoo::empty_graph(), zoo::one_loop(), zoo::path(), zoo::star_inward(),
                           zoo::rmat(true), zoo::unreachable_sources(),
                           zoo::weighted(zoo::rmat(false), zoo::Weights::Positive),
                           zoo::weighted(zoo::uniform(true), zoo::Weights::Positive)}),
    testing::suite_name);

class RandomWalkRun : public ::testing::Test {
 protected:
  const Context ctx_ = Context::cpu();
  const Graph graph_ = make_graph(ctx_, zoo::build(zoo::cycle(true)), true);
  const std::vector<VertexId> source_{5};
};

TEST_F(RandomWalkRun, StaysAtItsSourcesWhenItAlwaysRestarts) {
  RwrOptions options;
  options.restart = 1;
  const RwrResult result =
      random_walk_with_restart(ctx_, graph_, std::vector<VertexId>{3, 3, 8}, options);
  EXPECT_NEAR(result.probability[3], 2.0 / 3, 1e-9);
  EXPECT_NEAR(result.probability[8], 1.0 / 3, 1e-9);
}

TEST_F(RandomWalkRun, DecaysGeometricallyAlongACycle) {
  RwrOptions options;
  options.tolerance = 1e-12;
  options.max_iterations = 1000;
  const RwrResult result = random_walk_with_restart(ctx_, graph_, source_, options);
  for (VertexId v = 6; v < 20; ++v)
    EXPECT_NEAR(result.probability[v] / result.probability[v - 1], .85, 1e-6);
}

TEST_F(RandomWalkRun, RefusesBadArguments) {
  RwrOptions options;
  expect_error(
      ErrorCode::Usage, [&] { random_walk_with_restart(ctx_, graph_, {}, options); }, "source");
  const std::vector<VertexId> outside{129};
  expect_error(
      ErrorCode::Usage, [&] { random_walk_with_restart(ctx_, graph_, outside, options); },
      "out of range");
  options.restart = 1.5;
  expect_error(
      ErrorCode::Usage, [&] { random_walk_with_restart(ctx_, graph_, source_, options); },
      "restart is a probability");
}

TEST_F(RandomWalkRun, CertificateRefutesOtherSourcesAndOtherProbabilities) {
  const RwrOptions options;
  RwrResult result = random_walk_with_restart(ctx_, graph_, source_, options);
  EXPECT_NO_THROW(verify_random_walk(ctx_, graph_, source_, options, result));
  const std::vector<VertexId> other{6};
  expect_error(ErrorCode::VerificationFailed,
               [&] { verify_random_walk(ctx_, graph_, other, options, result); });
  result.probability[7] += .01;
  expect_error(ErrorCode::VerificationFailed,
               [&] { verify_random_walk(ctx_, graph_, source_, options, result); });
}

}  // namespace
}  // namespace fathom
