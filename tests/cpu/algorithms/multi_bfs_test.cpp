#include "fathom/algorithms/multi_search/multi_bfs.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <map>

#include "fathom/ops/compute.hpp"
#include "tests/reference/bfs.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using testing::AlgorithmSuite;
using testing::expect_error;

using Row = std::vector<std::uint32_t>;

class MultiBfs : public AlgorithmSuite {
 protected:
  /// So many vertices all over the graph; small graphs give some of them several times.
  std::vector<VertexId> sources(std::size_t count) const {
    std::vector<VertexId> list;
    if (raw().vertices == 0) return list;
    for (std::size_t i = 0; i < count; ++i)
      list.push_back(static_cast<VertexId>((i * 37 + (i % 5) * 101) % raw().vertices));
    return list;
  }

  Row expected(VertexId source, std::uint32_t limit) {
    static std::map<std::pair<std::string, VertexId>, Row>
        rows;  // each is asked for dozens of times
    Row& depth = rows[{raw().name, source}];
    if (depth.empty())
      for (const std::int32_t d : reference::bfs_depths(reference_graph(), {source}))
        depth.push_back(static_cast<std::uint32_t>(d));  // -1 is kUnreached
    Row limited = depth;
    for (std::uint32_t& d : limited) d = d <= limit ? d : kUnreached;
    return limited;
  }

  void expect_rows(const Context& ctx, const Graph& graph, const std::vector<VertexId>& from,
                   const MultiBfsOptions& options) {
    const MultiBfsResult result = multi_bfs(ctx, graph, from, options);
    ASSERT_EQ(result.reached.size(), from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      const Row row(result.depths(i).begin(), result.depths(i).end());
      const Row wanted = expected(from[i], options.depth_limit);
      ASSERT_EQ(row, wanted) << "search " << i << " from " << from[i];
      std::uint32_t reached = 0, greatest = 0;
      for (const std::uint32_t d : wanted)
        if (d != kUnreached) {
          ++reached;
          greatest = std::max(greatest, d);
        }
      EXPECT_EQ(result.reached[i], reached);
      EXPECT_EQ(result.max_depth[i], greatest);
    }
    verify_multi_bfs(ctx, graph, from, options, result);
  }
};

TEST_P(MultiBfs, RowsEqualTheReferenceInEveryDirection) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  if (graph.vertices() == 0) return;
  for (const std::size_t count : {1, 2, 63, 64})
    for (const Direction direction : {Direction::Auto, Direction::Push, Direction::Pull}) {
      SCOPED_TRACE(count);
      MultiBfsOptions options;
      options.direction = direction;
      expect_rows(ctx, graph, sources(count), options);
    }
}

TEST_P(MultiBfs, WithoutInEdgesGivesTheSameRows) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx, false);
  if (graph.vertices() > 0) expect_rows(ctx, graph, sources(64), {});
}

TEST_P(MultiBfs, OneSourceManyTimesGivesEqualRows) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  if (graph.vertices() == 0) return;
  std::vector<VertexId> from(40, raw().vertices / 3);
  from.back() = 0;
  expect_rows(ctx, graph, from, {});
}

TEST_P(MultiBfs, DepthLimitLeavesFartherVerticesUnreached) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  if (graph.vertices() == 0) return;
  for (const std::uint32_t limit : {0u, 1u, 3u})
    for (const Direction direction : {Direction::Auto, Direction::Pull}) {
      MultiBfsOptions options;
      options.depth_limit = limit;
      options.direction = direction;
      expect_rows(ctx, graph, sources(64), options);
    }
}

// The layer below: what harmonic centrality needs, without a row of depths for each search.
TEST_P(MultiBfs, SearchTellsWhoArrivesWhereAtEachLevel) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  if (graph.vertices() == 0) return;
  MultiSearch search(ctx, graph);
  for (const std::size_t count : {64, 5}) {  // a search object can be used again
    const std::vector<VertexId> from = sources(count);
    VertexArray<std::uint64_t> sum(ctx, graph.vertices(), 0);
    Recorder record(ctx);
    std::uint64_t frontiers = 0;
    for (search.start(from); search.alive() != 0; search.step(record)) {
      frontiers += search.frontier().size();
      compute(ctx, search.frontier(), [&](const Device& d) {
        return [level = search.level(), arrived = search.arrived(d), s = sum.on(d)](VertexId v) {
          s[v] += static_cast<std::uint64_t>(std::popcount(arrived[v])) * (level + 1);
        };
      });
    }
    std::vector<std::uint64_t> wanted(graph.vertices(), 0);
    for (const VertexId s : from) {
      const Row depth = expected(s, kUnreached);
      for (std::size_t v = 0; v < wanted.size(); ++v)
        if (depth[v] != kUnreached) wanted[v] += depth[v] + 1;
    }
    EXPECT_EQ(testing::to_vector(std::move(sum).take()), wanted);
    const RunReport report = record.finish();
    std::uint64_t reported = 0;
    for (const Superstep& step : report.supersteps) reported += step.frontier;
    EXPECT_EQ(reported, frontiers);
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, MultiBfs, testing::each_in_each(zoo::all_graphs()),
                         testing::suite_name);

class MultiBfsOnAGrid : public ::testing::Test {
 protected:
  static Context context(std::size_t host_memory = MemoryPool::kUnlimited, Task task = {}) {
    CpuOptions cpu;
    cpu.host_memory = host_memory;
    cpu.task = std::move(task);
    return Context::cpu(cpu);
  }
  Graph graph(const Context& ctx, bool in_edges = false) const {
    const CsrView out = built_.out.view();
    return make_graph(ctx, out, in_edges ? &out : nullptr, true);
  }

  graph::BuiltGraph built_ = zoo::build(zoo::grid());
  Context ctx_ = context();
  Graph graph_ = graph(ctx_);
  std::vector<VertexId> sources_{0, 17, 0, 300};
};

TEST_F(MultiBfsOnAGrid, RefusesSourcesOutOfRangeNoneAndTooMany) {
  const std::vector<VertexId> outside{0, graph_.vertices()}, many(65, 0);
  expect_error(
      ErrorCode::Usage, [&] { multi_bfs(ctx_, graph_, outside); }, "out of range");
  expect_error(
      ErrorCode::Usage, [&] { multi_bfs(ctx_, graph_, {}); }, "not 0");
  expect_error(
      ErrorCode::Usage, [&] { multi_bfs(ctx_, graph_, many); }, "not 65");
}

TEST_F(MultiBfsOnAGrid, RefusesToPullWithoutInEdges) {
  MultiBfsOptions options;
  options.direction = Direction::Pull;
  expect_error(
      ErrorCode::Usage, [&] { multi_bfs(ctx_, graph_, sources_, options); }, "in-edges");
}

TEST_F(MultiBfsOnAGrid, RefusesABudgetThatIsTooSmall) {
  const Context tight = context(8 * built_.out.vertices() * 3);  // no room for frontiers
  expect_error(ErrorCode::DoesNotFit, [&] { multi_bfs(tight, graph(tight), sources_); });
}

TEST_F(MultiBfsOnAGrid, StopsAtALevelWhenCancelled) {
  std::stop_source stop;
  Task task;
  task.stop = stop.get_token();
  const Context ctx = context(MemoryPool::kUnlimited, task);
  stop.request_stop();
  expect_error(ErrorCode::Interrupted, [&] { multi_bfs(ctx, graph(ctx), sources_); });
}

TEST_F(MultiBfsOnAGrid, SearchesThatMeetShareTheListsTheyFetch) {
  std::uint64_t alone = 0;
  MultiBfsOptions options;
  options.direction = Direction::Push;
  std::vector<VertexId> many;
  for (VertexId v = 0; v < MultiSearch::kMost; ++v) many.push_back(v);
  for (const VertexId s : many)
    alone += multi_bfs(ctx_, graph_, {&s, 1}, options).report.edges_traversed;
  const std::uint64_t together = multi_bfs(ctx_, graph_, many, options).report.edges_traversed;
  EXPECT_EQ(alone, many.size() * graph_.edges());
  EXPECT_LT(together, alone / 2);
}

TEST_F(MultiBfsOnAGrid, DenseLevelsPullWhereThereAreInEdges) {
  const Graph both = graph(ctx_, true);
  std::vector<VertexId> all;
  for (VertexId v = 0; v < MultiSearch::kMost; ++v) all.push_back(v * 5 % both.vertices());
  bool pulled = false;
  for (const Superstep& step : multi_bfs(ctx_, both, all).report.supersteps)
    pulled |= step.direction == "pull";
  EXPECT_TRUE(pulled);
}

// Every way a result can be wrong is refuted.
class MultiBfsCertificate : public MultiBfsOnAGrid {
 protected:
  void SetUp() override {
    result_ = multi_bfs(ctx_, graph_, sources_);
    verify_multi_bfs(ctx_, graph_, sources_, {}, result_);
  }
  void expect_refuted(const std::string& why) {
    expect_error(
        ErrorCode::VerificationFailed,
        [&] { verify_multi_bfs(ctx_, graph_, sources_, {}, result_); }, why);
  }
  /// The depth of the last vertex in the row of the last source.
  std::uint32_t& last() { return result_.depth[result_.depth.size() - 1]; }

  MultiBfsResult result_;
};

TEST_F(MultiBfsCertificate, RefutesADepthTooLarge) {
  last() += 1;
  expect_refuted("from 300: vertex 376 lies more than one level below");
}

TEST_F(MultiBfsCertificate, RefutesADepthTooSmall) {
  last() -= 1;
  expect_refuted("from 300");
}

TEST_F(MultiBfsCertificate, RefutesAReachedVertexLeftOut) {
  last() = kUnreached;
  result_.reached.back() -= 1;
  expect_refuted("from 300");
}

TEST_F(MultiBfsCertificate, RefutesAWrongCount) {
  result_.reached[1] += 1;
  expect_refuted("from 17: 377 vertices have a depth, but 378");
}

TEST_F(MultiBfsCertificate, RefutesAWrongGreatestDepth) {
  result_.max_depth[1] -= 1;
  expect_refuted("from 17: the greatest depth");
}

TEST_F(MultiBfsCertificate, RefutesRowsInAnotherOrder) {
  std::swap(sources_[0], sources_[1]);
  expect_refuted("from 17: vertex 0");
}

TEST_F(MultiBfsCertificate, RefutesAMissingRow) {
  sources_.push_back(5);
  expect_refuted("5 sources");
}

}  // namespace
}  // namespace fathom
