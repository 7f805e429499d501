#include "fathom/algorithms/harmonic/harmonic.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "tests/reference/halo.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/random_graphs.hpp"

namespace fathom {
namespace {

using testing::AlgorithmSuite;
using testing::Configuration;
using testing::cpu_configurations;
using testing::expect_error;

/// What harmonic() has to find from its sources.
std::vector<double> expected_from(const reference::Graph& g, const HarmonicResult& result) {
  const std::size_t k = result.sources.size();
  const bool sampled = k > 1 && k < g.n;
  std::vector<double> sum = reference::harmonic_sums(g, result.sources, sampled);
  if (sampled)
    for (double& value : sum) value *= (static_cast<double>(g.n) - 1) / static_cast<double>(k);
  return sum;
}

bool near(const Array<double>& is, const std::vector<double>& expected) {
  for (std::size_t v = 0; v < expected.size(); ++v)
    if (!(std::abs(is[v] - expected[v]) <= 1e-9 * (1 + expected[v]))) return false;
  return is.size() == expected.size();
}

class Harmonic : public AlgorithmSuite {
 protected:
  void expect_right(const HarmonicOptions& options, bool in_edges) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const HarmonicResult result = harmonic(ctx, graph, options);
    EXPECT_TRUE(near(result.centrality, expected_from(reference_graph(), result)));
    EXPECT_NO_THROW(verify_harmonic(ctx, graph, options, result));
  }
};

TEST_P(Harmonic, OfAllSourcesEqualsTheReference) {
  expect_right({}, true);
}
TEST_P(Harmonic, OfSomeSourcesEqualsTheReference) {
  if (raw().vertices >= 3) expect_right({3, 5}, true);
  if (raw().vertices >= 20) expect_right({20, 5}, true);
}
TEST_P(Harmonic, DoesNotNeedInEdges) {
  if (raw().directed) expect_right({}, false);
}

INSTANTIATE_TEST_SUITE_P(Zoo, Harmonic, testing::each_in_each(zoo::unweighted_graphs()),
                         testing::suite_name);

RC_GTEST_PROP(HarmonicProperty, EqualsTheReferenceOnRandomGraphs, ()) {
  const zoo::RawGraph raw = zoo::random_graph(false);
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw, *rc::gen::arbitrary<bool>());
  const HarmonicOptions options{
      raw.vertices < 2 ? 0 : *rc::gen::inRange(VertexId{2}, VertexId{raw.vertices}),
      *rc::gen::arbitrary<std::uint64_t>()};
  const HarmonicResult result = harmonic(ctx, graph, options);
  RC_ASSERT(near(result.centrality, expected_from(zoo::to_reference(raw), result)));
  verify_harmonic(ctx, graph, options, result);
}

TEST(HarmonicRun, IsTheSameBitForBitWhateverTheThreads) {
  const auto run = [](int threads) {
    const Context ctx =
        Context::cpu({threads, MemoryPool::kUnlimited, 0, MemoryPool::kUnlimited, {}});
    return testing::to_vector(
        harmonic(ctx, make_graph(ctx, zoo::build(zoo::rmat(true)), true), {100, 1}).centrality);
  };
  EXPECT_EQ(run(1), run(4));
}
TEST(HarmonicRun, SamplesDistinctSources) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  const auto sources = harmonic(ctx, graph, {20, 3}).sources;
  EXPECT_EQ(std::set<VertexId>(sources.begin(), sources.end()).size(), 20u);
  EXPECT_NE(harmonic(ctx, graph, {20, 4}).sources, sources);
}
TEST(HarmonicRun, RefusesSamplesThatThereAreNot) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(zoo::path()), false);
  expect_error(
      ErrorCode::Usage, [&] { harmonic(ctx, graph, {graph.vertices() + 1}); }, "cannot sample");
  expect_error(
      ErrorCode::Usage, [&] { harmonic(ctx, graph, {1}); }, "at least 2 samples");
}
TEST(HarmonicRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  expect_error(ErrorCode::Interrupted, [&] { harmonic(ctx, graph); });
}

class HarmonicCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_harmonic(ctx_, graph_, options_, result_); },
        reason);
  }

  const Context ctx_ = GetParam().context();
  const Graph graph_ = testing::place(ctx_, GetParam(), zoo::rmat(true));
  const HarmonicOptions options_{40, 2};
  HarmonicResult result_ = harmonic(ctx_, graph_, options_);
};

TEST_P(HarmonicCertificate, RefutesTooFewValues) {
  result_.centrality = Array<double>(6, 0);
  expect_refuted("per vertex");
}
TEST_P(HarmonicCertificate, RefutesOtherSources) {
  result_.sources.pop_back();
  expect_refuted("as many sources");
}
TEST_P(HarmonicCertificate, RefutesValuesThatAreTooSmall) {
  for (double& value : result_.centrality) value *= 0.01;
  expect_refuted("at least");
}
TEST_P(HarmonicCertificate, RefutesTheLargestValueWhenItIsTooLarge) {
  *std::max_element(result_.centrality.begin(), result_.centrality.end()) *= 1.001;
  expect_refuted("expected");
}
TEST_P(HarmonicCertificate, RefutesAValueThatIsNoNumber) {
  result_.centrality[9] = std::numeric_limits<double>::quiet_NaN();
  expect_refuted("vertex 9");
}

INSTANTIATE_TEST_SUITE_P(Cpu, HarmonicCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
