#include "fathom/algorithms/triangles.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/reference/triangles.hpp"
#include "tests/suites/configurations.hpp"
#include "tests/suites/random_graphs.hpp"
#include "tests/suites/zoo_csr.hpp"
#include "tests/suites/zoo_reference.hpp"

namespace fathom {
namespace {

using testing::Configuration;
using testing::cpu_configurations;

/// Frames for a tenth of the pages, or for two of the longest lists there can be: a list of u has
/// no more entries than sqrt(2 * edges).
ResidencyOptions residency_for(const Configuration& where, EdgeId edges) {
  ResidencyOptions options = where.residency_for(edges);
  std::size_t longest = 1;
  while (longest * longest < 2 * edges) ++longest;
  const std::size_t needed = 2 * longest * sizeof(VertexId) / options.paging.page_bytes + 2;
  if (options.paging.frames > 0) options.paging.frames = std::max(options.paging.frames, needed);
  return options;
}

Graph place(const Context& ctx, const Configuration& where, const zoo::RawGraph& raw,
            bool in_edges = true) {
  graph::BuiltGraph built = zoo::build(raw);
  if (!in_edges) built.in.reset();
  const EdgeId edges = built.out.edges();
  return make_graph(ctx, std::move(built), raw.directed, residency_for(where, edges));
}

std::vector<std::uint64_t> to_vector(const Array<std::uint64_t>& a) {
  return {a.begin(), a.end()};
}

class Triangles : public ::testing::TestWithParam<Configuration> {};

TEST_P(Triangles, EqualMembershipTestsOnTheZoo) {
  for (const zoo::RawGraph& raw : zoo::all_graphs())
    for (const bool in_edges : {true, false}) {
      if (!in_edges && !raw.directed) continue;
      SCOPED_TRACE(raw.name + (in_edges ? "" : " without in-edges"));
      const Context ctx = GetParam().context();
      const Graph graph = place(ctx, GetParam(), raw, in_edges);
      const reference::Triangles expected = reference::count_triangles(zoo::to_reference(raw));
      const TrianglesResult total = count_triangles(ctx, graph);
      EXPECT_EQ(total.total, expected.total);
      EXPECT_TRUE(total.per_vertex.empty());
      EXPECT_NO_THROW(verify_triangles(ctx, graph, total));
      const TrianglesResult each = count_triangles(ctx, graph, {.per_vertex = true});
      EXPECT_EQ(each.total, expected.total);
      EXPECT_EQ(to_vector(each.per_vertex), expected.per_vertex);
      EXPECT_NO_THROW(verify_triangles(ctx, graph, each));
    }
}

INSTANTIATE_TEST_SUITE_P(Cpu, Triangles, ::testing::ValuesIn(cpu_configurations()),
                         [](const auto& p) { return p.param.name; });

RC_GTEST_PROP(TrianglesProperty, EqualMembershipTestsOnRandomGraphs, ()) {
  const zoo::RawGraph raw = zoo::random_graph(false);
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = place(ctx, where, raw, *rc::gen::arbitrary<bool>());
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

TEST(TrianglesOnFewFrames, SayHowManyBytesTheLongestListNeeds) {
  CpuOptions cpu;
  cpu.devices = 1;
  const Context ctx = Context::cpu(cpu);
  ResidencyOptions options;
  options.paging.page_bytes = 16;
  options.paging.frames = 2;
  const Graph graph = make_graph(ctx, zoo::build(zoo::complete()), false, options);
  try {
    count_triangles(ctx, graph);
    FAIL() << "fits";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::DoesNotFit);
    EXPECT_NE(std::string(e.what()).find("39 edges"), std::string::npos) << e.what();
  }
}

class TrianglesCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) {
    try {
      verify_triangles(ctx_, graph_, result_);
      FAIL() << "not refuted: " << reason;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::VerificationFailed);
      EXPECT_NE(std::string(e.what()).find(reason), std::string::npos) << e.what();
    }
  }

  const Context ctx_ = GetParam().context();
  const Graph graph_ = place(ctx_, GetParam(), zoo::bridged_cliques());
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

INSTANTIATE_TEST_SUITE_P(Cpu, TrianglesCertificate, ::testing::ValuesIn(cpu_configurations()),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace fathom
