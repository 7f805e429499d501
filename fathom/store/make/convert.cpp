// The path of an edge into a file: reader -> dense ids -> external sort -> sections.
//
// Integer ids below what a bitmap can hold are sorted as they are, while the bitmap fills: ranks
// keep their order, so the sorted edges are renumbered on their way out, and one reading suffices.
// Other labels go through graph::LabelMapper.
#include "fathom/store/make/convert.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "fathom/core/parallel.hpp"
#include "fathom/core/temp_file.hpp"
#include "fathom/core/units.hpp"
#include "fathom/graph/label_mapper.hpp"
#include "fathom/io/input_file.hpp"
#include "fathom/store/format.hpp"
#include "fathom/store/make/edge_intake.hpp"
#include "fathom/store/make/graph_output.hpp"
#include "fathom/store/make/repack.hpp"

namespace fathom::store {
namespace {

using graph::BuildOptions;

class Conversion {
 public:
  /// `memory`: what is left for data beside the reader.
  Conversion(std::unique_ptr<io::EdgeReader> reader, std::string name, AtomicFile output,
             const ConvertOptions& options, std::size_t memory)
      : name_(std::move(name)), options_(options), memory_(memory), reader_(std::move(reader)) {
    traits_ = reader_->traits();
    if (options.build.duplicates == graph::Duplicates::Sum && !traits_.weighted)
      throw Error(ErrorCode::Usage, name_ + " has no weights that could be summed");
    undirected_ = options.undirected.value_or(traits_.directed == false);
    output_.emplace(std::move(output), options, !undirected_, traits_.weighted);
  }

  Header run() {
    if (traits_.string_labels || !sort_small_ids()) sort_any_labels();
    // A file that stores both directions of an undirected graph had better have both.
    if (undirected_ && !output_->header().symmetric)
      throw Error(ErrorCode::BadInput,
                  name_ +
                      ": the graph is undirected, but an edge lacks its reverse of "
                      "equal weight; --directed reads the file as it is");
    return output_->commit(memory_);
  }

 private:
  BuildOptions build_options(std::size_t memory) const {
    BuildOptions build = options_.build;
    // Files that say they are undirected have both directions, unless half-stored.
    const bool has_both = traits_.directed == false && !traits_.half_stored;
    build.undirected = undirected_ && !has_both;
    build.half_stored = traits_.half_stored;
    build.weighted = traits_.weighted;
    build.memory = memory - std::min(memory, output_->writer_bytes());
    build.input = name_;
    return build;
  }

  // Whether all ids fit a bitmap, or none is needed because the file declares its vertices.
  bool sort_small_ids() {
    const bool declared = traits_.declared_vertices.has_value();
    if (declared) check_declared(*traits_.declared_vertices);
    graph::IdSet ids(declared ? 0 : memory_ / 8);
    graph::StreamBuilder builder(build_options(declared ? memory_ : memory_ - memory_ / 8));
    try {
      EdgeIntake intake(traits_, name_, ids, builder, worker_count(options_.build.threads));
      reader_->read([&](std::span<const io::EdgeBatch> batches) { intake.take(batches); });
    } catch (const EdgeIntake::TooSparse&) {
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
    // The intake has subtracted a declared base already.
    auto shift = [&](std::span<VertexId> piece) {
      for (VertexId& id : piece) id -= static_cast<VertexId>(base);
    };
    graph::Relabel relabel(shift);
    output_->write_lists(builder, vertices, declared || base == 0 ? nullptr : &relabel);
    return true;
  }

  void sort_any_labels() {
    graph::LabelOptions label_options{memory_ / 4 * 3, traits_.weighted,
                                      options_.build.temp_directory, options_.build.threads,
                                      options_.build.task};
    std::optional<graph::LabelMapper> mapper(label_options);
    reader_->read([&](std::span<const io::EdgeBatch> batches) {
      for (const io::EdgeBatch& batch : batches) map_labels(batch, *mapper);
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

  static void map_labels(const io::EdgeBatch& batch, graph::LabelMapper& mapper) {
    char a[8], b[8];
    for (std::uint64_t id : batch.vertex) mapper.add_vertex(graph::encode_integer(id, a));
    for (std::string_view label : batch.vertex_label) mapper.add_vertex(label);
    for (std::size_t i = 0; i < batch.source.size(); ++i)
      mapper.add_edge(graph::encode_integer(batch.source[i], a),
                      graph::encode_integer(batch.target[i], b),
                      batch.weight.empty() ? 1 : batch.weight[i]);
    for (std::size_t i = 0; i < batch.source_label.size(); ++i)
      mapper.add_edge(batch.source_label[i], batch.target_label[i],
                      batch.weight.empty() ? 1 : batch.weight[i]);
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
    TempFile file(options_.build.temp_directory);
    TempWriter<std::uint64_t> spool(file);
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
    TempReader<std::uint64_t> labels(file, 0, count);
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
                  name_ + ": " + format_count(declared) + " vertices are more than the " +
                      format_count(kNoVertex - 1) + " that this build of Fathom can hold");
  }

  std::string name_;  // of the input, for messages
  const ConvertOptions& options_;
  std::size_t memory_;
  std::unique_ptr<io::EdgeReader> reader_;
  io::InputTraits traits_;
  bool undirected_ = false;
  std::optional<Output> output_;
};

}  // namespace

Header convert(const std::vector<std::string>& inputs, AtomicFile output,
               const ConvertOptions& options) {
  constexpr std::size_t kLeastBuffer = std::size_t{1} << 20, kMostBuffer = std::size_t{64} << 20;
  std::size_t memory = data_memory(options.build.memory);
  io::ReadOptions read = options.read;
  const std::size_t buffers =
      std::min(read.buffer_bytes, std::clamp(memory / 8, kLeastBuffer, kMostBuffer));
  // What a reader holds per edge, of which the intake takes at most 20 bytes, is 44 or more.
  read.buffer_bytes = std::max<std::size_t>(1, buffers / 3 * 2);
  memory -= std::min(buffers, memory / 8);
  return Conversion(io::open_edges(inputs, read), io::input_name(inputs.front()), std::move(output),
                    options, memory)
      .run();
}

Header convert(const std::vector<std::string>& inputs, const std::string& output,
               const ConvertOptions& options) {
  if (inputs.size() == 1 && is_store(inputs[0])) {
    if (options.undirected || options.triangle_lists)
      throw Error(ErrorCode::Usage, inputs[0] + " is a .fg file: its lists stay what they are");
    return repack(inputs[0], output,
                  {options.slotted, options.packed, options.narrow, options.build.in_edges,
                   options.interleave_weights, options.build.memory, options.build.threads,
                   options.provenance, options.build.task});
  }
  if (!options.slotted && !options.packed && !options.narrow)
    return convert(inputs, AtomicFile(output), options);
  return make_repacked(output, options,
                       [&](AtomicFile lists) { convert(inputs, std::move(lists), options); });
}

Header convert(std::unique_ptr<io::EdgeReader> reader, const std::string& name, AtomicFile output,
               const ConvertOptions& options) {
  if (options.slotted || options.packed || options.narrow)
    throw Error(ErrorCode::Usage, name +
                                      ": only the conversion of files makes slotted pages, "
                                      "packed or narrow lists");
  return Conversion(std::move(reader), name, std::move(output), options,
                    data_memory(options.build.memory))
      .run();
}

bool is_store(const std::string& path) {
  if (path == "-") return false;
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (error && status.type() == std::filesystem::file_type::none)
    throw_io_error(path, "look at", error.value());
  if (!std::filesystem::is_regular_file(status)) return false;  // what a pipe gives is gone
  char magic[sizeof(kMagic)] = {};
  std::ifstream file(path, std::ios::binary);
  file.read(magic, sizeof magic);
  if (file.bad()) throw_io_error(path, "read", errno);
  return file.gcount() == sizeof magic && std::memcmp(magic, kMagic, sizeof magic) == 0;
}

}  // namespace fathom::store
