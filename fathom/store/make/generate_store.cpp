// From a generator to a file: the lists of a range of sources at a time (graph/range_build.hpp), or
// by external sort where so many ranges would be needed that producing the edges again takes
// longer.
#include "fathom/core/parallel.hpp"
#include "fathom/graph/range_build.hpp"
#include "fathom/store/make/graph_output.hpp"
#include "fathom/store/make/pack_writer.hpp"
#include "fathom/store/section_hash.hpp"

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

// Lists on their way into packed sections: what ListSections is for plain ones. Unweighted.
class PackedSections {
 public:
  PackedSections(PackWriter& pack, Lists which, VertexId vertices)
      : pack_(pack), which_(which), vertices_(vertices) {}
  void announce(EdgeId edges) { edges_ = edges; }
  void offsets(std::span<const EdgeId> piece) {
    open();
    pack_.offsets(piece);
  }
  template <class Targets, class Weights>
  void make_edges(EdgeId n, int workers, const Targets& targets, const Weights&) {
    open();
    constexpr std::size_t kGrain = std::size_t{1} << 14, kPerWorker = std::size_t{1} << 17;
    const EdgeId most = kPerWorker * static_cast<EdgeId>(workers);
    for (EdgeId at = 0; at < n; at += most) {
      target_.resize(static_cast<std::size_t>(std::min(most, n - at)));
      parallel_for(workers, target_.size(), kGrain, [&](std::size_t first, std::size_t last, int) {
        targets(at + first, std::span(target_).subspan(first, last - first));
      });
      hash_.append(std::as_bytes(std::span(target_)));
      pack_.edges(target_, {});
    }
    written_ += n;
  }
  void finish() {
    open();
    pack_.end();
  }
  EdgeId edges_written() const { return written_; }
  std::uint64_t hash() { return hash_.finish(); }

 private:
  void open() {
    if (!opened_) pack_.begin(which_, vertices_, false, edges_);
    opened_ = true;
  }

  PackWriter& pack_;
  Lists which_;
  VertexId vertices_;
  std::optional<EdgeId> edges_;
  bool opened_ = false;
  EdgeId written_ = 0;
  std::vector<VertexId> target_;
  SectionHash hash_;
};

// Writes lists by ranges, weights as they pass.
class RangeWriter {
 public:
  RangeWriter(const generate::Generator& generator, const BuildOptions& build)
      : generator_(generator), build_(build) {}

  template <class Sections>
  void write(Sections& sections, const SortedRange& range) const {
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

// Whether it could be done, and faster than by sorting. sections(lists) makes those of a direction.
template <class MakeSections, class Finished>
bool write_by_ranges(const generate::Generator& generator, BuildOptions build, Output& file,
                     const MakeSections& sections, const Finished& finished) {
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
  auto out = sections(Lists::Out);
  if (build.duplicates == graph::Duplicates::Keep) out.announce(builder.records());
  out.offsets(std::span(&zero, 1));
  builder.out_lists([&](const SortedRange& range) { writer.write(out, range); });
  out.finish();
  finished(out);
  header.report = builder.report();
  header.symmetric = header.report.happens_symmetric;
  if (!want_in) return true;
  auto in = sections(Lists::In);
  in.announce(out.edges_written());
  in.offsets(std::span(&zero, 1));
  builder.in_lists([&](const SortedRange& range) { writer.write(in, range); });
  in.finish();
  return true;
}

BuildOptions build_options(const generate::Generator& generator, const ConvertOptions& options) {
  BuildOptions build = options.build;
  build.undirected = options.undirected.value_or(false);
  build.weighted = generator.weighted();
  build.memory = data_memory(options.build.memory);
  return build;
}

Header generate_csr(const generate::Generator& generator, AtomicFile output,
                    const ConvertOptions& options) {
  const BuildOptions build = build_options(generator, options);
  Output file(std::move(output), options, !build.undirected, build.weighted);
  const auto sections = [&](Lists which) {
    return ListSections(file.writer(), which, generator.vertices(), build.weighted);
  };
  if (!write_by_ranges(generator, build, file, sections, [](ListSections&) {}))
    write_by_sorting(generator, build, file);
  return file.commit(build.memory);
}

/// Straight into packed lists, without the lists in CSR anywhere; nothing where that cannot be
/// done.
std::optional<Header> generate_packed(const generate::Generator& generator,
                                      const std::string& output, const ConvertOptions& options) {
  if (generator.weighted() || options.triangle_lists || options.interleave_weights) return {};
  BuildOptions build = build_options(generator, options);
  Output file(AtomicFile(output), options, !build.undirected, false);
  const int workers = workers_within(build.threads, build.memory / 4);
  PackWriter pack(file.writer(), workers, {}, build.task);
  const std::size_t packing = static_cast<std::size_t>(workers) << 22;
  if (packing > build.memory / 2) return {};
  build.memory -= packing;
  ContentHashes content;
  const auto sections = [&](Lists which) {
    return PackedSections(pack, which, generator.vertices());
  };
  const auto finished = [&](PackedSections& out) { content.targets = out.hash(); };
  file.header().packed = pack.layout(generator.vertices());
  if (!write_by_ranges(generator, build, file, sections, finished)) return {};
  return file.commit(build.memory, &content);
}

}  // namespace

Header generate(const generate::Generator& generator, const std::string& output,
                const ConvertOptions& options) {
  const bool together = options.slotted || options.narrow;  // which is refused
  if (options.packed && !together)
    if (auto header = generate_packed(generator, output, options)) return *std::move(header);
  if (!options.slotted && !options.packed && !options.narrow)
    return generate_csr(generator, AtomicFile(output), options);
  return make_repacked(output, options, [&](AtomicFile lists) {
    generate_csr(generator, std::move(lists), options);
  });
}

}  // namespace fathom::store
