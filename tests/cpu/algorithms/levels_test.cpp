#include "fathom/algorithms/levels/levels.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/reference/structure/longest_paths.hpp"
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

std::vector<std::int64_t> signed_levels(const LevelsResult& result) {
  std::vector<std::int64_t> levels;
  for (const std::uint32_t level : result.level)
    levels.push_back(level == kNoLevel ? -1 : std::int64_t{level});
  return levels;
}

/// What is wrong with the cycle; empty: nothing.
std::string check_cycle(const reference::Graph& g, const LevelsResult& result) {
  const std::vector<VertexId>& cycle = result.cycle;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (i > 0 && cycle[i] <= cycle[0]) return "does not begin with its smallest vertex";
    if (std::count(cycle.begin(), cycle.end(), cycle[i]) > 1) return "goes through a vertex twice";
    if (!reference::has_edge(g, cycle[i], cycle[(i + 1) % cycle.size()])) return "lacks an edge";
  }
  return "";
}

class Levels : public AlgorithmSuite {
 protected:
  void expect_right(bool in_edges) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const LevelsResult result = topological_levels(ctx, graph);
    const auto expected = found_by<reference::longest_paths>();
    EXPECT_EQ(signed_levels(result), expected);
    const auto highest = std::max_element(expected.begin(), expected.end());
    EXPECT_EQ(result.levels, highest == expected.end() ? 0 : *highest + 1);
    EXPECT_EQ(result.without, std::count(expected.begin(), expected.end(), -1));
    EXPECT_EQ(result.acyclic(), result.without == 0);
    EXPECT_EQ(check_cycle(reference_graph(), result), "");
    const Graph elsewhere = testing::place(host_, testing::plain_host(), raw());
    EXPECT_EQ(result.cycle, topological_levels(host_, elsewhere).cycle);
    EXPECT_NO_THROW(verify_levels(ctx, graph, result));
  }

 private:
  const Context host_ = testing::plain_host().context();
};

TEST_P(Levels, AreLongestPaths) {
  if (raw().directed) expect_right(true);
}
TEST_P(Levels, DoNotNeedInEdges) {
  if (raw().directed) expect_right(false);
}
TEST_P(Levels, AreRefusedWithoutDirections) {
  if (raw().directed) return;
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  expect_error(
      ErrorCode::Usage, [&] { topological_levels(ctx, graph); }, "undirected");
}

/// All edges go up, but those of two cycles at its end.
zoo::RawGraph nearly_acyclic() {
  zoo::RawGraph g = zoo::directed_acyclic();
  g.name = "NearlyAcyclic";
  g.vertices += 5;
  for (const auto& [u, v] :
       {zoo::Pair{3, 242}, {242, 240}, {240, 244}, {244, 242}, {243, 243}, {244, 241}})
    g.edges.emplace_back(u, v);
  return g;
}

std::vector<zoo::RawGraph> graphs() {
  std::vector<zoo::RawGraph> all = zoo::unweighted_graphs();
  all.push_back(nearly_acyclic());
  all.push_back({"DirectedPath", 300, true, zoo::path_edges(300), {}});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Zoo, Levels, testing::each_in_each(graphs()), testing::suite_name);

RC_GTEST_PROP(LevelsProperty, EqualTheReferenceOnRandomGraphs, ()) {
  zoo::RawGraph raw = zoo::random_graph(false);
  raw.directed = true;
  if (*rc::gen::arbitrary<bool>())
    for (zoo::Pair& e : raw.edges)  // loops stay
      e = zoo::Pair{std::min(e.first, e.second), std::max(e.first, e.second)};
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw, *rc::gen::arbitrary<bool>());
  const LevelsResult result = topological_levels(ctx, graph);
  RC_ASSERT(signed_levels(result) == reference::longest_paths(zoo::to_reference(raw)));
  RC_ASSERT(check_cycle(zoo::to_reference(raw), result) == "");
  verify_levels(ctx, graph, result);
}

TEST(LevelsRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::directed_acyclic()), true);
  expect_error(ErrorCode::Interrupted, [&] { topological_levels(ctx, graph); });
}

/// 0 to 3 along two ways, the cycle 4 - 6 - 5 - 4 behind 3, and 7 behind that.
class LevelsCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_levels(ctx_, graph_, result_); }, reason);
  }

  const Context ctx_ = GetParam().context();
  const Graph graph_ =
      testing::place(ctx_, GetParam(),
                     {"Tied",
                      8,
                      true,
                      {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {3, 4}, {4, 6}, {6, 5}, {5, 4}, {6, 7}},
                      {}});
  LevelsResult result_ = topological_levels(ctx_, graph_);
};

TEST_P(LevelsCertificate, HoldsForWhatWasComputed) {
  EXPECT_EQ(signed_levels(result_), (std::vector<std::int64_t>{0, 1, 2, 3, -1, -1, -1, -1}));
  EXPECT_EQ(result_.cycle, (std::vector<VertexId>{4, 6, 5}));
  EXPECT_NO_THROW(verify_levels(ctx_, graph_, result_));
}
TEST_P(LevelsCertificate, RefutesTooFewLevels) {
  result_.level = Array<std::uint32_t>(7, 0);
  expect_refuted("per vertex");
}
TEST_P(LevelsCertificate, RefutesAWrongNumberOfLevels) {
  ++result_.levels;
  expect_refuted("4 levels, not 5");
}
TEST_P(LevelsCertificate, RefutesAWrongNumberWithoutLevels) {
  ++result_.without;
  expect_refuted("4 vertices have no level, not 5");
}
TEST_P(LevelsCertificate, RefutesLevelsThatAreTooLow) {
  result_.level[3] = 1;
  result_.levels = 3;
  expect_refuted("vertex 3 has an edge from a vertex that is not on a lower level");
}
TEST_P(LevelsCertificate, RefutesLevelsThatAreTooHigh) {
  result_.level[3] = 4;
  result_.levels = 5;
  expect_refuted("vertex 3 has no edge from the level below");
}
TEST_P(LevelsCertificate, RefutesASourceAboveLevelZero) {
  for (const VertexId v : {0u, 1u, 2u, 3u}) ++result_.level[v];
  ++result_.levels;
  expect_refuted("vertex 0 has no edge from the level below");
}
TEST_P(LevelsCertificate, RefutesALevelBehindACycle) {
  result_.level[7] = 0;
  --result_.without;
  expect_refuted("vertex 7 has an edge from");
}
TEST_P(LevelsCertificate, RefutesLevelsThatAreLeftOut) {
  result_.level[3] = kNoLevel;
  result_.levels = 3;
  ++result_.without;
  expect_refuted("vertex 3 has no level, but");
}
TEST_P(LevelsCertificate, RefutesACycleThatIsNotNamed) {
  result_.cycle.clear();
  expect_refuted("no cycle is named");
}
TEST_P(LevelsCertificate, RefutesACycleWithoutAnEdge) {
  std::swap(result_.cycle[1], result_.cycle[2]);
  expect_refuted("vertex 4 has no edge to the next");
}
TEST_P(LevelsCertificate, RefutesACycleThatIsNotClosed) {
  result_.cycle.pop_back();
  expect_refuted("vertex 6 has no edge to the next");
}
TEST_P(LevelsCertificate, RefutesACycleOfVerticesWithLevels) {
  result_.cycle[2] = 3;
  expect_refuted("vertex 3 is on the cycle and has a level");
}
TEST_P(LevelsCertificate, RefutesACycleThatMeetsItself) {
  result_.cycle.push_back(4);
  expect_refuted("vertex 4 is on the cycle twice");
}

INSTANTIATE_TEST_SUITE_P(Cpu, LevelsCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
