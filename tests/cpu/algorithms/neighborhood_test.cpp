#include "fathom/algorithms/subgraph/neighborhood.hpp"

#include <gtest/gtest.h>

#include "tests/reference/parts.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using testing::AlgorithmSuite;
using testing::Configuration;
using testing::cpu_configurations;
using testing::expect_error;
using testing::to_vector;

class Neighborhood : public AlgorithmSuite {
 protected:
  void expect_right(const NeighborhoodOptions& options, reference::Follow follow) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx);
    const VertexId n = raw().vertices;
    for (const std::vector<VertexId>& sources :
         {std::vector<VertexId>{n / 3}, std::vector<VertexId>{n - 1, 0, n - 1}}) {
      const NeighborhoodResult result = neighborhood(ctx, graph, sources, options);
      const auto expected =
          reference::hops_within(reference_graph(), sources, options.hops, follow);
      EXPECT_EQ(to_vector(result.hops), expected);
      EXPECT_EQ(result.reached, n - std::count(expected.begin(), expected.end(), kUnreached));
      EXPECT_NO_THROW(verify_neighborhood(ctx, graph, sources, options, result));
    }
  }
};

TEST_P(Neighborhood, EqualsTheReferenceInEveryMode) {
  if (raw().vertices == 0) return;
  for (const std::uint32_t hops : {0u, 1u, 3u}) {
    expect_right({hops, EdgeMode::Out}, reference::Follow::Out);
    expect_right({hops, EdgeMode::In}, reference::Follow::In);
    expect_right({hops, EdgeMode::All}, reference::Follow::Both);
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, Neighborhood, testing::each_in_each(zoo::unweighted_graphs()),
                         testing::suite_name);

/// 0 -> 1 -> 2 -> 3 and a lone 4.
class NeighborhoodCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed,
        [&] { verify_neighborhood(ctx_, graph_, source_, options_, result_); }, reason);
  }
  const Context ctx_ = GetParam().context();
  const Graph graph_ =
      testing::place(ctx_, GetParam(), {"Arrow", 5, true, {{0, 1}, {1, 2}, {2, 3}}, {}});
  const std::vector<VertexId> source_{0};
  const NeighborhoodOptions options_{2, EdgeMode::Out};
  NeighborhoodResult result_ = neighborhood(ctx_, graph_, source_, options_);
};

TEST_P(NeighborhoodCertificate, RefutesASourceThatIsNone) {
  result_.hops[4] = 0;
  expect_refuted("vertex 4 is at 0 hops and no source");
}
TEST_P(NeighborhoodCertificate, RefutesWhatIsBeyondTheLimit) {
  result_.hops[3] = 3;
  expect_refuted("vertex 3 is beyond the limit");
}
TEST_P(NeighborhoodCertificate, RefutesAVertexThatWasMissed) {
  result_.hops[2] = kUnreached;
  --result_.reached;
  result_.farthest = 1;
  expect_refuted("vertex 2 is more than a hop behind");
}
TEST_P(NeighborhoodCertificate, RefutesAVertexThatIsNotReached) {
  result_.hops[4] = 2;
  ++result_.reached;
  expect_refuted("vertex 4 has no neighbour one hop nearer");
}
TEST_P(NeighborhoodCertificate, RefutesAWrongSummary) {
  ++result_.reached;
  expect_refuted("summary");
}

INSTANTIATE_TEST_SUITE_P(Cpu, NeighborhoodCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

TEST(NeighborhoodRun, RefusesBadArguments) {
  const Context ctx = Context::cpu();
  graph::BuiltGraph built = zoo::build(zoo::rmat(true));
  built.in.reset();
  const Graph graph = make_graph(ctx, std::move(built), true);
  const std::vector<VertexId> inside{5}, outside{1024};
  expect_error(
      ErrorCode::Usage, [&] { neighborhood(ctx, graph, {}); }, "at least one source");
  expect_error(
      ErrorCode::Usage, [&] { neighborhood(ctx, graph, outside); }, "out of range");
  expect_error(
      ErrorCode::Usage,
      [&] {
        neighborhood(ctx, graph, inside, {1, EdgeMode::All});
      },
      "without them");
}

}  // namespace
}  // namespace fathom
