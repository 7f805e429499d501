// Triangles on a GPU: lists that it orients itself, hubs whose lists are looked up in parts, and
// budgets that leave no room to orient. (On the zoo, in every residency: algorithms_test.cpp.)
#include "fathom/algorithms/triangles/triangles.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "tests/cuda/configurations.hpp"
#include "tests/reference/triangles.hpp"
#include "tests/suites/zoo.hpp"
#include "tests/suites/zoo_csr.hpp"
#include "tests/suites/zoo_reference.hpp"

namespace fathom {
namespace {

using Kind = ResidencyOptions::Kind;

std::uint64_t triangles_of_clique(std::uint64_t n) {
  return n < 3 ? 0 : n * (n - 1) * (n - 2) / 6;
}

/// Edges of a clique, some of them again and some the other way round, loops, and a star around it.
zoo::RawGraph untidy() {
  zoo::RawGraph raw{"Untidy", 3000, false, zoo::clique_edges(1000, 300), {}};
  const std::vector<zoo::Pair> tidy = raw.edges;
  for (std::size_t i = 0; i < tidy.size(); i += 3)
    raw.edges.emplace_back(tidy[i].second, tidy[i].first);
  for (std::uint32_t v = 0; v < 3000; v += 7) raw.edges.emplace_back(v, v);
  for (std::uint32_t v = 0; v < 3000; ++v) raw.edges.emplace_back(1001, v);
  return raw;
}

std::vector<zoo::RawGraph> shapes() {
  std::vector<zoo::RawGraph> all = zoo::all_graphs();
  std::erase_if(all, [](const zoo::RawGraph& raw) { return raw.directed; });
  all.push_back({"OneEdge", 2, false, {{0, 1}}, {}});
  all.push_back({"Odd", 1027, false, zoo::random_edges(1027, 33333, 3), {}});
  all.push_back({"FewVertices", 65, false, zoo::random_edges(65, 1023, 4), {}});
  all.push_back({"FarApart", 100000, false, zoo::random_edges(90, 1200, 6), {}});
  zoo::RawGraph two{"TwoCliques", 700, false, zoo::clique_edges(0, 290), {}};
  for (const zoo::Pair& edge : zoo::clique_edges(400, 270)) two.edges.push_back(edge);
  all.push_back(std::move(two));
  all.push_back(untidy());
  return all;
}

class GpuTriangles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::gpu_present()) GTEST_SKIP() << "no CUDA device";
  }
  static Graph place(const Context& ctx, const graph::BuiltGraph& built, Kind kind) {
    ResidencyOptions where;
    where.kind = kind;
    return make_graph(ctx, built.out.view(), nullptr, false, where);
  }
  static void expect_right(const Context& ctx, const Graph& graph,
                           const reference::Triangles& expected) {
    EXPECT_EQ(count_triangles(ctx, graph).total, expected.total);
    const TrianglesResult each = count_triangles(ctx, graph, {.per_vertex = true});
    EXPECT_EQ(each.total, expected.total);
    EXPECT_TRUE(std::ranges::equal(each.per_vertex, expected.per_vertex));
  }
};

TEST_F(GpuTriangles, OrientsAsTheHostDoes) {
  const Context ctx = Context::cuda({});
  for (const zoo::RawGraph& raw : shapes()) {
    SCOPED_TRACE(raw.name);
    const graph::BuiltGraph built = zoo::build(raw);
    const Csr expected = graph::orient_by_degree(built.out.view(), nullptr);
    for (const Kind kind : {Kind::Resident, Kind::ZeroCopy, Kind::Auto}) {
      const Graph graph = place(ctx, built, kind);
      const auto oriented = graph.oriented();
      EXPECT_FALSE(oriented->host_lists()) << "made on the host";
      const auto edges = std::get<FlatEdges>(*oriented->whole({}));
      ASSERT_EQ(oriented->edges(), expected.edges());
      std::vector<EdgeId> offset(expected.offset.size());
      std::vector<VertexId> target(expected.target.size());
      ctx.copy(offset.data(), edges.offset, offset.size() * sizeof(EdgeId));
      ctx.copy(target.data(), edges.target, target.size() * sizeof(VertexId));
      EXPECT_TRUE(std::ranges::equal(offset, expected.offset));
      EXPECT_TRUE(std::ranges::equal(target, expected.target));
    }
  }
}

TEST_F(GpuTriangles, EqualMembershipTests) {
  const Context ctx = Context::cuda({});
  for (const zoo::RawGraph& raw : shapes()) {
    SCOPED_TRACE(raw.name);
    const graph::BuiltGraph built = zoo::build(raw);
    const reference::Triangles expected = reference::count_triangles(zoo::to_reference(raw));
    for (const Kind kind : {Kind::Resident, Kind::ZeroCopy, Kind::Stream})
      expect_right(ctx, place(ctx, built, kind), expected);
  }
}

/// Lists longer than the largest table: its parts take turns.
TEST_F(GpuTriangles, OfHubsAreFoundInParts) {
  constexpr std::uint32_t kSize = 2500;
  const graph::BuiltGraph built =
      zoo::build({"Clique", kSize + 3, false, zoo::clique_edges(2, kSize), {}});
  const Context ctx = Context::cuda({});
  for (const Kind kind : {Kind::Resident, Kind::Stream}) {
    const TrianglesResult each =
        count_triangles(ctx, place(ctx, built, kind), {.per_vertex = true});
    EXPECT_EQ(each.total, triangles_of_clique(kSize));
    for (std::uint32_t v = 0; v < kSize + 3; ++v)
      ASSERT_EQ(each.per_vertex[v],
                v < 2 || v == kSize + 2 ? 0 : triangles_of_clique(kSize) * 3 / kSize);
  }
}

/// A list of two entries beside one of thousands is searched, not walked.
TEST_F(GpuTriangles, OfUnequalListsAreFoundBySearching) {
  zoo::RawGraph raw{"Unequal", 800, false, zoo::clique_edges(0, 400), {}};
  for (std::uint32_t v = 400; v < 800; ++v) {
    raw.edges.emplace_back(v, v - 400);
    raw.edges.emplace_back(v, (v * 7) % 400);
    raw.edges.emplace_back(v, (v * 11) % 400);
  }
  const Context ctx = Context::cuda({});
  expect_right(ctx, place(ctx, zoo::build(raw), Kind::Resident),
               reference::count_triangles(zoo::to_reference(raw)));
}

/// Where there is no room to orient on the device the host does it; more memory is never refused.
TEST_F(GpuTriangles, AreCountedWhereTheGpuHasNoRoomToOrient) {
  const zoo::RawGraph raw{"Random", 20000, false, zoo::random_edges(20000, 300000, 9), {}};
  const graph::BuiltGraph built = zoo::build(raw);
  const std::uint64_t expected = reference::count_triangles(zoo::to_reference(raw)).total;
  constexpr std::size_t kStep = std::size_t{256} << 10;
  for (const Kind kind : {Kind::Resident, Kind::ZeroCopy, Kind::Auto}) {
    int by_host = 0, by_gpu = 0;
    for (std::size_t bytes = kStep; bytes <= 40 * kStep; bytes += kStep) {
      CudaOptions options;
      options.device_memory = bytes;
      options.threads = 2;
      const Context ctx = Context::cuda(options);
      try {
        const Graph graph = place(ctx, built, kind);
        ASSERT_EQ(count_triangles(ctx, graph).total, expected) << bytes;
        ++(graph.oriented()->host_lists() ? by_host : by_gpu);
      } catch (const Error& e) {
        ASSERT_EQ(e.code(), ErrorCode::DoesNotFit) << e.what();
        EXPECT_EQ(by_host + by_gpu, 0) << bytes << ": " << e.what();
      }
    }
    EXPECT_GT(by_host, 0);
    EXPECT_GT(by_gpu, 0);
  }
}

/// Oriented lists give way to a run that needs their room, and are made again.
TEST_F(GpuTriangles, GiveWayAndAreCountedAgain) {
  const zoo::RawGraph raw{"Random", 20000, false, zoo::random_edges(20000, 300000, 9), {}};
  const graph::BuiltGraph built = zoo::build(raw);
  CudaOptions options;
  options.device_memory = std::size_t{8} << 20;
  const Context ctx = Context::cuda(options);
  const Graph graph = place(ctx, built, Kind::Auto);
  const std::uint64_t expected = count_triangles(ctx, graph).total;
  {
    const std::shared_ptr<MemoryPool>& pool = ctx.devices()[0].memory();
    const Array<std::byte> taken(std::size_t{7} << 20, pool);
  }
  EXPECT_EQ(bfs(ctx, graph, std::vector<VertexId>{0}).depth[0], 0u);
  EXPECT_EQ(count_triangles(ctx, graph).total, expected);
}

}  // namespace
}  // namespace fathom
