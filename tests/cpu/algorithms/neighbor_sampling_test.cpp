#include "fathom/algorithms/neighbor_sampling/neighbor_sampling.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <stop_token>

#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/sampling_suite.hpp"

namespace fathom {
namespace {

using reference::Sample;
using testing::AlgorithmSuite;
using testing::copy_of;
using testing::expect_error;
using testing::SampledCase;
using testing::sampling_cases;
using testing::SamplingCase;

/// A function of the lists alone, so that one of a host with one thread is that of all.
class NeighborSampling : public AlgorithmSuite {};

TEST_P(NeighborSampling, IsTheSameEverywhereHoweverListsAreRead) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  CpuOptions one_thread;
  one_thread.threads = 1;
  const Context host = Context::cpu(one_thread);
  const Graph at_rest = make_graph(host, zoo::build(raw()), raw().directed);
  for (const SamplingCase& its : sampling_cases(!raw().weights.empty())) {
    SCOPED_TRACE(its.name);
    SampledCase here(its, graph);
    const auto expected = here.run(host, at_rest, SampleReads::Host);
    EXPECT_EQ(here.run(ctx, graph, SampleReads::Auto), expected);
    EXPECT_EQ(here.run(ctx, graph, SampleReads::Operators), expected);
    here.options.reads = SampleReads::Auto;
    NeighborSampler sampler(ctx, graph, here.options);
    const NeighborSample sample = sampler.sample(here.seeds, 7, here.seed_times);
    EXPECT_NO_THROW(
        verify_neighbor_sample(ctx, graph, here.options, here.seeds, here.seed_times, sample));
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, NeighborSampling, testing::each_in_each(zoo::all_graphs()),
                         testing::suite_name);

class NeighborSamplingDraws : public ::testing::TestWithParam<zoo::RawGraph> {};

TEST_P(NeighborSamplingDraws, AreAllThatTheReferenceDoesNotKnowOfASample) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(GetParam()), GetParam().directed);
  const reference::Graph known = zoo::to_reference(GetParam());
  for (const SamplingCase& its : sampling_cases(graph.weighted())) {
    SampledCase here(its, graph);
    for (const Sample& sample : here.run(ctx, graph, SampleReads::Host))
      EXPECT_EQ(reference::fault(known, testing::request_of(its, here.edge_times), here.seeds,
                                 here.seed_times, sample),
                "")
          << its.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, NeighborSamplingDraws, ::testing::ValuesIn(zoo::all_graphs()),
                         zoo::GraphName{});

/// 0 <- 1 <- 2 <- 3, 0 <- 2 and a lone 4; one edge of each vertex but 0, which has two.
class SampleCertificate : public ::testing::Test {
 protected:
  SampleCertificate() {
    options_.fan_out = {2, 1};
    NeighborSampler sampler(ctx_, graph_, options_);
    sample_ = copy_of(sampler.sample(seeds_));
  }
  void expect_refuted(const std::string& reason) const {
    const NeighborSample shown{sample_.nodes,        sample_.row,  sample_.col,
                               sample_.edge,         sample_.tree, sample_.nodes_per_hop,
                               sample_.edges_per_hop};
    expect_error(
        ErrorCode::VerificationFailed,
        [&] { verify_neighbor_sample(ctx_, graph_, options_, seeds_, {}, shown); }, reason);
  }
  const Context ctx_ = Context::cpu();
  const Graph graph_ =
      make_graph(ctx_, zoo::build({"Chain", 5, true, {{1, 0}, {2, 0}, {2, 1}, {3, 2}}, {}}), true);
  const std::vector<VertexId> seeds_{0, 4};
  NeighborSamplingOptions options_;
  Sample sample_;
};

TEST_F(SampleCertificate, AcceptsWhatWasSampled) {
  EXPECT_EQ(sample_.nodes, (std::vector<VertexId>{0, 4, 1, 2, 3}));
  EXPECT_EQ(sample_.row, (std::vector<std::uint32_t>{2, 3, 3, 4}));
  EXPECT_EQ(sample_.col, (std::vector<std::uint32_t>{0, 0, 2, 3}));
  EXPECT_EQ(sample_.edge, (std::vector<std::uint64_t>{0, 1, 2, 3}));
  EXPECT_EQ(sample_.nodes_per_hop, (std::vector<std::uint32_t>{2, 2, 1}));
  EXPECT_EQ(sample_.edges_per_hop, (std::vector<std::uint64_t>{2, 2}));
}
TEST_F(SampleCertificate, RefutesAnEdgeOfAnotherList) {
  sample_.edge[0] = 2;
  expect_refuted("an edge is not in the list of vertex 0");
}
TEST_F(SampleCertificate, RefutesAnEdgeTwice) {
  sample_.edge[1] = 0;
  expect_refuted("an edge was drawn twice of vertex 0");
}
TEST_F(SampleCertificate, RefutesAnEdgeThatLeadsElsewhere) {
  sample_.row[0] = 3;
  expect_refuted("an edge leads elsewhere of vertex 0");
}
TEST_F(SampleCertificate, RefutesTooFewEdges) {
  sample_.row.erase(sample_.row.begin() + 1);
  sample_.col.erase(sample_.col.begin() + 1);
  sample_.edge.erase(sample_.edge.begin() + 1);
  expect_refuted("not as many edges");
}
TEST_F(SampleCertificate, RefutesANodeThatNoEdgeLeadsTo) {
  options_.fan_out = {2, 0};
  sample_.row.resize(2);
  sample_.col.resize(2);
  sample_.edge.resize(2);
  sample_.edges_per_hop[1] = 0;
  sample_.nodes_per_hop[2] = 0;
  expect_refuted("nodes that no edge leads to");
}
TEST_F(SampleCertificate, RefutesANodeThatIsFoundTwice) {
  sample_.nodes[4] = 1;
  expect_refuted("vertex 1 was found twice");
}
TEST_F(SampleCertificate, RefutesNumbersPerHop) {
  ++sample_.edges_per_hop[0];
  expect_refuted("edges per hop");
}

TEST(NeighborSamplers, RefuseWhatTheyCannotDo) {
  const Context ctx = Context::cpu();
  graph::BuiltGraph built = zoo::build(zoo::rmat(true));
  built.in.reset();
  const Graph graph = make_graph(ctx, std::move(built), true);
  const std::vector<std::int64_t> times(graph.edges());
  const auto refused = [&](const std::string& part,
                           const std::function<void(NeighborSamplingOptions&)>& ask) {
    NeighborSamplingOptions options;
    options.fan_out = {2};
    options.along = SampleAlong::OutEdges;
    ask(options);
    expect_error(
        ErrorCode::Usage, [&] { NeighborSampler(ctx, graph, options); }, part);
  };
  refused("not -2", [](auto& o) { o.fan_out = {1, -2}; });
  refused("not 2147483648", [](auto& o) { o.fan_out = {std::int64_t{1} << 31}; });
  refused("in-edges", [](auto& o) { o.along = SampleAlong::InEdges; });
  refused("no weights", [](auto& o) { o.weighted = true; });
  refused("number of threads", [](auto& o) { o.threads = -1; });
  refused("disjoint trees", [&](auto& o) { o.edge_times = times; });
  refused("not 7", [&](auto& o) {
    o.edge_times = std::span(times).first(7);
    o.disjoint = true;
  });
  refused("with replacement", [&](auto& o) {
    o.edge_times = times;
    o.disjoint = o.replace = true;
    o.temporal = TemporalChoice::Last;
  });

  NeighborSamplingOptions options;
  options.fan_out = {2};
  options.along = SampleAlong::OutEdges;
  NeighborSampler sampler(ctx, graph, options);
  const std::vector<VertexId> outside{0, 1024};
  expect_error(
      ErrorCode::Usage, [&] { sampler.sample(outside); }, "seed 1024 is out of range");
  expect_error(
      ErrorCode::Usage, [&] { sampler.sample({{0}}, 0, std::vector<std::int64_t>{1}); },
      "edges have none");
  options.edge_times = times;
  options.disjoint = true;
  NeighborSampler timed(ctx, graph, options);
  expect_error(
      ErrorCode::Usage, [&] { timed.sample({{0}}); }, "a time for each of the 1 seeds, not 0");
}

TEST(NeighborSamplers, GiveNothingOfNothing) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(zoo::path()), false);
  NeighborSamplingOptions options;
  EXPECT_EQ(NeighborSampler(ctx, graph, options).sample({{5}}).nodes_per_hop.size(), 1u);
  options.fan_out = {3, 3};
  NeighborSampler sampler(ctx, graph, options);
  const NeighborSample none = sampler.sample({});
  EXPECT_TRUE(none.nodes.empty());
  EXPECT_TRUE(none.edge.empty());
  EXPECT_EQ(std::vector(none.edges_per_hop.begin(), none.edges_per_hop.end()),
            (std::vector<EdgeId>{0, 0}));
}

TEST(NeighborSamplers, AreStoppedByWhoeverAsksForIt) {
  std::stop_source stop;
  CpuOptions cpu;
  cpu.task.stop = stop.get_token();
  const Context ctx = Context::cpu(cpu);
  const Graph graph = make_graph(ctx, zoo::build(zoo::path()), false);
  NeighborSamplingOptions options;
  options.fan_out = {3, 3};
  NeighborSampler sampler(ctx, graph, options);
  EXPECT_NO_THROW(sampler.sample({{5}}));
  stop.request_stop();
  expect_error(ErrorCode::Interrupted, [&] { sampler.sample({{5}}); });
}

}  // namespace
}  // namespace fathom
