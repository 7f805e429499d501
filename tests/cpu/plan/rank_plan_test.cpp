// What plans say that ranks send, beside what ranks that are threads have sent.
#include "fathom/plan/rank_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/described/planned.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/exec/ranks/thread_ranks.hpp"
#include "fathom/graph/build.hpp"

namespace fathom::plan {
namespace {

constexpr int kScale = 12;

generate::Spec spec_of(bool grid) {
  generate::Spec spec;
  if (grid) {
    spec.kind = generate::Kind::Grid;
    spec.rows = 80;
    spec.columns = 50;
  } else {
    spec.scale = kScale;
  }
  return spec;
}

graph::BuiltGraph built(bool grid) {
  const generate::Generator generator(spec_of(grid));
  std::vector<Edge> edges(generator.edges());
  generator.fill(0, edges, {});
  graph::BuildOptions both_ways;
  both_ways.undirected = true;
  return graph::build(
      grid ? 80 * 50 : VertexId{1} << kScale, [&](const auto& consume) { consume(edges, {}); },
      both_ways);
}

struct Offsets {
  explicit Offsets(bool grid) {
    const Context ctx = Context::cpu();
    const Graph graph = make_graph(ctx, built(grid), false);
    const std::unique_ptr<ListReader> lists = graph.out().read_lists();
    for (VertexId v = 0; v < graph.vertices(); ++v) {
      EdgeId degree = 0;
      lists->read(v, [&](const PlainSpan& span) { degree += span.size; });
      of.push_back(of.back() + degree);
    }
  }
  std::vector<EdgeId> of{0};
};

PlanRequest request_of(const std::string& algorithm, int ranks, const Offsets& offsets) {
  PlanRequest request;
  request.algorithm = algorithm;
  request.machine.ranks = ranks;
  request.shape.vertices = offsets.of.size() - 1;
  request.shape.edges = offsets.of.back();
  request.shape.directed = false;
  request.shape.likeness = likeness_of(offsets.of);
  request.shape.shares = shares_of(offsets.of);
  return request;
}

RankPlan planned(const PlanRequest& request, const Offsets& offsets, const Range* supersteps) {
  return plan_ranks(request, make_plan(request),
                    shares_of_ranks(request.machine.ranks, offsets.of, {}), supersteps, nullptr);
}

struct Sent {
  double least = std::numeric_limits<double>::infinity(), most = 0, mean = 0;
};

/// Bytes of a rank.
template <class Run>
Sent sent(int ranks, bool grid, const Run& run) {
  std::mutex mutex;
  Sent sent;
  run_thread_ranks(ranks, [&](const std::shared_ptr<ReplicaGroup>& group) {
    CpuOptions options;
    options.threads = 1;
    options.group = group;
    const Context ctx = Context::cpu(options);
    const Graph graph = make_graph(ctx, built(grid), false);
    run(ctx, graph);
    const std::lock_guard lock(mutex);
    const auto bytes = static_cast<double>(group->traffic().bytes_sent);
    sent.least = std::min(sent.least, bytes);
    sent.most = std::max(sent.most, bytes);
    sent.mean += bytes / ranks;
  });
  return sent;
}

class RanksSend : public ::testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  int ranks() const { return std::get<0>(GetParam()); }
  bool grid() const { return std::get<1>(GetParam()); }
};

TEST_P(RanksSend, WhatPagerankIsToldToSend) {
  const Offsets offsets(grid());
  const Range five{5, 5};
  for (const double tolerance : {0., 1e-6})
    for (const bool in_place : {true, false}) {
      PagerankOptions options;
      options.max_iterations = 5;
      options.tolerance = tolerance;
      options.in_place = in_place;
      PlanRequest request = request_of("pagerank", ranks(), offsets);
      request.options.emplace(find_planned("pagerank")->options);
      request.options->set_real("tol", tolerance);
      if (!in_place) request.options->set_flag("no-in-place");
      const RankPlan its = planned(request, offsets, &five);
      ASSERT_TRUE(its.sent);
      const Sent took = sent(ranks(), grid(), [&](const Context& ctx, const Graph& graph) {
        ASSERT_EQ(pagerank(ctx, graph, options).iterations, 5u);
      });
      EXPECT_EQ(its.sent->low, took.least);
      EXPECT_EQ(its.sent->high, took.most);
    }
}

TEST_P(RanksSend, WithinAFactorOfTwoWhatComponentsAreToldToSend) {
  const Offsets offsets(grid());
  for (const bool sample : {true, false}) {
    PlanRequest request = request_of("cc", ranks(), offsets);
    request.options.emplace(find_planned("cc")->options);
    if (!sample) request.options->set_flag("no-sampling");
    const RankPlan its = planned(request, offsets, nullptr);
    ASSERT_TRUE(its.sent);
    const double took = sent(ranks(), grid(), [&](const Context& ctx, const Graph& graph) {
                          connected_components(ctx, graph, {.sample = sample});
                        }).mean;
    EXPECT_LT(its.sent->low, 2 * took);
    EXPECT_GT(its.sent->low, took / 2);
    EXPECT_GT(its.sent->high, took / 2);
  }
}

TEST_P(RanksSend, WithinAFactorOfTwoWhatASearchIsToldToSend) {
  const Offsets offsets(grid());
  PlanRequest request = request_of("bfs", ranks(), offsets);
  BfsOptions options;
  if (grid()) {
    // By several levels at a time nobody knows what is told.
    EXPECT_FALSE(planned(request, offsets, nullptr).sent);
    request.options.emplace(find_planned("bfs")->options);
    request.options->set_mode("direction", "push");
    options.direction = Direction::Push;
  }
  const RankPlan its = planned(request, offsets, nullptr);
  const std::array from{longest_list(offsets.of)};
  const double took = sent(ranks(), grid(), [&](const Context& ctx, const Graph& graph) {
                        bfs(ctx, graph, from, options);
                      }).mean;
  ASSERT_TRUE(its.sent);
  EXPECT_LT(its.sent->low, 2 * took);
  EXPECT_GT(its.sent->low, took / 2);
}

INSTANTIATE_TEST_SUITE_P(Ranks, RanksSend,
                         ::testing::Combine(::testing::Values(2, 3, 5), ::testing::Bool()));

TEST(RankPlan, SharesAreThoseOfWholeLists) {
  const Offsets offsets(false);
  const EdgeId edges = offsets.of.back();
  for (const int ranks : {1, 2, 7, 64}) {
    const RankShares shares = shares_of_ranks(ranks, offsets.of, {});
    EXPECT_LE(shares.least, edges / static_cast<EdgeId>(ranks));
    EXPECT_GE(shares.most, edges / static_cast<EdgeId>(ranks));
    const RankShares both = shares_of_ranks(ranks, offsets.of, offsets.of);
    EXPECT_EQ(both.most, 2 * shares.most);
  }
  // A hub has all edges: no other rank has any.
  const std::vector<EdgeId> hub{0, 100, 100, 100};
  EXPECT_EQ(shares_of_ranks(2, hub, {}).most, 100u);
  EXPECT_EQ(shares_of_ranks(2, hub, {}).least, 0u);
}

TEST(RankPlan, StateDoesNotShrinkAndMergesTakeMemory) {
  const Offsets offsets(false);
  const PlanRequest one = request_of("cc", 1, offsets), eight = request_of("cc", 8, offsets);
  EXPECT_EQ(planned(one, offsets, nullptr).state_bytes,
            planned(eight, offsets, nullptr).state_bytes);
  EXPECT_GE(make_plan(eight).least_host,
            make_plan(one).least_host + one.shape.vertices * sizeof(VertexId));
}

TEST(RankPlan, SaysWhyNothingIsTold) {
  const Offsets offsets(false);
  const RankPlan other = planned(request_of("tc", 2, offsets), offsets, nullptr);
  EXPECT_FALSE(other.sent);
  EXPECT_NE(other.basis.find("tc"), std::string::npos);
  PlanRequest unlike = request_of("bfs", 2, offsets);
  unlike.shape.likeness.reset();
  EXPECT_FALSE(planned(unlike, offsets, nullptr).sent);
}

TEST(RankPlan, KnowsOfRmatHowManyVerticesHaveEdges) {
  const Offsets offsets(false);
  const auto counted = shares_of(offsets.of), told = shape_of(spec_of(false), false).shares;
  ASSERT_TRUE(counted && told);
  EXPECT_NEAR(counted->with_edges, told->with_edges, .03);
  EXPECT_NEAR(counted->lowest, told->lowest, .03);
}

}  // namespace
}  // namespace fathom::plan
