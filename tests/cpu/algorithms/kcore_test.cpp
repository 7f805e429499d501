#include "fathom/algorithms/kcore/kcore.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/reference/kcore.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/random_graphs.hpp"

namespace fathom {
namespace {

using testing::AlgorithmSuite;
using testing::Configuration;
using testing::cpu_configurations;
using testing::expect_error;
using testing::to_vector;

std::uint32_t largest_of(const std::vector<std::uint32_t>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

class Kcore : public AlgorithmSuite {
 protected:
  /// Compares everything with the reference and runs the certificate.
  void expect_right(bool in_edges) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const KcoreResult result = kcore(ctx, graph);
    const reference::Cores expected = found_by<reference::core_numbers>();
    EXPECT_EQ(to_vector(result.core), expected.core);
    EXPECT_EQ(to_vector(result.layer), expected.layer);
    EXPECT_EQ(result.degeneracy, largest_of(expected.core));
    EXPECT_EQ(result.layers, largest_of(expected.layer));
    EXPECT_NO_THROW(verify_kcore(ctx, graph, {}, result));
  }
};

TEST_P(Kcore, NumbersAndLayersEqualTheReference) {
  expect_right(true);
}
TEST_P(Kcore, DoesNotNeedInEdges) {
  if (raw().directed) expect_right(false);
}
TEST_P(Kcore, StopsAtALimit) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  const reference::Cores whole = found_by<reference::core_numbers>();
  for (const std::uint32_t limit : {0u, 1u, 3u}) {
    const KcoreOptions options{limit};
    const KcoreResult result = kcore(ctx, graph, options);
    for (std::size_t v = 0; v < whole.core.size(); ++v) {
      EXPECT_EQ(result.core[v], std::min(whole.core[v], limit));
      EXPECT_EQ(result.layer[v], whole.core[v] < limit ? whole.layer[v] : kUnpeeled);
    }
    EXPECT_EQ(result.degeneracy, std::min(limit, largest_of(whole.core)));
    EXPECT_NO_THROW(verify_kcore(ctx, graph, options, result));
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, Kcore, testing::each_in_each(zoo::unweighted_graphs()),
                         testing::suite_name);

RC_GTEST_PROP(KcoreProperty, EqualsTheReferenceOnRandomGraphs, ()) {
  const zoo::RawGraph raw = zoo::random_graph(false);
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw, *rc::gen::arbitrary<bool>());
  const KcoreResult result = kcore(ctx, graph);
  const reference::Cores expected = reference::core_numbers(zoo::to_reference(raw));
  RC_ASSERT(to_vector(result.core) == expected.core);
  RC_ASSERT(to_vector(result.layer) == expected.layer);
  verify_kcore(ctx, graph, {}, result);
}

TEST(KcoreRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  expect_error(ErrorCode::Interrupted, [&] { kcore(ctx, graph); });
}

/// A clique of 0 to 3 with the tail 3 - 4 - 5 and a lone 6. Cores 3, 1 and 0; layers 0 1 2 3 from
/// the outside in: 6, 5, 4, the clique.
class KcoreCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_kcore(ctx_, graph_, {}, result_); }, reason);
  }

  const Context ctx_ = GetParam().context();
  const Graph graph_ = testing::place(
      ctx_, GetParam(),
      {"Tailed", 7, false, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}, {3, 4}, {4, 5}}, {}});
  KcoreResult result_ = kcore(ctx_, graph_);
};

TEST_P(KcoreCertificate, HoldsForWhatWasComputed) {
  EXPECT_EQ(to_vector(result_.core), (std::vector<std::uint32_t>{3, 3, 3, 3, 1, 1, 0}));
  EXPECT_EQ(to_vector(result_.layer), (std::vector<std::uint32_t>{4, 4, 4, 4, 3, 2, 1}));
  EXPECT_NO_THROW(verify_kcore(ctx_, graph_, {}, result_));
}
TEST_P(KcoreCertificate, RefutesTooFewNumbers) {
  result_.core = Array<std::uint32_t>(6, 0);
  expect_refuted("per vertex");
}
TEST_P(KcoreCertificate, RefutesAWrongDegeneracy) {
  result_.degeneracy = 4;
  expect_refuted("largest core number");
}
TEST_P(KcoreCertificate, RefutesNumbersThatAreTooLarge) {
  for (const VertexId v : {4u, 5u}) result_.core[v] = 2;
  expect_refuted("vertex 5 has too few neighbours");
}
TEST_P(KcoreCertificate, RefutesNumbersThatAreTooSmall) {
  for (const VertexId v : {0u, 1u, 2u, 3u}) result_.core[v] = 2;
  result_.degeneracy = 2;
  expect_refuted("vertex 0 was peeled while it had more edges");
}
TEST_P(KcoreCertificate, RefutesNumbersThatAreTooSmallForAll) {
  for (std::uint32_t& core : result_.core) core = 0;
  result_.degeneracy = 0;
  expect_refuted("more edges than its core number");
}
TEST_P(KcoreCertificate, RefutesNumbersThatFallFromLayerToLayer) {
  std::swap(result_.layer[6], result_.layer[5]);
  expect_refuted("fall after layer 1");
}
TEST_P(KcoreCertificate, RefutesALayerOfTwoNumbers) {
  result_.layer[6] = 2;
  expect_refuted("another core number");
}
TEST_P(KcoreCertificate, RefutesAnEmptyLayer) {
  ++result_.layers;
  expect_refuted("layer 5 is empty");
}
TEST_P(KcoreCertificate, RefutesALayerThatComesLate) {
  result_.layer[3] = 5;  // the rest of the clique goes first
  ++result_.layers;
  expect_refuted("vertex 3 could have been peeled one layer earlier");
}

INSTANTIATE_TEST_SUITE_P(Cpu, KcoreCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
