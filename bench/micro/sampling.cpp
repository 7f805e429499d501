// How fast batches for graph neural networks are sampled.
#include <benchmark/benchmark.h>

#include <vector>

#include "fathom/algorithms/neighbor_sampling/neighbor_sampling.hpp"
#include "fathom/core/random.hpp"
#include "fathom/generate/generate.hpp"
#include "fathom/graph/build.hpp"

namespace fathom {
namespace {

constexpr std::uint32_t kBatch = 1024;

Graph rmat(const Context& ctx, int scale) {
  generate::Spec spec;
  spec.scale = scale;
  spec.weights = generate::WeightRange{};
  const generate::Generator generator(spec);
  graph::BuildOptions build;
  build.undirected = build.weighted = true;
  return make_graph(ctx,
                    graph::build(
                        generator.vertices(),
                        [&](const auto& consume) {
                          std::vector<Edge> edges(std::size_t{1} << 16);
                          std::vector<Weight> weights(edges.size());
                          for (EdgeId first = 0; first < generator.edges(); first += edges.size()) {
                            edges.resize(std::min<EdgeId>(edges.size(), generator.edges() - first));
                            weights.resize(edges.size());
                            generator.fill(first, edges, weights);
                            consume(edges, weights);
                          }
                        },
                        build),
                    false);
}

/// Batches of 1024 random seeds with edges. Arguments: threads.
void SampleNeighbors(benchmark::State& state, NeighborSamplingOptions options) {
  static const Context ctx = Context::cpu();
  static const Graph graph = rmat(ctx, 20);
  const CsrView lists = *graph.out().host_lists();
  const RandomStream random(1, 0);
  std::vector<VertexId> seeds;
  for (std::uint64_t i = 0; seeds.size() < 64 * kBatch; ++i) {
    const auto v = static_cast<VertexId>(bounded(random.at(i), graph.vertices()));
    if (lists.degree(v) > 0) seeds.push_back(v);
  }
  options.threads = static_cast<int>(state.range(0));
  NeighborSampler sampler(ctx, graph, options);
  std::uint64_t batch = 0;
  EdgeId edges = 0;
  for (auto _ : state) {
    const auto these = std::span(seeds).subspan(batch % 64 * kBatch, kBatch);
    edges += sampler.sample(these, batch++).edge.size();
  }
  state.counters["edges/s"] =
      benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsRate);
  state.counters["edges/batch"] = static_cast<double>(edges) / static_cast<double>(batch);
}

NeighborSamplingOptions fan_out(std::vector<std::int64_t> k, bool weighted = false,
                                bool disjoint = false, bool replace = false) {
  NeighborSamplingOptions options;
  options.fan_out = std::move(k);
  options.weighted = weighted;
  options.disjoint = disjoint;
  options.replace = replace;
  return options;
}

BENCHMARK_CAPTURE(SampleNeighbors, uniform, fan_out({15, 10}))
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(SampleNeighbors, replace, fan_out({15, 10}, false, false, true))
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(SampleNeighbors, disjoint, fan_out({15, 10}, false, true))
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(SampleNeighbors, weighted, fan_out({15, 10}, true))
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(SampleNeighbors, three_hops, fan_out({15, 10, 5}))
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace fathom
