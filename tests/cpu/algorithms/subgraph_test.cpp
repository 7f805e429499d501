#include "fathom/algorithms/subgraph/subgraph.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "fathom/algorithms/subgraph/cross_edges.hpp"
#include "fathom/residency/graph_parts.hpp"
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

/// The subgraph's edges in the ids of the graph.
std::vector<reference::Edge> arcs_of(const SubgraphResult& part) {
  std::vector<reference::Edge> arcs;
  const CsrView lists = part.out.view();
  for (VertexId u = 0; u < lists.vertices; ++u)
    for (EdgeId e = lists.offset[u]; e < lists.offset[u + 1]; ++e)
      arcs.emplace_back(part.vertices[u], part.vertices[lists.target[e]],
                        lists.weight ? lists.weight[e] : 1);
  return arcs;
}

class Parts : public AlgorithmSuite {
 protected:
  /// Every third vertex is left out, and a few are named twice.
  std::vector<VertexId> some_vertices() const {
    std::vector<VertexId> vertices;
    for (VertexId v = raw().vertices; v-- > 0;)
      if (v % 3 != 1) vertices.push_back(v);
    for (VertexId v = 0; v < raw().vertices; v += 30) vertices.push_back(v);
    return vertices;
  }
};

TEST_P(Parts, SubgraphHasExactlyTheEdgesBetweenItsVertices) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  const std::vector<VertexId> vertices = some_vertices();
  const SubgraphResult part = induced_subgraph(ctx, graph, vertices);
  std::vector<bool> member(raw().vertices, false);
  for (const VertexId v : vertices) member[v] = true;
  EXPECT_TRUE(std::is_sorted(part.vertices.begin(), part.vertices.end()));
  EXPECT_EQ(part.vertices.size(), std::count(member.begin(), member.end(), true));
  EXPECT_EQ(arcs_of(part), reference::induced_arcs(reference_graph(), member));
  EXPECT_NO_THROW(verify_subgraph(ctx, graph, vertices, part));
}

TEST_P(Parts, EgonetIsTheSubgraphOfANeighborhood) {
  if (raw().vertices == 0) return;
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  const std::vector<VertexId> source{raw().vertices / 2};
  for (const std::uint32_t hops : {0u, 1u, 2u}) {
    const NeighborhoodOptions options{hops, EdgeMode::All};
    const EgonetResult net = egonet(ctx, graph, source, options);
    const auto within =
        reference::hops_within(reference_graph(), source, hops, reference::Follow::Both);
    std::vector<bool> member;
    for (const std::uint32_t h : within) member.push_back(h != kUnreached);
    EXPECT_EQ(arcs_of(net.graph), reference::induced_arcs(reference_graph(), member));
    EXPECT_NO_THROW(verify_egonet(ctx, graph, source, options, net));
  }
}

TEST_P(Parts, CrossEdgesAreCountedByPairAndShownOnceEach) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  std::vector<std::uint32_t> set(raw().vertices);
  for (VertexId v = 0; v < raw().vertices; ++v)
    set[v] = v % 5 == 4 ? kNoSet : static_cast<std::uint32_t>(v * 7 % 5);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> shown;
  const CrossEdgesResult result = cross_edges(ctx, graph, set, [&](VertexId u, VertexId v, Weight) {
    ++shown[{set[u], set[v]}];
  });
  const auto expected = reference::edges_across(reference_graph(), set);
  EXPECT_EQ(shown, expected);
  std::vector<SetPair> pairs;
  EdgeId edges = 0;
  for (const auto& [pair, count] : expected) {
    pairs.push_back({pair.first, pair.second, count});
    edges += count;
  }
  EXPECT_EQ(result.pairs, pairs);
  EXPECT_EQ(result.edges, edges);
  EXPECT_NO_THROW(verify_cross_edges(ctx, graph, set, result));
}

INSTANTIATE_TEST_SUITE_P(Zoo, Parts, testing::each_in_each(zoo::all_graphs()), testing::suite_name);

/// The triangle 0 1 2 with a tail 2 - 3 - 4.
class PartsCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void refute_subgraph(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_subgraph(ctx_, graph_, vertices_, part_); },
        reason);
  }
  void refute_cross_edges(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_cross_edges(ctx_, graph_, set_, across_); },
        reason);
  }
  const Context ctx_ = GetParam().context();
  const Graph graph_ = testing::place(
      ctx_, GetParam(), {"Tail", 5, false, {{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 4}}, {}});
  const std::vector<VertexId> vertices_{0, 2, 3};  // edges 0 - 2 - 3
  const std::vector<std::uint32_t> set_{0, 0, 1, 2, kNoSet};
  SubgraphResult part_ = induced_subgraph(ctx_, graph_, vertices_);
  CrossEdgesResult across_ = cross_edges(ctx_, graph_, set_);
};

TEST_P(PartsCertificate, RefutesOtherVertices) {
  part_.vertices[0] = 1;
  refute_subgraph("not the given ones");
}
TEST_P(PartsCertificate, RefutesAListThatDoesNotAscend) {
  std::swap(part_.out.target[1], part_.out.target[2]);
  refute_subgraph("does not ascend");
}
TEST_P(PartsCertificate, RefutesAnEdgeThatLeadsOutside) {
  part_.out.target[2] = 7;
  refute_subgraph("leads outside");
}
TEST_P(PartsCertificate, RefutesAForeignEdge) {
  part_.out.target[0] = 2;  // 0 - 3 instead of 0 - 2
  refute_subgraph("vertex 0 has other edges");
}
TEST_P(PartsCertificate, RefutesAMissingEdge) {
  const std::vector<EdgeId> offset{0, 0, 2, 3};
  const std::vector<VertexId> target{0, 2, 1};
  part_.out.offset = Array<EdgeId>::copy_of(offset);
  part_.out.target = Array<VertexId>::copy_of(target);
  refute_subgraph("vertex 0 has 1 edges to vertices of the set, not 0");
}
TEST_P(PartsCertificate, RefutesAWrongNumberOfCrossEdges) {
  ASSERT_EQ(across_.pairs, (std::vector<SetPair>{{0, 1, 2}, {1, 2, 1}}));
  ++across_.edges;
  refute_cross_edges("3 edges are between sets, not 4");
}
TEST_P(PartsCertificate, RefutesCrossEdgesOfAnotherPair) {
  across_.pairs[1] = {0, 2, 1};
  refute_cross_edges("wrong pairs");
}

INSTANTIATE_TEST_SUITE_P(Cpu, PartsCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

TEST(PartsRun, RefusesBadArguments) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  const std::vector<VertexId> outside{3, 377};
  expect_error(
      ErrorCode::Usage, [&] { induced_subgraph(ctx, graph, outside); }, "377 is out of range");
  const std::vector<std::uint32_t> few(376, 0);
  expect_error(
      ErrorCode::Usage, [&] { cross_edges(ctx, graph, few); }, "376 sets for 377 vertices");
}

/// A file may have lists with weights that are not those without them.
TEST(PartsOf, ListsOfDifferentEdgesAreRefused) {
  const Context ctx = Context::cpu();
  zoo::RawGraph raw{"Ring", 50, true, {}, {}};
  for (std::uint32_t v = 0; v < 50; ++v)
    for (const std::uint32_t by : {1u, 25u}) raw.edges.emplace_back(v, (v + by) % 50);
  raw.weights.assign(100, 1);
  const graph::BuiltGraph built = zoo::build(raw);
  const CsrView out = built.out.view();
  std::vector<VertexId> half(25);
  std::iota(half.begin(), half.end(), VertexId{0});
  // Each list leads out of the half, or into it, where the other says otherwise.
  for (const VertexId to : {VertexId{1}, VertexId{40}}) {
    const std::vector<InterleavedEdges::Pair> pairs(100, {to, 1});
    const auto state = std::make_shared<Graph::State>();
    state->vertices = out.vertices;
    state->edges = out.edges;
    state->weighted = true;
    state->open_out = [&] { return detail::place(ctx, out, nullptr, {}, pairs.data()); };
    const Graph graph(state);
    expect_error(
        ErrorCode::BadInput, [&] { induced_subgraph(ctx, graph, half); }, "different edges");
  }
}

}  // namespace
}  // namespace fathom
