#include "fathom/algorithms/bfs/bfs.hpp"

#include <gtest/gtest.h>

#include "tests/reference/bfs.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using testing::AlgorithmSuite;
using testing::expect_error;
using testing::to_vector;

std::vector<std::uint32_t> expected_depths(const reference::Graph& g,
                                           const std::vector<VertexId>& sources,
                                           std::uint32_t limit = kUnreached) {
  std::vector<std::uint32_t> depth;
  for (const std::int32_t d : reference::bfs_depths(g, sources)) {
    const auto hops = static_cast<std::uint32_t>(d);  // -1 is kUnreached
    depth.push_back(hops <= limit ? hops : kUnreached);
  }
  return depth;
}

class Bfs : public AlgorithmSuite {
 protected:
  /// Sources that see different parts of the graph.
  std::vector<VertexId> some_sources() const {
    const VertexId n = raw().vertices;
    std::vector<VertexId> sources;
    for (const VertexId v : {VertexId{0}, n / 3, n - 1})
      if (v < n) sources.push_back(v);
    return sources;
  }

  void expect_depths(const Context& ctx, const Graph& graph, const std::vector<VertexId>& sources,
                     const BfsOptions& options) {
    const BfsResult result = bfs(ctx, graph, sources, options);
    EXPECT_EQ(to_vector(result.depth),
              expected_depths(reference_graph(), sources, options.depth_limit));
    verify_bfs(ctx, graph, sources, options, result);
  }
};

TEST_P(Bfs, DepthsEqualTheReferenceInEveryDirection) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  for (const VertexId source : some_sources())
    for (const Direction direction : {Direction::Auto, Direction::Push, Direction::Pull})
      for (const bool parents : {false, true}) {
        BfsOptions options;
        options.direction = direction;
        options.parents = parents;
        expect_depths(ctx, graph, {source}, options);
      }
}

TEST_P(Bfs, WithoutInEdgesGivesTheSameDepths) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx, false);
  for (const VertexId source : some_sources()) expect_depths(ctx, graph, {source}, {});
}

TEST_P(Bfs, SeveralSourcesGiveTheDistanceToTheNearest) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  std::vector<VertexId> sources = some_sources();
  if (sources.empty()) return;
  sources.push_back(sources.front());  // a duplicate is harmless
  BfsOptions options;
  options.parents = true;
  expect_depths(ctx, graph, sources, options);
}

TEST_P(Bfs, DepthLimitLeavesFartherVerticesUnreached) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  for (const std::uint32_t limit : {0u, 1u, 3u}) {
    BfsOptions options;
    options.depth_limit = limit;
    if (!some_sources().empty()) expect_depths(ctx, graph, {some_sources().back()}, options);
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, Bfs, testing::each_in_each(zoo::all_graphs()), testing::suite_name);

class BfsArguments : public ::testing::Test {
 protected:
  Context ctx_ = Context::cpu();
  graph::BuiltGraph built_ = zoo::build(zoo::grid());
  Graph graph_ = make_graph(ctx_, built_.out.view(), nullptr, true);
};

TEST_F(BfsArguments, RefusesSourcesOutOfRangeAndNone) {
  const std::vector<VertexId> outside{graph_.vertices()};
  expect_error(ErrorCode::Usage, [&] { bfs(ctx_, graph_, outside); });
  expect_error(ErrorCode::Usage, [&] { bfs(ctx_, graph_, {}); });
}

TEST_F(BfsArguments, RefusesToPullWithoutInEdges) {
  BfsOptions options;
  options.direction = Direction::Pull;
  expect_error(ErrorCode::Usage, [&] { bfs(ctx_, graph_, {{0}}, options); });
}

TEST_F(BfsArguments, RefusesABudgetThatIsTooSmallAndNamesIt) {
  CpuOptions cpu;
  cpu.host_memory = 100;
  const Context tight = Context::cpu(cpu);
  const Graph graph = make_graph(tight, built_.out.view(), nullptr, true);
  expect_error(ErrorCode::DoesNotFit, [&] { bfs(tight, graph, {{0}}); });
}

TEST_F(BfsArguments, StopsAtASuperstepWhenCancelled) {
  std::stop_source stop;
  CpuOptions cpu;
  cpu.task.stop = stop.get_token();
  const Context ctx = Context::cpu(cpu);
  const Graph graph = make_graph(ctx, built_.out.view(), nullptr, true);
  stop.request_stop();
  expect_error(ErrorCode::Interrupted, [&] { bfs(ctx, graph, {{0}}); });
}

// Every way a result can be wrong is refuted.
class BfsCertificate : public BfsArguments {
 protected:
  void SetUp() override {
    options_.parents = true;
    result_ = bfs(ctx_, graph_, sources_, options_);
    verify_bfs(ctx_, graph_, sources_, options_, result_);
  }
  void expect_refuted() {
    expect_error(ErrorCode::VerificationFailed,
                 [&] { verify_bfs(ctx_, graph_, sources_, options_, result_); });
  }
  VertexId last() const { return graph_.vertices() - 1; }

  std::vector<VertexId> sources_{0};
  BfsOptions options_;
  BfsResult result_;
};

TEST_F(BfsCertificate, RefutesADepthTooLarge) {
  result_.depth[last()] += 1;
  expect_refuted();
}

TEST_F(BfsCertificate, RefutesADepthTooSmall) {
  result_.depth[last()] -= 1;
  expect_refuted();
}

TEST_F(BfsCertificate, RefutesAReachedVertexLeftOut) {
  result_.depth[last()] = kUnreached;
  result_.parent[last()] = kNoVertex;
  result_.reached -= 1;
  expect_refuted();
}

TEST_F(BfsCertificate, RefutesAParentThatIsNoNeighbour) {
  result_.parent[last()] = 1;
  expect_refuted();
}

TEST_F(BfsCertificate, RefutesASecondSource) {
  result_.depth[last()] = 0;
  expect_refuted();
}

TEST_F(BfsCertificate, RefutesAMissingParent) {
  result_.parent[last()] = kNoVertex;
  expect_refuted();
}

TEST_F(BfsCertificate, RefutesAGreatestDepthThatIsNot) {
  result_.max_depth += 1;
  expect_refuted();
}

}  // namespace
}  // namespace fathom
