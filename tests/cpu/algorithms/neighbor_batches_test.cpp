// Batches that are large for threads, for what operators bring at a time, and for a budget.
#include "fathom/algorithms/neighbor_sampling/neighbor_sampling.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "fathom/algorithms/neighbor_sampling/hop_reads.hpp"
#include "fathom/algorithms/neighbor_sampling/sample_batches.hpp"
#include "fathom/generate/generate.hpp"
#include "fathom/graph/build.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/sampling_suite.hpp"

namespace fathom {
namespace {

using reference::Sample;
using testing::copy_of;
using testing::expect_error;

/// More lists than operators bring to the host at a time, and batches for several threads.
class LargerSamples : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    generate::Spec spec;
    spec.scale = 16;
    spec.edge_factor = 24;
    spec.weights = generate::WeightRange{1, 64};
    const generate::Generator generator(spec);
    graph::BuildOptions build;
    build.weighted = true;
    build.duplicates = graph::Duplicates::Keep;
    built_ = new graph::BuiltGraph(graph::build(
        generator.vertices(),
        [&](const auto& consume) {
          std::vector<Edge> edges(generator.edges());
          std::vector<Weight> weights(generator.edges());
          generator.fill(0, edges, weights);
          consume(edges, weights);
        },
        build));
  }
  static void TearDownTestSuite() { delete built_; }

  static Graph graph(const Context& ctx, const ResidencyOptions& options = {}) {
    const CsrView in = built_->in->view();
    return make_graph(ctx, built_->out.view(), &in, true, options);
  }
  static Context context(int threads, int devices = 0) {
    CpuOptions options;
    options.threads = threads;
    options.devices = devices;
    return Context::cpu(options);
  }
  static std::vector<VertexId> seeds(std::uint32_t count) {
    std::vector<VertexId> all;
    for (std::uint32_t i = 0; i < count; ++i) all.push_back(i * 40503 % (1u << 16));
    return all;
  }

  static graph::BuiltGraph* built_;
};
graph::BuiltGraph* LargerSamples::built_ = nullptr;

TEST_F(LargerSamples, AreTheSameForAnyNumberOfThreadsAndSamplersBesideEachOther) {
  const Context ctx = context(1);
  const Graph where = graph(ctx);
  for (const bool weighted : {false, true}) {
    NeighborSamplingOptions options;
    options.fan_out = {15, 10};
    options.weighted = weighted;
    options.threads = 1;
    const Sample expected = copy_of(NeighborSampler(ctx, where, options).sample(seeds(512), 3));
    EXPECT_GT(expected.edge.size(), 15'000u);
    const auto sample_often = [&](int threads) {
      NeighborSamplingOptions mine = options;
      mine.threads = threads;
      NeighborSampler sampler(ctx, where, mine);
      for (int i = 0; i < 3; ++i) {
        sampler.sample(seeds(100 * static_cast<std::uint32_t>(i)), 9);
        EXPECT_EQ(copy_of(sampler.sample(seeds(512), 3)), expected) << threads;
      }
    };
    sample_often(3);
    std::vector<std::jthread> team;
    for (const int threads : {1, 2, 3}) team.emplace_back(sample_often, threads);
  }
}

TEST_F(LargerSamples, OfListsThatComeInBatchesAreTheSame) {
  const Context host = context(2);
  const Graph at_rest = graph(host);
  ResidencyOptions streamed;
  streamed.kind = ResidencyOptions::Kind::Stream;
  streamed.paging.page_bytes = 1 << 14;
  const Context devices = context(2, 2);
  const Graph elsewhere = graph(devices, streamed);
  for (const bool weighted : {false, true}) {
    NeighborSamplingOptions options;
    options.fan_out = {weighted ? 4 : kAllNeighbors};
    options.weighted = weighted;
    const auto some = seeds(60'000);
    NeighborSampler on_host(host, at_rest, options);
    const Sample expected = copy_of(on_host.sample(some));
    EdgeId looked_through = 0;
    for (const VertexId v : some) looked_through += built_->in->view().degree(v);
    EXPECT_GT(looked_through, kListsAtATime);
    options.reads = SampleReads::Operators;
    EXPECT_EQ(copy_of(NeighborSampler(host, at_rest, options).sample(some)), expected);
    EXPECT_EQ(copy_of(NeighborSampler(devices, elsewhere, options).sample(some)), expected);
  }
}

TEST_F(LargerSamples, StayWithinTheBudgetOrAreRefused) {
  NeighborSamplingOptions options;
  options.fan_out = {15, 10};
  for (const SampleReads reads : {SampleReads::Host, SampleReads::Operators}) {
    options.reads = reads;
    CpuOptions cpu;
    cpu.threads = 2;
    cpu.host_memory = std::size_t{256} << 10;
    const Context small = Context::cpu(cpu);
    const Graph there = graph(small);
    NeighborSampler sampler(small, there, options);
    expect_error(
        ErrorCode::DoesNotFit, [&] { sampler.sample(seeds(1024)); }, "host memory");
    EXPECT_LE(small.host_memory()->peak(), cpu.host_memory);
    // What was refused leaves the sampler as it was.
    const Context host = context(1);
    const Graph at_rest = graph(host);
    EXPECT_EQ(copy_of(sampler.sample(seeds(4))),
              copy_of(NeighborSampler(host, at_rest, options).sample(seeds(4))));
  }
}

TEST_F(LargerSamples, OfSeedsInBatchesAreThoseOfASampler) {
  const Context ctx = context(2);
  const Graph g = graph(ctx);
  NeighborSamplingOptions options;
  options.fan_out = {3, 2};
  options.seed = 6;
  const std::vector<VertexId> all = seeds(250);
  NeighborSampler sampler(ctx, g, options);
  std::uint64_t batches = 0, vertices = 0, edges = 0;
  const auto take = [&](std::uint64_t batch, std::span<const VertexId> its,
                        const NeighborSample& sample) {
    EXPECT_EQ(batch, batches++);
    EXPECT_EQ(its.size(), batch < 2 ? 100u : 50u);
    EXPECT_EQ(copy_of(sample), copy_of(sampler.sample(its, batch)));
    vertices += sample.nodes.size();
    edges += sample.edge.size();
  };
  const SampledBatches result = sample_batches(ctx, g, all, options, 100, take);
  EXPECT_EQ(result.batches, 3u);
  EXPECT_EQ(result.vertices, vertices);
  EXPECT_EQ(result.edges_per_hop.at(0) + result.edges_per_hop.at(1), edges);
  EXPECT_EQ(sample_batches(ctx, g, all, options).batches, 1u);
  EXPECT_EQ(sample_batches(ctx, g, {}, options).batches, 0u);
}

}  // namespace
}  // namespace fathom
