#include "fathom/algorithms/lcc/lcc.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <numeric>

#include "tests/reference/structure/clustering.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/random_graphs.hpp"

namespace fathom {
namespace {

using testing::AlgorithmSuite;
using testing::Configuration;
using testing::expect_error;
using testing::to_vector;

std::vector<Configuration> pair_configurations() {
  std::vector<Configuration> all = testing::cpu_configurations();
  for (Configuration& c : all) c.room_for_pairs = true;
  return all;
}

double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.) / static_cast<double>(values.size());
}

class Lcc : public AlgorithmSuite {
 protected:
  void expect_right(bool in_edges) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const LccResult result = local_clustering(ctx, graph);
    const reference::Clustering expected = found_by<reference::clustering>();
    EXPECT_EQ(to_vector(result.coefficient), expected.coefficient);
    EXPECT_EQ(result.links, expected.links);
    EXPECT_EQ(result.pairs, expected.pairs);
    EXPECT_DOUBLE_EQ(result.average, mean(expected.coefficient));
    const Graph elsewhere = testing::place(host_, testing::plain_host(), raw());
    EXPECT_EQ(result.average, local_clustering(host_, elsewhere).average);
    EXPECT_NO_THROW(verify_lcc(ctx, graph, result));
    EXPECT_EQ(to_vector(local_clustering(ctx, graph).coefficient), expected.coefficient);
  }

 private:
  const Context host_ = testing::plain_host().context();
};

TEST_P(Lcc, AsksForEachEdgeAmongNeighbours) {
  expect_right(true);
}
TEST_P(Lcc, DoesNotNeedInEdges) {
  if (raw().directed) expect_right(false);
}

INSTANTIATE_TEST_SUITE_P(Zoo, Lcc,
                         testing::each_in_each(zoo::unweighted_graphs(), pair_configurations()),
                         testing::suite_name);

RC_GTEST_PROP(LccProperty, EqualsTheReferenceOnRandomGraphs, ()) {
  const zoo::RawGraph raw = zoo::random_graph(false);
  const auto duplicates = *rc::gen::element(graph::Duplicates::Keep, graph::Duplicates::Min);
  graph::BuiltGraph built = zoo::build(raw, duplicates);
  if (*rc::gen::arbitrary<bool>()) built.in.reset();
  const auto everywhere = pair_configurations();
  const Configuration where = *rc::gen::elementOf(everywhere);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, std::move(built), raw.directed);
  const LccResult result = local_clustering(ctx, graph);
  const reference::Clustering expected = reference::clustering(zoo::to_reference(raw));
  RC_ASSERT(to_vector(result.coefficient) == expected.coefficient);
  RC_ASSERT(result.links == expected.links);
  RC_ASSERT(result.pairs == expected.pairs);
  verify_lcc(ctx, graph, result);
}

TEST(LccRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  for (const bool directed : {false, true}) {
    const Graph graph = make_graph(
        ctx, zoo::build({"Clique", 100, directed, zoo::clique_edges(0, 100), {}}), directed);
    expect_error(ErrorCode::Interrupted, [&] { local_clustering(ctx, graph); });
  }
}

TEST(LccOfDirectedGraphs, CountsAnEdgeEachWay) {
  // 0 has the neighbours 1, 2 and 3, of which 1 and 2 have edges both ways, and 3 leads to 1.
  const zoo::RawGraph raw{
      "Three", 5, true, {{0, 1}, {2, 0}, {0, 3}, {3, 0}, {1, 2}, {2, 1}, {3, 1}, {1, 1}}, {}};
  const Context ctx = Context::cpu();
  const LccResult result = local_clustering(ctx, make_graph(ctx, zoo::build(raw), true));
  EXPECT_EQ(to_vector(result.coefficient),
            (std::vector<double>{3. / 6, 3. / 6, 1. / 2, 1. / 2, 0}));
  EXPECT_EQ(result.transitivity, 8. / 16);
}

TEST(LccOfDirectedGraphs, RefusesMoreVerticesThanIdsNumberTwice) {
  CsrView lists;  // nobody gets to read them
  lists.vertices = kNoVertex / 2 + 1;
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, lists, &lists, true);
  expect_error(
      ErrorCode::Usage, [&] { local_clustering(ctx, graph); }, "too many for ids of");
}

class LccCertificate : public ::testing::TestWithParam<std::tuple<Configuration, bool>> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_lcc(ctx_, graph_, result_); }, reason);
  }
  static zoo::RawGraph cliques(bool directed) {
    zoo::RawGraph raw = zoo::bridged_cliques();
    raw.directed = directed;
    if (directed)
      for (std::size_t i = 0; i < 20; ++i)
        raw.edges.emplace_back(raw.edges[i].second, raw.edges[i].first);
    return raw;
  }

  const bool directed_ = std::get<1>(GetParam());
  const Context ctx_ = std::get<0>(GetParam()).context();
  const Graph graph_ = testing::place(ctx_, std::get<0>(GetParam()), cliques(directed_));
  LccResult result_ = local_clustering(ctx_, graph_);
};

TEST_P(LccCertificate, RefutesAWrongCoefficient) {
  result_.coefficient[7] = std::nextafter(result_.coefficient[7], 2);
  expect_refuted("vertex 7 has");
}
TEST_P(LccCertificate, RefutesWhatIsNoNumber) {
  result_.coefficient[3] = std::numeric_limits<double>::quiet_NaN();
  expect_refuted("vertex 3 has");
}
TEST_P(LccCertificate, RefutesWrongNumbersOfTheWholeGraph) {
  ++result_.links;
  expect_refuted("pairs are linked");
  --result_.links;
  result_.transitivity += 0.001;
  expect_refuted("pairs are linked");
  result_.transitivity -= 0.001;
  result_.transitivity = static_cast<double>(result_.links) / static_cast<double>(result_.pairs);
  result_.average *= 1.001;
  expect_refuted("the average is");
}
TEST_P(LccCertificate, RefutesTheResultOfAnotherGraph) {
  const Context host = Context::cpu();
  zoo::RawGraph other = cliques(directed_);
  other.edges.pop_back();
  result_ = local_clustering(host, make_graph(host, zoo::build(other), directed_));
  expect_refuted("");
}
TEST_P(LccCertificate, RefutesCoefficientsOfFewerVertices) {
  result_.coefficient = Array<double>(3, 0);
  expect_refuted("one number per vertex");
}

INSTANTIATE_TEST_SUITE_P(Cpu, LccCertificate,
                         ::testing::Combine(::testing::ValuesIn(pair_configurations()),
                                            ::testing::Bool()),
                         [](const auto& its) {
                           return std::get<0>(its.param).name +
                                  (std::get<1>(its.param) ? "_directed" : "");
                         });

}  // namespace
}  // namespace fathom
