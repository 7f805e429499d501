#include "fathom/algorithms/ktruss/ktruss.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "tests/reference/structure/truss_numbers.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/random_graphs.hpp"

namespace fathom {
namespace {

using reference::Trusses;
using testing::AlgorithmSuite;
using testing::Configuration;
using testing::cpu_configurations;
using testing::expect_error;

using Ids = std::vector<VertexId>;

/// What a result says of each edge; rows are of the truss that was asked for, and in order.
void expect_found(const KtrussResult& result, const Trusses& expected, std::uint32_t least = 2) {
  ASSERT_EQ(result.u.size(), expected.size());
  std::uint64_t row = 0;
  std::uint32_t greatest = 0, layers = 0;
  for (const bool asked_for : {true, false}) {
    for (const auto& [ends, its] : expected) {
      if ((its.number >= least) != asked_for) continue;
      ASSERT_EQ(result.u[row], ends.first);
      ASSERT_EQ(result.v[row], ends.second);
      EXPECT_EQ(result.truss[row], asked_for ? its.number : 0);
      EXPECT_EQ(result.layer[row], its.layer);
      if (asked_for) greatest = std::max(greatest, its.number);
      layers = std::max(layers, its.layer);
      ++row;
    }
    if (asked_for) {
      EXPECT_EQ(result.rows, row);
    }
  }
  EXPECT_EQ(result.greatest, greatest);
  EXPECT_EQ(result.layers, layers);
}

std::vector<std::uint32_t> of_vertices(std::size_t vertices, const Trusses& trusses) {
  std::vector<std::uint32_t> greatest(vertices, 0);
  for (const auto& [ends, its] : trusses)
    for (const VertexId v : {ends.first, ends.second})
      greatest[v] = std::max(greatest[v], its.number);
  return greatest;
}

class Ktruss : public AlgorithmSuite {
 protected:
  void expect_right(bool in_edges) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const KtrussOptions options{.per_vertex = true};
    const KtrussResult result = truss_decomposition(ctx, graph, options);
    const Trusses& expected = found_by<reference::truss_numbers>(0u);
    expect_found(result, expected);
    EXPECT_EQ(testing::to_vector(result.vertex), of_vertices(graph.vertices(), expected));
    EXPECT_NO_THROW(verify_ktruss(ctx, graph, options, result));
  }
};

TEST_P(Ktruss, NumbersAndLayersEqualTheReference) {
  expect_right(true);
}
TEST_P(Ktruss, DoesNotNeedInEdges) {
  if (raw().directed) expect_right(false);
}
TEST_P(Ktruss, LeavesOutWhatIsBelowTheTrussAskedFor) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  for (const std::uint32_t least : {3u, 5u, 1000u}) {
    const KtrussOptions options{least};
    const KtrussResult result = truss_decomposition(ctx, graph, options);
    expect_found(result, found_by<reference::truss_numbers>(least - 3), least);
    EXPECT_NO_THROW(verify_ktruss(ctx, graph, options, result));
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, Ktruss, testing::each_in_each(zoo::unweighted_graphs()),
                         testing::suite_name);

RC_GTEST_PROP(KtrussProperty, EqualsTheReferenceOnRandomGraphs, ()) {
  const zoo::RawGraph raw = zoo::random_graph(false);
  const auto duplicates = *rc::gen::element(graph::Duplicates::Keep, graph::Duplicates::Min);
  graph::BuiltGraph built = zoo::build(raw, duplicates);
  if (*rc::gen::arbitrary<bool>()) built.in.reset();
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, std::move(built), raw.directed);
  const auto least = *rc::gen::inRange<std::uint32_t>(2, 6);
  const KtrussOptions options{least};
  const KtrussResult result = truss_decomposition(ctx, graph, options);
  const std::uint32_t level = least > 2 ? least - 3 : 0;
  expect_found(result, reference::truss_numbers(zoo::to_reference(raw), level), least);
  verify_ktruss(ctx, graph, options, result);
}

/// The cliques of bridged_cliques(), of 20 vertices each, have all their edges in 18 triangles.
TEST(KtrussRun, KnowsCliques) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(zoo::bridged_cliques()), false);
  const KtrussResult result = truss_decomposition(ctx, graph, {20});
  EXPECT_EQ(result.rows, 2u * 190);
  EXPECT_EQ(result.greatest, 20u);
  EXPECT_EQ(result.layers, 2u);
  EXPECT_EQ(result.u[380], 19u);
  EXPECT_EQ(result.v[380], 20u);
  EXPECT_EQ(result.truss[380], 0u);
}

TEST(KtrussRun, GivesRowsInTheOrderAskedFor) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(zoo::bridged_cliques()), false);
  Ids row(40);
  for (VertexId v = 0; v < 40; ++v) row[v] = 39 - v;
  const KtrussOptions options{.row = row};
  const KtrussResult result = truss_decomposition(ctx, graph, options);
  EXPECT_EQ(result.u[0], 39u);
  EXPECT_EQ(result.v[0], 38u);
  EXPECT_EQ(result.u[190], 20u);
  EXPECT_EQ(result.v[190], 19u);
  EXPECT_EQ(result.truss[190], 2u);
  EXPECT_NO_THROW(verify_ktruss(ctx, graph, options, result));
  expect_error(ErrorCode::VerificationFailed, [&] { verify_ktruss(ctx, graph, {}, result); });
  row[0] = 0;
  expect_error(ErrorCode::Usage, [&] { truss_decomposition(ctx, graph, options); });
}

TEST(KtrussRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::bridged_cliques()), false);
  expect_error(ErrorCode::Interrupted, [&] { truss_decomposition(ctx, graph); });
}

class KtrussCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed,
        [&] { verify_ktruss(ctx_, graph_, {.per_vertex = true}, result_); }, reason);
  }
  /// The bridge.
  static constexpr std::size_t kBridge = 190;

  const Context ctx_ = GetParam().context();
  const Graph graph_ = testing::place(ctx_, GetParam(), zoo::bridged_cliques());
  KtrussResult result_ = truss_decomposition(ctx_, graph_, {.per_vertex = true});
};

TEST_P(KtrussCertificate, RefutesANumberThatIsTooLarge) {
  for (std::uint32_t& truss : result_.truss)
    if (truss == 20) truss = 21;
  for (std::uint32_t& truss : result_.vertex)
    if (truss == 20) truss = 21;
  result_.greatest = 21;
  expect_refuted("in too few triangles");
}
TEST_P(KtrussCertificate, RefutesNumbersThatAreTooSmall) {
  for (std::uint32_t& truss : result_.truss)
    if (truss == 20) truss = 19;
  for (std::uint32_t& truss : result_.vertex)
    if (truss == 20) truss = 19;
  result_.greatest = 19;
  expect_refuted("in more triangles than its number");
}
TEST_P(KtrussCertificate, RefutesALayerThatComesTooLate) {
  ++result_.layers;
  for (std::size_t row = 0; row < result_.layer.size(); ++row)
    if (row < kBridge) ++result_.layer[row];
  expect_refuted("one layer earlier");
}
TEST_P(KtrussCertificate, RefutesLayersThatAreMixed) {
  std::swap(result_.layer[kBridge], result_.layer[0]);
  expect_refuted("another truss number than others of its layer");
}
TEST_P(KtrussCertificate, RefutesEmptyLayers) {
  ++result_.layers;
  expect_refuted("layer 3 is empty");
}
TEST_P(KtrussCertificate, RefutesAnEdgeThatIsNotThere) {
  result_.v[kBridge] = 21;
  expect_refuted("the edge of 19 and 20 has no truss number");
}
TEST_P(KtrussCertificate, RefutesEdgesInDisorder) {
  std::swap(result_.v[3], result_.v[4]);
  expect_refuted("row 4 does not come after");
  std::swap(result_.v[3], result_.v[4]);
  std::swap(result_.u[3], result_.v[3]);
  expect_refuted("row 3 is not of two vertices in their order");
}
TEST_P(KtrussCertificate, RefutesANumberOfAVertex) {
  result_.vertex[7] = 19;
  expect_refuted("vertex 7 has 19");
}
TEST_P(KtrussCertificate, RefutesAnotherGreatestNumber) {
  result_.greatest = 19;
  expect_refuted("the greatest truss number is 20, not 19");
}
TEST_P(KtrussCertificate, RefutesTheResultOfAnotherGraph) {
  const Context host = Context::cpu();
  zoo::RawGraph other = zoo::bridged_cliques();
  other.edges.emplace_back(0, 39);
  result_ =
      truss_decomposition(host, make_graph(host, zoo::build(other), false), {.per_vertex = true});
  expect_refuted("the edge of 0 and 39 is not in the graph");
}

INSTANTIATE_TEST_SUITE_P(Cpu, KtrussCertificate, ::testing::ValuesIn(cpu_configurations()),
                         [](const auto& its) { return its.param.name; });

}  // namespace
}  // namespace fathom
