// The algorithms on generated graphs, on the CPU executor.
#include <benchmark/benchmark.h>

#include <map>
#include <vector>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/generate/generate.hpp"
#include "fathom/graph/build.hpp"

namespace fathom {
namespace {

constexpr int kScale = 18;
constexpr int kThreads = 2;

const Context& context() {
  static const Context ctx = [] {
    CpuOptions options;
    options.threads = kThreads;
    return Context::cpu(options);
  }();
  return ctx;
}

/// Built once for each kind and residency.
const Graph& graph(generate::Kind kind, ResidencyOptions::Kind residency) {
  static std::map<std::pair<generate::Kind, ResidencyOptions::Kind>, Graph> graphs;
  const auto key = std::pair(kind, residency);
  if (const auto found = graphs.find(key); found != graphs.end()) return found->second;
  generate::Spec spec;
  spec.kind = kind;
  spec.scale = kScale;
  spec.weights = generate::WeightRange{};
  const generate::Generator generator(spec);
  graph::BuildOptions build;
  build.undirected = build.weighted = true;
  auto built = graph::build(
      generator.vertices(),
      [&](const auto& consume) {
        std::vector<Edge> edges(generator.edges());
        std::vector<Weight> weights(generator.edges());
        generator.fill(0, edges, weights);
        consume(edges, weights);
      },
      build);
  ResidencyOptions options;
  options.kind = residency;
  options.paging.frames = built.out.edges() * sizeof(VertexId) / options.paging.page_bytes / 10 + 1;
  return graphs.emplace(key, make_graph(context(), std::move(built), false, options)).first->second;
}

void Bfs(benchmark::State& state, generate::Kind kind, ResidencyOptions::Kind residency) {
  const Graph& g = graph(kind, residency);
  VertexId source = 1;
  for (auto _ : state) {
    const BfsResult result = bfs(context(), g, {&source, 1});
    state.counters["reached"] = result.reached;
    source = source * 7919 % g.vertices();
  }
}
BENCHMARK_CAPTURE(Bfs, rmat_resident, generate::Kind::Rmat, ResidencyOptions::Kind::Auto)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(Bfs, uniform_resident, generate::Kind::Uniform, ResidencyOptions::Kind::Auto)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(Bfs, rmat_streamed, generate::Kind::Rmat, ResidencyOptions::Kind::Stream)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace fathom
