#include "fathom/graph/build.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <set>

#include "tests/cpu/graph/model.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::graph {
namespace {

using test::Triple;
using testing::expect_error;

EdgeProducer producer(const std::vector<Edge>& edge, const std::vector<Weight>& weight,
                      std::size_t batch = 1000) {
  return [&edge, &weight, batch](const auto& consume) {
    for (std::size_t i = 0; i < edge.size(); i += batch) {
      const std::size_t n = std::min(batch, edge.size() - i);
      consume(std::span(edge).subspan(i, n),
              weight.empty() ? std::span<const Weight>{} : std::span(weight).subspan(i, n));
    }
  };
}

RC_GTEST_PROP(Build, equals_the_serial_model_for_every_policy, ()) {
  // Few vertices: many duplicates and loops. Many: sparse buckets.
  const auto vertices = *rc::gen::element<VertexId>(1, 3, 40, 3000, 100000);
  const auto vertex = rc::gen::inRange<VertexId>(0, vertices);
  const auto edges = *rc::gen::container<std::vector<Edge>>(
      rc::gen::map(rc::gen::pair(vertex, vertex), [](auto p) {
        return Edge{p.first, p.second};
      }));
  BuildOptions options;
  options.undirected = *rc::gen::arbitrary<bool>();
  options.half_stored = *rc::gen::arbitrary<bool>();
  options.in_edges = *rc::gen::arbitrary<bool>();
  options.weighted = *rc::gen::arbitrary<bool>();
  options.duplicates = *rc::gen::element(Duplicates::Min, Duplicates::Max, Duplicates::Sum,
                                         Duplicates::First, Duplicates::Keep);
  options.loops = *rc::gen::element(Loops::Keep, Loops::Drop);
  options.threads = *rc::gen::inRange(1, 4);
  std::vector<Weight> weights;
  if (*rc::gen::arbitrary<bool>())
    for (std::size_t i = 0; i < edges.size(); ++i)
      weights.push_back(static_cast<Weight>(*rc::gen::inRange(-3, 4)) * 0.1f);
  const auto model = test::model_build(edges, weights, options);
  const BuiltGraph built = build(vertices, producer(edges, weights, 7), options);
  RC_ASSERT(built.out.vertices() == vertices);
  RC_ASSERT(test::triples(built.out.view()) == model.edges);
  RC_ASSERT(test::as_tuple(built.report) == test::as_tuple(model.report));
  RC_ASSERT(built.out.weight.empty() == (!options.weighted || model.edges.empty()));
  RC_ASSERT(built.in.has_value() == (!options.undirected && options.in_edges));
  if (built.in) RC_ASSERT(test::triples(built.in->view()) == test::reversed(model.edges));
}

TEST(Build, equals_the_serial_model_when_pieces_and_blocks_are_many) {
  const auto edges = test::random_edges(300, 1'100'000, 1);
  std::vector<Weight> weights;
  for (std::size_t i = 0; i < edges.size(); ++i) weights.push_back(static_cast<Weight>(i % 1001));
  for (const Duplicates duplicates : {Duplicates::First, Duplicates::Sum}) {
    BuildOptions options;
    options.weighted = true;
    options.duplicates = duplicates;
    options.threads = 3;
    const auto model = test::model_build(edges, weights, options);
    const BuiltGraph built = build(300, producer(edges, weights, 300'001), options);
    EXPECT_EQ(test::triples(built.out.view()), model.edges);
    EXPECT_EQ(test::triples(built.in->view()), test::reversed(model.edges));
    EXPECT_EQ(test::as_tuple(built.report), test::as_tuple(model.report));
  }
}

TEST(Build, handles_a_hub_that_has_every_edge) {
  std::vector<Edge> edges;
  for (VertexId v = 0; v < 100'000; ++v) edges.push_back({7, (v * 7919u) % 100'000u});
  BuildOptions options;
  options.undirected = true;
  const BuiltGraph built = build(100'000, producer(edges, {}), options);
  EXPECT_EQ(test::triples(built.out.view()), test::model_build(edges, {}, options).edges);
}

TEST(Build, equals_the_serial_model_when_one_bucket_has_nearly_every_edge) {
  std::vector<Edge> edges = test::random_edges(100'000, 400'000, 11);
  for (Edge& e : edges) e.source %= 90;
  std::vector<Weight> weights;
  for (std::size_t i = 0; i < edges.size(); ++i) weights.push_back(static_cast<Weight>(i % 5));
  for (const Duplicates duplicates : {Duplicates::First, Duplicates::Max}) {
    BuildOptions options;
    options.weighted = true;
    options.duplicates = duplicates;
    const auto model = test::model_build(edges, weights, options);
    const BuiltGraph built = build(100'000, producer(edges, weights), options);
    EXPECT_EQ(test::triples(built.out.view()), model.edges);
    EXPECT_EQ(test::triples(built.in->view()), test::reversed(model.edges));
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// A line of /proc/self/status, in bytes; 0 when there is none.
std::size_t memory_status(const std::string& name) {
  std::ifstream file("/proc/self/status");
  std::size_t kib = 0;
  for (std::string word; file >> word;)
    if (word == name) file >> kib;
  return kib * 1024;
}

TEST(Build, peaks_at_most_at_2_2_times_the_result) {
  constexpr VertexId kVertices = 1 << 17;
  for (const bool hub : {false, true}) {
    if (!(std::ofstream("/proc/self/clear_refs") << 5 << std::flush)) GTEST_SKIP();
    const std::size_t before = memory_status("VmRSS:");
    BuildOptions options;
    options.in_edges = false;
    options.threads = 2;
    options.duplicates = Duplicates::Keep;
    const BuiltGraph built = build(
        kVertices,
        [&](const auto& consume) {
          std::vector<Edge> edges(10'000);
          std::mt19937 random(1);
          std::uniform_int_distribution<VertexId> vertex(0, kVertices - 1);
          for (int batch = 0; batch < 1000; ++batch) {
            for (Edge& e : edges) e = {hub ? 5 : vertex(random), vertex(random)};
            consume(edges, {});
          }
        },
        options);
    const double peak = static_cast<double>(memory_status("VmHWM:") - before);
    const auto bytes = static_cast<double>(built.out.offset.size() * sizeof(EdgeId) +
                                           built.out.target.size() * sizeof(VertexId));
    EXPECT_LT(peak / bytes, 2.2) << (hub ? "hub" : "uniform");
    EXPECT_GT(peak / bytes, 0.9);
  }
}
#endif

TEST(Build, gives_an_empty_csr_when_there_are_no_vertices) {
  const BuiltGraph built = build(0, producer({}, {}), {});
  EXPECT_EQ(built.out.offset.size(), 1u);
  EXPECT_EQ(built.out.vertices(), 0u);
  EXPECT_EQ(built.out.edges(), 0u);
  EXPECT_TRUE(built.report.happens_symmetric);
}

TEST(Build, refuses_endpoints_out_of_range_and_weights_that_are_not_numbers) {
  const std::vector<Edge> bad = {{0, 1}, {2, 10}};
  expect_error(ErrorCode::BadInput, [&] { build(10, producer(bad, {}), {}); });
  expect_error(ErrorCode::BadInput, [&] { build(0, producer(bad, {}), {}); });
  BuildOptions weighted;
  weighted.weighted = true;
  expect_error(ErrorCode::BadInput, [&] { build(11, producer(bad, {1, NAN}), weighted); });
  weighted.duplicates = Duplicates::Sum;
  const std::vector<Edge> same = {{0, 1}, {0, 1}};
  expect_error(ErrorCode::BadInput, [&] { build(2, producer(same, {3e38f, 3e38f}), weighted); });
  expect_error(ErrorCode::DoesNotFit, [&] { build(kNoVertex, producer({}, {}), {}); });
}

TEST(Build, stops_when_asked_to) {
  std::stop_source stop;
  stop.request_stop();
  BuildOptions options;
  options.task.stop = stop.get_token();
  const std::vector<Edge> edges = {{0, 1}};
  expect_error(ErrorCode::Interrupted, [&] { build(2, producer(edges, {}), options); });
}

TEST(Transpose, of_the_transpose_is_the_graph) {
  const auto edges = test::random_edges(70'000, 400'000, 3);
  const BuiltGraph built = build(70'000, producer(edges, {}), {});
  const Csr in = transpose(built.out.view(), 2);
  const Csr out = transpose(in.view(), 3);
  EXPECT_EQ(test::triples(out.view()), test::triples(built.out.view()));
}

TEST(OrientByDegree, keeps_each_undirected_edge_once_from_the_lower_degree) {
  for (const bool undirected : {false, true}) {
    const auto edges = test::random_edges(300, 3000, 5);
    BuildOptions options;
    options.undirected = undirected;
    options.duplicates = Duplicates::Keep;
    const BuiltGraph built = build(300, producer(edges, {}), options);
    std::vector<std::set<VertexId>> neighbors(300);
    for (const auto [u, v] : edges)
      if (u != v) {
        neighbors[u].insert(v);
        neighbors[v].insert(u);
      }
    std::vector<Triple> expected;
    for (VertexId u = 0; u < 300; ++u)
      for (VertexId v : neighbors[u])
        if (std::pair(neighbors[u].size(), u) < std::pair(neighbors[v].size(), v))
          expected.emplace_back(u, v, 1.0f);
    const CsrView out = built.out.view();
    const CsrView in = built.in ? built.in->view() : CsrView{};
    const Csr oriented = orient_by_degree(out, built.in ? &in : nullptr, 2);
    EXPECT_EQ(test::triples(oriented.view()), expected);
    for (VertexId v = 0; v < 300; ++v)
      EXPECT_LE(oriented.view().degree(v) * oriented.view().degree(v), 2 * expected.size());
  }
}

TEST(OrientMutual, HasTwoListsForEachVertex) {
  constexpr VertexId kVertices = 100;
  const auto edges = test::random_edges(kVertices, 3000, 5);
  BuildOptions options;
  options.duplicates = Duplicates::Keep;
  const BuiltGraph built = build(kVertices, producer(edges, {}), options);
  std::set<std::pair<VertexId, VertexId>> is_edge, expected;
  for (const auto [u, v] : edges)
    if (u != v) is_edge.emplace(u, v);
  for (const auto& [u, v] : is_edge) {
    expected.emplace(std::min(u, v), kVertices + std::max(u, v));
    expected.emplace(std::max(u, v), kVertices + std::min(u, v));
    if (is_edge.contains({v, u})) expected.emplace(std::min(u, v), std::max(u, v));
  }
  const Csr lists = orient_mutual(built.out.view(), built.in->view(), 2);
  ASSERT_EQ(lists.vertices(), 2 * kVertices);
  std::set<std::pair<VertexId, VertexId>> found;
  for (const auto& [u, v, weight] : test::triples(lists.view()))
    found.emplace(std::min(u, v), std::max(u, v));
  EXPECT_EQ(found, expected);
  EXPECT_EQ(lists.edges(), expected.size());
  for (VertexId v = 0; v < 2 * kVertices; ++v)
    EXPECT_LE(lists.view().degree(v) * lists.view().degree(v), 2 * expected.size());
}

}  // namespace
}  // namespace fathom::graph
