#include "fathom/algorithms/bipartite/bipartite.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/reference/structure/two_sides.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/random_graphs.hpp"

namespace fathom {
namespace {

using testing::AlgorithmSuite;
using testing::Configuration;
using testing::cpu_configurations;
using testing::expect_error;

std::vector<std::int64_t> signed_sides(const BipartiteResult& result) {
  std::vector<std::int64_t> sides;
  for (const std::uint32_t side : result.side)
    sides.push_back(side == kNoSide ? -1 : std::int64_t{side});
  return sides;
}

/// What is wrong with the cycle; empty: nothing.
std::string check_odd_cycle(const reference::Graph& g, const BipartiteResult& result) {
  const std::vector<VertexId>& cycle = result.cycle;
  if (!cycle.empty() && cycle.size() % 2 == 0) return "is even";
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (i > 0 && cycle[i] <= cycle[0]) return "does not begin with its smallest vertex";
    if (std::count(cycle.begin(), cycle.end(), cycle[i]) > 1) return "goes through a vertex twice";
    const VertexId next = cycle[(i + 1) % cycle.size()];
    if (!reference::has_edge(g, cycle[i], next) && !reference::has_edge(g, next, cycle[i]))
      return "lacks an edge";
  }
  return "";
}

class Bipartite : public AlgorithmSuite {
 protected:
  void expect_right(bool in_edges) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const BipartiteResult result = two_sides(ctx, graph);
    const auto expected = found_by<reference::two_sides>();
    EXPECT_EQ(signed_sides(result), expected);
    for (const int side : {0, 1})
      EXPECT_EQ(result.on_side[side], std::count(expected.begin(), expected.end(), side));
    EXPECT_EQ(result.without, std::count(expected.begin(), expected.end(), -1));
    EXPECT_EQ(result.bipartite(), result.without == 0);
    EXPECT_EQ(check_odd_cycle(reference_graph(), result), "");
    const Graph elsewhere = testing::place(host_, testing::plain_host(), raw());
    EXPECT_EQ(result.cycle, two_sides(host_, elsewhere).cycle);
    EXPECT_NO_THROW(verify_bipartite(ctx, graph, result));
  }

 private:
  const Context host_ = testing::plain_host().context();
};

TEST_P(Bipartite, SidesAreThoseOfASearch) {
  expect_right(true);
}
TEST_P(Bipartite, DoesNotNeedInEdges) {
  if (raw().directed) expect_right(false);
}

/// Even cycles and a path, and beside them a long odd cycle.
zoo::RawGraph one_odd_cycle(bool directed) {
  zoo::RawGraph g{directed ? "OddCycleDirected" : "OddCycle", 300, directed, {}, {}};
  for (std::uint32_t v = 0; v < 98; ++v) g.edges.emplace_back(v, v + 1);
  g.edges.emplace_back(90, 11);
  for (std::uint32_t v = 110; v < 210; ++v) g.edges.emplace_back(v + 1, v);
  g.edges.emplace_back(110, 210);
  for (std::uint32_t v = 220; v < 223; ++v) g.edges.emplace_back(v, v + 1);
  g.edges.emplace_back(223, 220);
  return g;
}

std::vector<zoo::RawGraph> two_sided_graphs() {
  std::vector<zoo::RawGraph> all = zoo::unweighted_graphs();
  all.push_back(one_odd_cycle(false));
  all.push_back(one_odd_cycle(true));
  return all;
}

INSTANTIATE_TEST_SUITE_P(Zoo, Bipartite, testing::each_in_each(two_sided_graphs()),
                         testing::suite_name);

RC_GTEST_PROP(BipartiteProperty, EqualsTheReferenceOnRandomGraphs, ()) {
  zoo::RawGraph raw = zoo::random_graph(false);
  if (*rc::gen::arbitrary<bool>())  // between even and odd vertices
    for (zoo::Pair& e : raw.edges)
      e = zoo::Pair{e.first & ~1u, std::min(e.second | 1u, raw.vertices - 1)};
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw, *rc::gen::arbitrary<bool>());
  const BipartiteResult result = two_sides(ctx, graph);
  RC_ASSERT(signed_sides(result) == reference::two_sides(zoo::to_reference(raw)));
  RC_ASSERT(check_odd_cycle(zoo::to_reference(raw), result) == "");
  verify_bipartite(ctx, graph, result);
}

TEST(BipartiteRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  expect_error(ErrorCode::Interrupted, [&] { two_sides(ctx, graph); });
}

/// The path 0 - 1 - 2, the triangle 3 - 4 - 5 with the tail 6, and the edge 7 - 8.
class BipartiteCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_bipartite(ctx_, graph_, result_); }, reason);
  }
  void set(std::initializer_list<int> sides) {
    std::size_t v = 0;
    result_.on_side[0] = result_.on_side[1] = result_.without = 0;
    for (const int side : sides) {
      ++(side < 0 ? result_.without : result_.on_side[side]);
      result_.side[v++] = static_cast<std::uint32_t>(side);
    }
  }

  const Context ctx_ = GetParam().context();
  const Graph graph_ = testing::place(
      ctx_, GetParam(),
      {"Sides", 9, true, {{0, 1}, {2, 1}, {3, 4}, {4, 5}, {3, 5}, {6, 5}, {7, 8}}, {}});
  BipartiteResult result_ = two_sides(ctx_, graph_);
};

TEST_P(BipartiteCertificate, HoldsForWhatWasComputed) {
  EXPECT_EQ(signed_sides(result_), (std::vector<std::int64_t>{0, 1, 0, -1, -1, -1, -1, 0, 1}));
  EXPECT_EQ(result_.cycle, (std::vector<VertexId>{3, 4, 5}));
  EXPECT_NO_THROW(verify_bipartite(ctx_, graph_, result_));
}
TEST_P(BipartiteCertificate, RefutesTooFewSides) {
  result_.side = Array<std::uint32_t>(8, 0);
  expect_refuted("per vertex");
}
TEST_P(BipartiteCertificate, RefutesAThirdSide) {
  result_.side[2] = 2;
  expect_refuted("vertex 2 is on neither side");
}
TEST_P(BipartiteCertificate, RefutesWrongNumbers) {
  ++result_.on_side[1];
  expect_refuted("2 vertices are on side 1, not 3");
}
TEST_P(BipartiteCertificate, RefutesAWrongNumberWithoutSides) {
  ++result_.without;
  expect_refuted("4 vertices have no side, not 5");
}
TEST_P(BipartiteCertificate, RefutesNeighboursOnOneSide) {
  set({0, 1, 1, -1, -1, -1, -1, 0, 1});
  expect_refuted("vertex 1 is on the side of a neighbour");
}
TEST_P(BipartiteCertificate, RefutesSidesThatAreSwapped) {
  set({0, 1, 0, -1, -1, -1, -1, 1, 0});
  expect_refuted("vertex 7 is on the other side");
}
TEST_P(BipartiteCertificate, RefutesASideBesideAnOddCycle) {
  set({0, 1, 0, -1, -1, -1, 0, 0, 1});
  expect_refuted("vertex 6 has a side, and a neighbour without one");
}
TEST_P(BipartiteCertificate, RefutesSidesThatAreLeftOut) {
  set({0, 1, 0, -1, -1, -1, -1, -1, -1});
  expect_refuted("vertex 7 has no side, but");
}
TEST_P(BipartiteCertificate, RefutesACycleThatIsNotNamed) {
  result_.cycle.clear();
  expect_refuted("no cycle is named");
}
TEST_P(BipartiteCertificate, RefutesAnEvenCycle) {
  result_.cycle.pop_back();
  expect_refuted("not odd");
}
TEST_P(BipartiteCertificate, RefutesACycleWithoutAnEdge) {
  result_.cycle = {3, 4, 6};
  expect_refuted("vertex 4 has no edge to the next");
}
TEST_P(BipartiteCertificate, RefutesACycleThatMeetsItself) {
  result_.cycle = {3, 4, 5, 4, 5};
  expect_refuted("vertex 4 is on the cycle twice");
}

INSTANTIATE_TEST_SUITE_P(Cpu, BipartiteCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
