// From a generator to a file: in memory when the graph fits the bound, by external sort when not.
#include "fathom/core/parallel.hpp"
#include "fathom/store/graph_output.hpp"

namespace fathom::store {
namespace {

using graph::BuildOptions;

// Calls consume(edges, weights) for a whole generated graph, filled in parallel.
template <class Consume>
void produce(const generate::Generator& generator, const BuildOptions& build,
             const Consume& consume) {
  constexpr std::size_t kBlock = std::size_t{1} << 17, kGrain = std::size_t{1} << 13;
  const int workers = worker_count(build.threads);
  std::vector<Edge> edges(kBlock);
  std::vector<Weight> weights(generator.weighted() ? kBlock : 0);
  for (EdgeId at = 0; at < generator.edges(); at += kBlock) {
    const std::size_t n = std::min<EdgeId>(kBlock, generator.edges() - at);
    const std::span<Edge> edge = std::span(edges).first(n);
    const std::span<Weight> weight = std::span(weights).first(weights.empty() ? 0 : n);
    parallel_for(workers, n, kGrain, [&](std::size_t first, std::size_t last, int) {
      generator.fill(at + first, edge.subspan(first, last - first),
                     weight.empty() ? weight : weight.subspan(first, last - first));
    });
    consume(std::span<const Edge>(edge), std::span<const Weight>(weight));
  }
}

// Whether graph::build stays within `memory`: its buckets or the first CSR beside those of the
// second one, offsets, and the blocks it works on.
bool fits_in_memory(const generate::Generator& generator, const BuildOptions& build,
                    std::size_t memory) {
  const EdgeId records = generator.edges() * (build.undirected ? 2 : 1);
  const std::uint64_t record_bytes = build.weighted ? 24 : 14;
  constexpr std::uint64_t kBlocks = std::uint64_t{64} << 20;
  return records * record_bytes + 20 * std::uint64_t{generator.vertices()} + kBlocks <= memory;
}

}  // namespace

Header generate(const generate::Generator& generator, const std::string& output,
                const ConvertOptions& options) {
  const std::size_t memory = data_memory(options.build.memory);
  const bool undirected = options.undirected.value_or(false);
  Output file(output, options, !undirected, generator.weighted());
  BuildOptions build = options.build;
  build.undirected = undirected;
  build.weighted = generator.weighted();
  build.memory = memory;
  if (fits_in_memory(generator, build, memory)) {
    file.write_built(graph::build(
        generator.vertices(), [&](const auto& consume) { produce(generator, build, consume); },
        build));
    return file.commit(memory);
  }
  graph::StreamBuilder builder(build);
  EdgeId done = 0;
  build.task.begin("generating", generator.edges(), "edges");
  produce(generator, build, [&](auto edges, auto weights) {
    builder.push(edges, weights);
    build.task.at(done += edges.size());
  });
  build.task.end();
  file.write_lists(builder, generator.vertices(), nullptr);
  return file.commit(memory);
}

}  // namespace fathom::store
