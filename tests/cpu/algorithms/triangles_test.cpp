#include "fathom/algorithms/triangles/triangles.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>

#include "fathom/ops/intersect.hpp"
#include "tests/reference/triangles.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/random_graphs.hpp"

namespace fathom {
namespace {

using testing::Configuration;
using testing::expect_error;
using testing::to_vector;

std::vector<Configuration> configurations() {
  std::vector<Configuration> all = testing::cpu_configurations();
  for (Configuration& c : all) c.room_for_pairs = true;
  return all;
}

class Triangles : public testing::AlgorithmSuite {
 protected:
  void expect_right(bool in_edges) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const reference::Triangles expected = found_by<reference::count_triangles>();
    const TrianglesResult total = count_triangles(ctx, graph);
    EXPECT_EQ(total.total, expected.total);
    EXPECT_TRUE(total.per_vertex.empty());
    EXPECT_NO_THROW(verify_triangles(ctx, graph, total));
    const TrianglesResult each = count_triangles(ctx, graph, {.per_vertex = true});
    EXPECT_EQ(each.total, expected.total);
    EXPECT_EQ(to_vector(each.per_vertex), expected.per_vertex);
    EXPECT_NO_THROW(verify_triangles(ctx, graph, each));
  }
};

TEST_P(Triangles, EqualMembershipTests) {
  expect_right(true);
}
TEST_P(Triangles, DoNotNeedInEdges) {
  if (raw().directed) expect_right(false);
}

INSTANTIATE_TEST_SUITE_P(Zoo, Triangles, testing::each_in_each(zoo::all_graphs(), configurations()),
                         testing::suite_name);

RC_GTEST_PROP(TrianglesProperty, EqualMembershipTestsOnRandomGraphs, ()) {
  const zoo::RawGraph raw = zoo::random_graph(false);
  const auto everywhere = configurations();
  const Configuration where = *rc::gen::elementOf(everywhere);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw, *rc::gen::arbitrary<bool>());
  const TrianglesResult result = count_triangles(ctx, graph, {.per_vertex = true});
  const reference::Triangles expected = reference::count_triangles(zoo::to_reference(raw));
  RC_ASSERT(result.total == expected.total);
  RC_ASSERT(to_vector(result.per_vertex) == expected.per_vertex);
}

/// Oriented lists of which some are much longer than others: 200 vertices of a clique, and as many
/// that know two of them.
TEST(TrianglesOfUnequalLists, AreFoundBySearching) {
  zoo::RawGraph raw{"Unequal", 400, false, zoo::clique_edges(0, 200), {}};
  for (VertexId v = 200; v < 400; ++v) {
    raw.edges.emplace_back(v, v - 200);
    raw.edges.emplace_back(v, (v * 7) % 200);
  }
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(raw), false);
  const reference::Triangles expected = reference::count_triangles(zoo::to_reference(raw));
  const TrianglesResult result = count_triangles(ctx, graph, {.per_vertex = true});
  EXPECT_EQ(result.total, expected.total);
  EXPECT_EQ(to_vector(result.per_vertex), expected.per_vertex);
  EXPECT_EQ(count_triangles(ctx, graph).total, expected.total);
}

/// Whether degree-oriented lists were read.
bool orients(const TrianglesResult& result) {
  return result.report.supersteps.front().direction == "orient";
}

TEST(TrianglesOfShortLists, AreFoundInThemAsTheyAre) {
  // Triangles in a strip, with loops, edges both ways and several times.
  zoo::RawGraph raw{"Strip", 500, false, {}, {}};
  for (VertexId v = 0; v + 2 < raw.vertices; ++v) {
    raw.edges.emplace_back(v, v + 1);
    raw.edges.emplace_back(v + 2, v);
    if (v % 3 == 0) raw.edges.emplace_back(v + 1, v);
    if (v % 7 == 0) raw.edges.emplace_back(v, v);
    if (v % 11 == 0) raw.edges.emplace_back(v, v + 2);
  }
  for (const auto duplicates : {graph::Duplicates::Keep, graph::Duplicates::Min}) {
    const Context ctx = Context::cpu();
    const Graph graph = make_graph(ctx, zoo::build(raw, duplicates), false);
    const reference::Triangles expected = reference::count_triangles(zoo::to_reference(raw));
    const TrianglesResult result = count_triangles(ctx, graph, {.per_vertex = true});
    EXPECT_FALSE(orients(result));
    EXPECT_EQ(result.total, expected.total);
    EXPECT_EQ(to_vector(result.per_vertex), expected.per_vertex);
    EXPECT_EQ(count_triangles(ctx, graph).total, expected.total);
    EXPECT_NO_THROW(verify_triangles(ctx, graph, result));
    EXPECT_EQ(count_triangles(ctx, graph).total, expected.total);
  }
}

TEST(TrianglesOfShortLists, OfHubsAreOriented) {
  const zoo::RawGraph raw = zoo::star(false);
  const Context ctx = Context::cpu();
  EXPECT_TRUE(orients(count_triangles(ctx, make_graph(ctx, zoo::build(raw), false))));
}

/// Cancels at the first triangle, and counts what is credited from then on.
struct Cancels {
  static constexpr bool kCredits = true;
  std::atomic<bool>* cancelled;
  std::atomic<int>* credits;
  void credit(VertexId, std::uint64_t) const {
    *cancelled = true;
    ++*credits;
  }
};

TEST(Intersecting, EndsAtTheNextListOnceCancelled) {
  std::atomic<bool> cancelled{false};
  std::atomic<int> credits{0};
  CpuOptions options;
  options.threads = 1;
  options.task.cancelled = &cancelled;
  const Context ctx = Context::cpu(options);
  const Graph graph =
      make_graph(ctx, zoo::build({"Clique", 100, false, zoo::clique_edges(0, 100), {}}), false);
  const auto oriented = graph.oriented();
  expect_error(ErrorCode::Interrupted, [&] {
    intersect(ctx, *oriented, [&](const Device&) { return Cancels{&cancelled, &credits}; });
  });
  EXPECT_LE(credits, 200);  // of one list; of all there would be about 10,000
}

TEST(TrianglesOnFewFrames, SayHowManyBytesTheLongestListNeeds) {
  CpuOptions cpu;
  cpu.devices = 1;
  const Context ctx = Context::cpu(cpu);
  ResidencyOptions options;
  options.paging.page_bytes = 16;
  options.paging.frames = 2;
  const Graph graph = make_graph(ctx, zoo::build(zoo::complete()), false, options);
  expect_error(
      ErrorCode::DoesNotFit, [&] { count_triangles(ctx, graph); }, "39 edges");
}

class TrianglesCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_triangles(ctx_, graph_, result_); }, reason);
  }

  const Context ctx_ = GetParam().context();
  const Graph graph_ = testing::place(ctx_, GetParam(), zoo::bridged_cliques());
  TrianglesResult result_ = count_triangles(ctx_, graph_, {.per_vertex = true});
};

TEST_P(TrianglesCertificate, RefutesAWrongTotal) {
  ++result_.total;
  expect_refuted("by merging lists");
}
TEST_P(TrianglesCertificate, RefutesAWrongCountOfAVertex) {
  --result_.per_vertex[7];
  ++result_.per_vertex[8];
  expect_refuted("vertex 7 is in");
}
TEST_P(TrianglesCertificate, RefutesCountsOfAnotherGraph) {
  result_.per_vertex = Array<std::uint64_t>(3, 0);
  expect_refuted("one count per vertex");
}

INSTANTIATE_TEST_SUITE_P(Cpu, TrianglesCertificate, ::testing::ValuesIn(configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
