#include "fathom/algorithms/biconnected/biconnected.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "fathom/algorithms/msf/msf.hpp"
#include "tests/reference/structure/biconnected.hpp"
#include "tests/reference/structure/spanning_forest.hpp"
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

std::size_t steps_to_root(const Array<VertexId>& parent, VertexId v) {
  std::size_t steps = 0;
  for (; parent[v] != v; v = parent[v]) ++steps;
  return steps;
}

/// What differs from the components of all edges, which are told by their lower ends.
std::string difference(const BiconnectedResult& result, const reference::Biconnected& expected) {
  const auto n = static_cast<VertexId>(result.parent.size());
  const auto above = [&](VertexId v) {
    return expected.component.at(std::minmax(v, result.parent[v]));
  };
  std::map<std::size_t, VertexId> name;
  VertexId bridges = 0, points = 0;
  for (VertexId v = 0; v < n; ++v) {
    const bool root = result.parent[v] == v;
    if (!root) name.emplace(above(v), v);
    if (result.component[v] != (root ? v : name[above(v)])) return "component";
    if (result.bridge[v] != (!root && expected.edges[above(v)] == 1 ? 1u : 0u)) return "bridge";
    bridges += result.bridge[v];
    points += result.articulation[v];
  }
  for (const auto& [edge, component] : expected.component) {
    const bool first =
        steps_to_root(result.parent, edge.first) > steps_to_root(result.parent, edge.second);
    if (result.component[first ? edge.first : edge.second] != name[component]) return "edge";
  }
  if (to_vector(result.articulation) != expected.articulation) return "articulation";
  const auto& sizes = expected.vertices;
  const std::size_t largest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
  const bool counts = result.bridges == bridges && result.articulation_points == points &&
                      result.components == sizes.size() && result.largest == largest;
  return counts ? "" : "counts";
}

class Biconnected : public AlgorithmSuite {};

TEST_P(Biconnected, IsWhatADepthFirstSearchFinds) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  if (raw().directed) {
    expect_error(
        ErrorCode::Usage, [&] { biconnected_components(ctx, graph); }, "directed");
    return;
  }
  const BiconnectedResult result = biconnected_components(ctx, graph);
  EXPECT_EQ(difference(result, found_by<reference::biconnected>()), "");
  EXPECT_EQ(to_vector(result.parent), found_by<reference::spanning_forest>(false).parent);
  EXPECT_NO_THROW(verify_biconnected(ctx, graph, result));
}

/// With some small ones: a lone edge, two triangles at a vertex, and a bridge between two.
std::vector<zoo::RawGraph> graphs_for_blocks() {
  std::vector<zoo::RawGraph> graphs = zoo::unweighted_graphs();
  graphs.push_back({"LoneEdge", 3, false, {{2, 1}, {1, 2}, {2, 2}}, {}});
  graphs.push_back({"BowTie", 5, false, {{3, 0}, {0, 4}, {4, 3}, {3, 1}, {1, 2}, {2, 3}}, {}});
  graphs.push_back(
      {"Dumbbell", 6, false, {{0, 4}, {4, 2}, {2, 0}, {1, 3}, {3, 5}, {5, 1}, {2, 3}}, {}});
  return graphs;
}

INSTANTIATE_TEST_SUITE_P(Zoo, Biconnected, testing::each_in_each(graphs_for_blocks()),
                         testing::suite_name);

RC_GTEST_PROP(BiconnectedProperty, EqualsTheReferenceOnRandomGraphs, ()) {
  zoo::RawGraph raw = zoo::random_graph(*rc::gen::arbitrary<bool>());
  raw.directed = false;
  // Few edges for many vertices: more than one component of some size.
  raw.edges.resize(std::min<std::size_t>(raw.edges.size(), raw.vertices + 5));
  if (!raw.weights.empty()) raw.weights.resize(raw.edges.size());
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw);
  const BiconnectedResult result = biconnected_components(ctx, graph);
  RC_ASSERT(difference(result, reference::biconnected(zoo::to_reference(raw))) == "");
  verify_biconnected(ctx, graph, result);
}

TEST(BiconnectedRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  expect_error(ErrorCode::Interrupted, [&] { biconnected_components(ctx, graph); });
}

/// Weights are not read: what would be an error of a spanning forest by weight is none.
TEST(BiconnectedRun, DoesNotMindWeightsThatDifferByDirection) {
  const Context ctx = Context::cpu();
  graph::BuiltGraph built;
  built.out.offset = Array<EdgeId>::copy_of(std::vector<EdgeId>{0, 2, 4, 6});
  built.out.target = Array<VertexId>::copy_of(std::vector<VertexId>{1, 2, 0, 2, 0, 1});
  built.out.weight = Array<Weight>::copy_of(std::vector<Weight>{1, 3, 3, 1, 1, 3});
  const Graph graph = make_graph(ctx, std::move(built), false);
  const BiconnectedResult result = biconnected_components(ctx, graph);
  EXPECT_EQ(to_vector(result.parent), (std::vector<VertexId>{0, 0, 0}));
  EXPECT_EQ(to_vector(result.component), (std::vector<VertexId>{0, 1, 1}));
}

TEST(BiconnectedRun, TakesPathsOfAnyLengthInFewRounds) {
  const Context ctx = Context::cpu();
  constexpr std::uint32_t kVertices = 100'000;
  const zoo::RawGraph raw{"LongPath", kVertices, false, zoo::path_edges(kVertices), {}};
  const Graph graph = make_graph(ctx, zoo::build(raw), false);
  const BiconnectedResult result = biconnected_components(ctx, graph);
  EXPECT_EQ(result.bridges, kVertices - 1);
  EXPECT_LE(result.report.iterations, 5u);
  EXPECT_NO_THROW(verify_biconnected(ctx, graph, result));
}

TEST(MsfRun, LeavesWeightsAside) {
  const Context ctx = Context::cpu();
  zoo::RawGraph raw = zoo::weighted(zoo::rmat(false), zoo::Weights::Positive);
  const Graph graph = make_graph(ctx, zoo::build(raw), false);
  const MsfOptions options{.weighted = false};
  const MsfResult result = minimum_spanning_forest(ctx, graph, options);
  raw.weights.clear();
  const auto expected = reference::spanning_forest(zoo::to_reference(raw), false);
  EXPECT_EQ(to_vector(result.parent), expected.parent);
  EXPECT_EQ(to_vector(result.weight), expected.weight);
  EXPECT_NO_THROW(verify_msf(ctx, graph, options, result));
}

/// A square 0 - 1 - 2 - 3, a bridge 2 - 4, a triangle 4 - 5 - 6, and a lone edge 7 - 8.
class BiconnectedCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_biconnected(ctx_, graph_, result_); }, reason);
  }

  const Context ctx_ = GetParam().context();
  const Graph graph_ = testing::place(
      ctx_, GetParam(),
      {"Blocks",
       9,
       false,
       {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {2, 4}, {4, 5}, {5, 6}, {6, 4}, {7, 8}, {4, 2}, {1, 1}},
       {}});
  BiconnectedResult result_ = biconnected_components(ctx_, graph_);
};

TEST_P(BiconnectedCertificate, HoldsForWhatWasComputed) {
  EXPECT_EQ(to_vector(result_.parent), (std::vector<VertexId>{0, 0, 1, 0, 2, 4, 4, 7, 7}));
  EXPECT_EQ(to_vector(result_.component), (std::vector<VertexId>{0, 1, 1, 1, 4, 5, 5, 7, 8}));
  EXPECT_EQ(to_vector(result_.articulation),
            (std::vector<std::uint32_t>{0, 0, 1, 0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(to_vector(result_.bridge), (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(result_.largest, 4u);
  EXPECT_NO_THROW(verify_biconnected(ctx_, graph_, result_));
}
TEST_P(BiconnectedCertificate, RefutesTooFewNumbers) {
  result_.bridge = Array<std::uint32_t>(8, 0);
  expect_refuted("per vertex");
}
TEST_P(BiconnectedCertificate, RefutesParentsThatAreNone) {
  result_.parent[8] = 9;
  expect_refuted("vertex 8 has a parent that is not in the graph");
  result_.parent[8] = 8;
  expect_refuted("vertex 7 has an edge to a vertex of another tree");
  result_.parent[7] = 8;
  expect_refuted("vertex 8 is a root, but not the first");
  result_.parent[8] = 7;
  expect_refuted("circle");
  result_.parent[7] = 7;
  result_.parent[6] = 0;
  expect_refuted("vertex 6 has no edge to its parent");
}
TEST_P(BiconnectedCertificate, RefutesComponentsThatAreOne) {
  result_.component[3] = 3;
  expect_refuted("vertex 3 is in component 3, not 1");
}
TEST_P(BiconnectedCertificate, RefutesOneComponentInPlaceOfTwo) {
  result_.component[4] = 1;
  expect_refuted("vertex 4 is in component 1, not 4");
  result_.component[4] = 4;
  result_.component[7] = 8;
  expect_refuted("vertex 7 is in component 8, not 7");
}
TEST_P(BiconnectedCertificate, RefutesWrongMarks) {
  result_.bridge[4] = 0;
  expect_refuted("vertex 4 has the mark of a bridge wrong");
  result_.bridge[4] = 1;
  result_.articulation[0] = 1;
  expect_refuted("vertex 0 has the mark of an articulation point wrong");
}
TEST_P(BiconnectedCertificate, RefutesWrongCounts) {
  for (VertexId* const count :
       {&result_.components, &result_.bridges, &result_.articulation_points, &result_.largest}) {
    ++*count;
    expect_refuted(", not ");
    --*count;
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, BiconnectedCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
