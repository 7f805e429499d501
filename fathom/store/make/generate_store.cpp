// From a generator to a file: the lists of a range of sources at a time (graph/range_build.hpp), or
// by external sort where so many ranges would be needed that producing the edges again takes
// longer.
#include "fathom/core/parallel.hpp"
#include "fathom/graph/range_build.hpp"
#include "fathom/store/make/graph_output.hpp"

namespace fathom::store {
namespace {

using graph::BuildOptions;
using graph::SortedRange;

// Ranges per worker beyond which sorting is faster: R-MAT of scale 21 with weights, where producing
// the edges once more takes a core a second and sorting them, mostly on one core, eleven.
constexpr std::size_t kMostPassesPerWorker = 8;

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

void write_by_sorting(const generate::Generator& generator, const BuildOptions& build,
                      Output& file) {
  graph::StreamBuilder builder(build);
  EdgeId done = 0;
  build.task.begin("generating", generator.edges(), "edges");
  produce(generator, build, [&](auto edges, auto weights) {
    builder.push(edges, weights);
    build.task.at(done += edges.size());
  });
  build.task.end();
  file.write_lists(builder, generator.vertices(), nullptr);
}

// Writes lists by ranges, weights as they pass.
class RangeWriter {
 public:
  RangeWriter(const generate::Generator& generator, const BuildOptions& build)
      : generator_(generator), build_(build) {}

  void write(ListSections& sections, const SortedRange& range) const {
    // Edges between two reports of progress: several blocks of each section for every worker.
    const EdgeId piece = static_cast<EdgeId>(build_.threads) << 21;
    sections.offsets(range.ends());
    build_.task.begin("writing edges", range.edges(), "edges");
    for (EdgeId at = 0; at < range.edges(); at += piece) {
      const EdgeId n = std::min(piece, range.edges() - at);
      auto targets = [&](EdgeId first, std::span<VertexId> target) {
        range.each(at + first, target.size(),
                   [&](std::size_t i, VertexId, VertexId v) { target[i] = v; });
      };
      auto weights = [&](EdgeId first, std::span<Weight> weight) {
        const generate::EdgeWeights weigh = generator_.weights();
        range.each(at + first, weight.size(),
                   [&](std::size_t i, VertexId u, VertexId v) { weight[i] = weigh(u, v); });
      };
      sections.make_edges(n, build_.threads, targets, weights);
      build_.task.at(at + n);
    }
    build_.task.end();
  }

 private:
  const generate::Generator& generator_;
  const BuildOptions& build_;
};

// Whether it could be done, and faster than by sorting.
bool write_by_ranges(const generate::Generator& generator, BuildOptions build, Output& file) {
  // Sums depend on how many duplicates there are.
  if (build.weighted && build.duplicates == graph::Duplicates::Sum) return false;
  build.threads = workers_within(build.threads, build.memory / 2);
  build.memory -= static_cast<std::size_t>(build.threads) * kBlockBytes;  // to write with
  graph::RangeBuilder builder(
      generator.vertices(), generator.edges(),
      [&](EdgeId first, std::span<Edge> edge) { generator.fill(first, edge); }, build);
  const bool want_in = !build.undirected && build.in_edges;
  const std::size_t most = kMostPassesPerWorker * static_cast<std::size_t>(build.threads);
  if (builder.passes() == 0 || builder.passes() > most * (want_in ? 2 : 1)) return false;
  Header& header = file.header();
  header.vertices = generator.vertices();
  const RangeWriter writer(generator, build);
  const EdgeId zero = 0;
  ListSections out(file.writer(), Lists::Out, header.vertices, build.weighted);
  if (build.duplicates == graph::Duplicates::Keep) out.announce(builder.records());
  out.offsets(std::span(&zero, 1));
  builder.out_lists([&](const SortedRange& range) { writer.write(out, range); });
  out.finish();
  header.report = builder.report();
  header.symmetric = header.report.happens_symmetric;
  if (!want_in) return true;
  ListSections in(file.writer(), Lists::In, header.vertices, build.weighted);
  in.announce(out.edges_written());
  in.offsets(std::span(&zero, 1));
  builder.in_lists([&](const SortedRange& range) { writer.write(in, range); });
  in.finish();
  return true;
}

Header generate_csr(const generate::Generator& generator, AtomicFile output,
                    const ConvertOptions& options) {
  const std::size_t memory = data_memory(options.build.memory);
  const bool undirected = options.undirected.value_or(false);
  Output file(std::move(output), options, !undirected, generator.weighted());
  BuildOptions build = options.build;
  build.undirected = undirected;
  build.weighted = generator.weighted();
  build.memory = memory;
  if (!write_by_ranges(generator, build, file)) write_by_sorting(generator, build, file);
  return file.commit(memory);
}

}  // namespace

Header generate(const generate::Generator& generator, const std::string& output,
                const ConvertOptions& options) {
  if (!options.slotted && !options.packed && !options.narrow)
    return generate_csr(generator, AtomicFile(output), options);
  return make_repacked(output, options, [&](AtomicFile lists) {
    generate_csr(generator, std::move(lists), options);
  });
}

}  // namespace fathom::store
