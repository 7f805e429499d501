// The path of an edge into a file: reader -> dense ids -> external sort -> sections.
//
// Integer ids below what a bitmap can hold are sorted as they are, while the bitmap fills: ranks
// keep their order, so the sorted edges are renumbered on their way out, and one reading suffices.
// Other labels go through graph::LabelMapper.
#include "fathom/store/convert.hpp"

#include <unistd.h>

#include <cstdio>

#include "fathom/core/parallel.hpp"
#include "fathom/core/units.hpp"
#include "fathom/graph/id_set.hpp"
#include "fathom/graph/labels.hpp"
#include "fathom/graph/stream_build.hpp"
#include "fathom/graph/temp_file.hpp"
#include "fathom/store/list_sections.hpp"

namespace fathom::store {
namespace {

using graph::BuildOptions;

// What a memory bound leaves for data: the program itself, and a mebibyte for each section that is
// being written, are part of what the operating system counts.
std::size_t data_memory(std::size_t bound) {
  constexpr std::size_t kLeast = std::size_t{32} << 20, kSections = std::size_t{9} << 20;
  constexpr std::size_t kMostProgram = std::size_t{15} << 20;
  if (bound < kLeast)
    throw Error(ErrorCode::DoesNotFit, "a memory bound of " + format_bytes(bound) +
                                           " is too small; at least " + format_bytes(kLeast) +
                                           " are needed");
  std::size_t pages = 0, resident = 0;
  if (std::FILE* statm = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(statm, "%zu %zu", &pages, &resident) != 2) resident = 0;
    std::fclose(statm);
  }
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bound - kSections - std::min(resident * page, kMostProgram);
}

// Sections that come after the labels, and the header.
class Output {
 public:
  Output(const std::string& path, const ConvertOptions& options, bool directed, bool weighted)
      : writer_(path), options_(options) {
    if (options.interleave_weights && !weighted)
      throw Error(ErrorCode::Usage, "interleaved weights were asked for, but there are no weights");
    header_.directed = directed;
    header_.policies = options.build;
    header_.policies.undirected = !directed;
    header_.policies.weighted = weighted;
    header_.provenance = options.provenance;
  }

  StoreWriter& writer() { return writer_; }
  Header& header() { return header_; }

  /// Streams the sorted edges out of `builder`; `relabel` may be null.
  void write_lists(graph::StreamBuilder& builder, VertexId vertices, graph::Relabel* relabel) {
    header_.vertices = vertices;
    ListSections out(writer_, Lists::Out, vertices, header_.policies.weighted);
    InSections in(writer_, vertices, header_.policies.weighted, out);
    const bool want_in = header_.directed && options_.build.in_edges;
    header_.report = relabel ? builder.finish(vertices, out, want_in ? &in : nullptr, *relabel)
                             : builder.finish(vertices, out, want_in ? &in : nullptr);
    header_.symmetric = header_.report.happens_symmetric;
  }

  Header commit(std::size_t memory) {
    if (options_.interleave_weights) writer_.append_pairs();
    if (options_.triangle_lists) {
      BuildOptions sorting = options_.build;
      sorting.memory = memory;
      write_oriented_lists(writer_, header_.vertices, header_.symmetric, sorting);
    }
    options_.build.task.check();
    return writer_.commit(header_);
  }

 private:
  // In-lists have as many edges as the out-lists, which are finished before the first of them.
  class InSections final : public graph::ListSink {
   public:
    InSections(StoreWriter& writer, VertexId vertices, bool weighted, const ListSections& out)
        : sections_(writer, Lists::In, vertices, weighted), out_(out) {}
    void offsets(std::span<const EdgeId> offset) override {
      sections_.announce(out_.edges_written());
      sections_.offsets(offset);
    }
    void edges(std::span<const VertexId> target, std::span<const Weight> weight) override {
      sections_.announce(out_.edges_written());
      sections_.edges(target, weight);
    }
    void finish() override { sections_.finish(); }

   private:
    ListSections sections_;
    const ListSections& out_;
  };

  StoreWriter writer_;
  const ConvertOptions& options_;
  Header header_;
};

class Conversion {
 public:
  Conversion(const std::vector<std::string>& inputs, const std::string& output,
             const ConvertOptions& options)
      : inputs_(inputs), options_(options), memory_(data_memory(options.build.memory)) {
    io::ReadOptions read = options.read;
    read.buffer_bytes =
        std::min(read.buffer_bytes, std::clamp(memory_ / 8, kLeastBuffer, kMostBuffer));
    memory_ -= std::min(read.buffer_bytes, memory_ / 8);
    reader_ = io::open_edges(inputs, read);
    traits_ = reader_->traits();
    undirected_ = options.undirected.value_or(traits_.directed == false);
    output_.emplace(output, options, !undirected_, traits_.weighted);
  }

  Header run() {
    if (traits_.string_labels || !sort_small_ids()) sort_any_labels();
    // A file that stores both directions of an undirected graph had better have both.
    if (undirected_ && !output_->header().symmetric)
      throw Error(ErrorCode::BadInput,
                  inputs_.front() +
                      ": the graph is undirected, but an edge lacks its reverse of "
                      "equal weight; --directed reads the file as it is");
    return output_->commit(memory_);
  }

 private:
  static constexpr std::size_t kLeastBuffer = std::size_t{1} << 20,
                               kMostBuffer = std::size_t{64} << 20;
  struct TooSparse {};  // thrown through the reader: an id is beyond the bitmap

  BuildOptions build_options(std::size_t memory) const {
    BuildOptions build = options_.build;
    // Files that say they are undirected have both directions, unless half-stored.
    const bool has_both = traits_.directed == false && !traits_.half_stored;
    build.undirected = undirected_ && !has_both;
    build.half_stored = traits_.half_stored;
    build.weighted = traits_.weighted;
    build.memory = memory;
    return build;
  }

  // Whether all ids fit a bitmap, or none is needed because the file declares its vertices.
  bool sort_small_ids() {
    const bool declared = traits_.declared_vertices.has_value();
    if (declared) check_declared(*traits_.declared_vertices);
    graph::IdSet ids(declared ? 0 : memory_ / 8);
    graph::StreamBuilder builder(build_options(declared ? memory_ : memory_ - memory_ / 8));
    try {
      reader_->read([&](const io::EdgeBatch& batch) {
        for (std::uint64_t id : batch.vertex) add_id(ids, id);
        push_small_ids(batch, ids, builder);
      });
    } catch (const TooSparse&) {
      return false;
    }
    reader_.reset();
    std::uint64_t base = traits_.first_id;
    auto vertices = static_cast<VertexId>(traits_.declared_vertices.value_or(0));
    if (!declared) {
      ids.seal();
      vertices = ids.size();
      base = vertices > 0 ? ids.first() : 0;
      if (!ids.contiguous()) {
        set_labels(LabelKind::Integers, 0);
        ids.for_each([&](auto piece) { output_->writer().append_labels(piece); });
        finish_labels(SectionId::LabelIntegers);
        auto to_rank = [&](std::span<VertexId> piece) {
          for (VertexId& id : piece) id = ids.rank(id);
        };
        graph::Relabel relabel(to_rank);
        output_->write_lists(builder, vertices, &relabel);
        return true;
      }
    }
    set_contiguous(vertices, base);
    // push_small_ids has subtracted a declared base already.
    auto shift = [&](std::span<VertexId> piece) {
      for (VertexId& id : piece) id -= static_cast<VertexId>(base);
    };
    graph::Relabel relabel(shift);
    output_->write_lists(builder, vertices, declared || base == 0 ? nullptr : &relabel);
    return true;
  }

  static void add_id(graph::IdSet& ids, std::uint64_t id) {
    if (id >= ids.capacity()) [[unlikely]]
      throw TooSparse();
    ids.add(id);
  }

  void push_small_ids(const io::EdgeBatch& batch, graph::IdSet& ids,
                      graph::StreamBuilder& builder) {
    constexpr std::size_t kPiece = 8192;  // stays in the first-level cache on its way
    const std::uint64_t declared = traits_.declared_vertices.value_or(0);
    const std::uint64_t first = traits_.first_id;
    for (std::size_t at = 0; at < batch.source.size(); at += kPiece) {
      const std::size_t n = std::min(kPiece, batch.source.size() - at);
      edges_.resize(n);
      for (std::size_t i = 0; i < n; ++i) {
        std::uint64_t u = batch.source[at + i], v = batch.target[at + i];
        if (traits_.declared_vertices) {
          u -= first;  // wraps below first: out of range as well
          v -= first;
          if (u >= declared || v >= declared) [[unlikely]]
            refuse_id(u >= declared ? u + first : v + first);
        } else {
          add_id(ids, u);
          add_id(ids, v);
        }
        edges_[i] = {static_cast<VertexId>(u), static_cast<VertexId>(v)};
      }
      builder.push(edges_, batch.weight.empty() ? batch.weight : batch.weight.subspan(at, n));
    }
  }

  void sort_any_labels() {
    graph::LabelOptions label_options{memory_ / 4 * 3, traits_.weighted,
                                      options_.build.temp_directory, options_.build.threads,
                                      options_.build.task};
    std::optional<graph::LabelMapper> mapper(label_options);
    reader_->read([&](const io::EdgeBatch& batch) {
      char a[8], b[8];
      for (std::uint64_t id : batch.vertex) mapper->add_vertex(graph::encode_integer(id, a));
      for (std::string_view label : batch.vertex_label) mapper->add_vertex(label);
      for (std::size_t i = 0; i < batch.source.size(); ++i)
        mapper->add_edge(graph::encode_integer(batch.source[i], a),
                         graph::encode_integer(batch.target[i], b),
                         batch.weight.empty() ? 1 : batch.weight[i]);
      for (std::size_t i = 0; i < batch.source_label.size(); ++i)
        mapper->add_edge(batch.source_label[i], batch.target_label[i],
                         batch.weight.empty() ? 1 : batch.weight[i]);
    });
    reader_.reset();
    const VertexId vertices =
        traits_.string_labels ? number_strings(*mapper) : number_integers(*mapper);
    // Translating takes 8 bytes per label of a dictionary, in which each took at least 40.
    graph::StreamBuilder builder(build_options(memory_ / 4 * 3));
    mapper->for_each_edge([&](auto edges, auto weights) { builder.push(edges, weights); });
    mapper.reset();
    output_->write_lists(builder, vertices, nullptr);
  }

  VertexId number_strings(graph::LabelMapper& mapper) {
    set_labels(LabelKind::Strings, 0);
    const VertexId vertices =
        mapper.finish([&](std::string_view label) { output_->writer().append_label(label); });
    finish_labels(SectionId::LabelBytes);
    return vertices;
  }

  // Whether the integers need a table is only known when all are: they wait in a file.
  VertexId number_integers(graph::LabelMapper& mapper) {
    graph::TempFile file(options_.build.temp_directory);
    graph::TempWriter<std::uint64_t> spool(file);
    std::uint64_t first = 0, last = 0, count = 0;
    const VertexId vertices = mapper.finish([&](std::string_view label) {
      last = graph::decode_integer(label);
      if (count++ == 0) first = last;
      spool.push(last);
    });
    spool.flush();
    if (count == 0 || last - first == count - 1) {
      set_contiguous(vertices, first);
      return vertices;
    }
    set_labels(LabelKind::Integers, 0);
    graph::TempReader<std::uint64_t> labels(file, 0, count);
    for (auto piece = labels.next(); !piece.empty(); piece = labels.next())
      output_->writer().append_labels(piece);
    finish_labels(SectionId::LabelIntegers);
    return vertices;
  }

  void set_labels(LabelKind kind, std::uint64_t base) {
    output_->header().labels = kind;
    output_->header().label_base = base;
  }
  void set_contiguous(VertexId vertices, std::uint64_t base) {
    if (vertices == 0) base = 0;
    set_labels(base == 0 ? LabelKind::Identity : LabelKind::Offset, base);
  }
  // Leaves the end of the file to the sections that follow.
  void finish_labels(SectionId largest) { output_->writer().section(largest).finish(); }

  void check_declared(std::uint64_t declared) const {
    if (declared >= kNoVertex)
      throw Error(ErrorCode::DoesNotFit,
                  inputs_.front() + ": " + format_count(declared) + " vertices are more than the " +
                      format_count(kNoVertex - 1) + " that this build of Fathom can hold");
  }
  [[noreturn]] void refuse_id(std::uint64_t id) const {
    throw Error(ErrorCode::BadInput, inputs_.front() + ": expected vertices from " +
                                         std::to_string(traits_.first_id) + " on, " +
                                         std::to_string(traits_.declared_vertices.value_or(0)) +
                                         " of them, found '" + std::to_string(id) + "'");
  }

  const std::vector<std::string>& inputs_;
  const ConvertOptions& options_;
  std::size_t memory_;
  std::unique_ptr<io::EdgeReader> reader_;
  io::InputTraits traits_;
  bool undirected_ = false;
  std::optional<Output> output_;
  std::vector<Edge> edges_;
};

}  // namespace

Header convert(const std::vector<std::string>& inputs, const std::string& output,
               const ConvertOptions& options) {
  return Conversion(inputs, output, options).run();
}

Header generate(const generate::Generator& generator, const std::string& output,
                const ConvertOptions& options) {
  const std::size_t memory = data_memory(options.build.memory);
  const bool undirected = options.undirected.value_or(false);
  Output file(output, options, !undirected, generator.weighted());
  BuildOptions build = options.build;
  build.undirected = undirected;
  build.weighted = generator.weighted();
  build.memory = memory;
  const int workers = worker_count(build.threads);
  graph::StreamBuilder builder(build);
  {
    constexpr std::size_t kBlock = std::size_t{1} << 17, kGrain = std::size_t{1} << 13;
    std::vector<Edge> edges(kBlock);
    std::vector<Weight> weights(generator.weighted() ? kBlock : 0);
    build.task.begin("generating", generator.edges(), "edges");
    for (EdgeId at = 0; at < generator.edges(); at += kBlock) {
      const std::size_t n = std::min<EdgeId>(kBlock, generator.edges() - at);
      const std::span<Edge> edge = std::span(edges).first(n);
      const std::span<Weight> weight = std::span(weights).first(weights.empty() ? 0 : n);
      parallel_for(workers, n, kGrain, [&](std::size_t first, std::size_t last, int) {
        generator.fill(at + first, edge.subspan(first, last - first),
                       weight.empty() ? weight : weight.subspan(first, last - first));
      });
      builder.push(edge, weight);
      build.task.at(at + n);
    }
    build.task.end();
  }
  file.write_lists(builder, generator.vertices(), nullptr);
  return file.commit(memory);
}

}  // namespace fathom::store
