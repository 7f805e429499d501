// Binary CSR: SciPy's .npz, and the GAP benchmark suite's .sg and .wsg as io/formats/gap.cpp
// describes them.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "fathom/core/units.hpp"
#include "fathom/io/npy_header.hpp"
#include "fathom/io/zip_writer.hpp"
#include "fathom/store/export/writers.hpp"

namespace fathom::store {
namespace {

constexpr std::uint64_t kMostInt32 = std::numeric_limits<std::int32_t>::max();

template <class T>
void append_raw(T value, std::string& out) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// As a signed integer of 4 bytes, or of 8.
void append_signed(std::uint64_t value, bool wide, std::string& out) {
  if (wide)
    append_raw(static_cast<std::int64_t>(value), out);
  else
    append_raw(static_cast<std::int32_t>(value), out);
}

void append_offsets(StoredLists& lists, const Task& task, bool wide, io::SinkBuffer& out) {
  append_signed(0, wide, out.buffer());
  each_offset_piece(lists, task, [&](std::span<const EdgeId> piece) {
    for (const EdgeId offset : piece.subspan(1)) {
      append_signed(offset, wide, out.buffer());
      out.flush_if_full();
    }
  });
}

/// Calls append(page, i) for every edge.
template <class Append>
void append_edges(StoredLists& lists, const Task& task, std::string_view phase, io::SinkBuffer& out,
                  const Append& append) {
  task.begin(phase, lists.edges(), "edges");
  EdgePages pages(lists);
  while (pages.next()) {
    for (std::size_t i = 0; i < pages.target.size(); ++i) {
      append(pages, i);
      out.flush_if_full();
    }
    task.at(pages.past());
  }
  task.end();
}

/// The members of an .npz archive.
class NpzWriter {
 public:
  explicit NpzWriter(io::ByteSink& sink) : archive_(sink) {}

  /// An array of `bytes` bytes that fill(buffer) appends. `type` and `shape` as Python has them.
  template <class Fill>
  void array(std::string_view name, std::string_view type, const std::string& shape,
             std::uint64_t bytes, const Fill& fill) {
    const std::string header = io::npy_header(fmt::format("'{}'", type), shape);
    archive_.begin(fmt::format("{}.npy", name), header.size() + bytes);
    MemberSink member(archive_);
    io::SinkBuffer out(member);
    out.buffer() = header;
    fill(out);
    out.flush();
    member.finish();
  }
  void finish() { archive_.finish(); }

 private:
  class MemberSink final : public io::ByteSink {
   public:
    explicit MemberSink(io::ZipWriter& archive) : archive_(archive) {}
    void write(std::span<const std::byte> bytes) override { archive_.write(bytes); }
    void finish() override { archive_.end(); }

   private:
    io::ZipWriter& archive_;
  };

  io::ZipWriter archive_;
};

[[noreturn]] void refuse_weight(const WrittenGraph& graph, const EdgePages& pages, std::size_t i) {
  std::string edge;
  graph.labels.append_of_row(pages.source[i], edge);
  edge += " to ";
  graph.labels.append_of_row(pages.target[i], edge);
  throw Error(ErrorCode::Usage,
              fmt::format("{}: the edge from {} weighs {}: .wsg holds integers of at most {}; "
                          "other formats hold every weight, .sg none",
                          graph.file.path(), edge, pages.weight[i], kMostInt32));
}

/// The neighbours of all lists; of .wsg with weights.
void append_neighbours(const WrittenGraph& graph, StoredLists& lists, bool weighted,
                       io::SinkBuffer& out) {
  append_offsets(lists, graph.task, true, out);
  append_edges(lists, graph.task, "writing", out, [&](const EdgePages& pages, std::size_t i) {
    append_signed(pages.target[i], false, out.buffer());
    if (!weighted) return;
    const Weight weight = pages.weight[i];
    if (weight < 0 || weight >= static_cast<Weight>(kMostInt32) || weight != std::floor(weight))
      refuse_weight(graph, pages, i);
    append_signed(static_cast<std::uint64_t>(weight), false, out.buffer());
  });
}

void check_gap(const WrittenGraph& graph, bool weighted) {
  const Header& header = graph.header();
  if (weighted && !header.weighted)
    throw Error(ErrorCode::Usage,
                graph.file.path() + " has no weights, which .wsg holds: .sg has none");
  if (header.vertices > kMostInt32)
    throw Error(ErrorCode::DoesNotFit,
                fmt::format("{} has {} vertices: .sg and .wsg have ids for {}", graph.file.path(),
                            format_count(header.vertices), format_count(kMostInt32)));
  if (header.directed && !header.symmetric && !header.has_in_edges)
    throw Error(ErrorCode::Usage, graph.file.path() +
                                      " has no in-edges, which .sg and .wsg hold: it was made with "
                                      "--no-in-edges");
}

}  // namespace

std::uint64_t write_npz(const WrittenGraph& graph, io::ByteSink& sink) {
  const Header& header = graph.header();
  // As SciPy chooses them: of 4 bytes while everything fits.
  const bool wide = header.vertices > kMostInt32 || header.edges > kMostInt32;
  const std::string_view integers = wide ? "<i8" : "<i4";
  const std::uint64_t integer_bytes = wide ? 8 : 4;
  const auto one_dimension = [](std::uint64_t length) { return fmt::format("({},)", length); };
  const std::string entries = one_dimension(header.edges);
  NpzWriter npz(sink);
  npz.array("indices", integers, entries, header.edges * integer_bytes, [&](io::SinkBuffer& out) {
    append_edges(graph.out, graph.task, "writing targets", out,
                 [&](const EdgePages& pages, std::size_t i) {
                   append_signed(pages.target[i], wide, out.buffer());
                 });
  });
  const std::uint64_t offsets = std::uint64_t{header.vertices} + 1;
  npz.array("indptr", integers, one_dimension(offsets), offsets * integer_bytes,
            [&](io::SinkBuffer& out) { append_offsets(graph.out, graph.task, wide, out); });
  npz.array("format", "|S3", "()", 3, [&](io::SinkBuffer& out) { out.buffer() += "csr"; });
  npz.array("shape", "<i8", "(2,)", 16, [&](io::SinkBuffer& out) {
    for (int i = 0; i < 2; ++i) append_signed(header.vertices, true, out.buffer());
  });
  // Truth values say that there is an edge, and nothing of weights.
  const std::uint64_t value_bytes = header.weighted ? sizeof(Weight) : 1;
  npz.array("data", header.weighted ? "<f4" : "|b1", entries, header.edges * value_bytes,
            [&](io::SinkBuffer& out) {
              append_edges(graph.out, graph.task, "writing values", out,
                           [&](const EdgePages& pages, std::size_t i) {
                             if (header.weighted)
                               append_raw(pages.weight[i], out.buffer());
                             else
                               out.buffer() += '\1';
                           });
            });
  npz.finish();
  return header.edges;
}

std::uint64_t write_gap(const WrittenGraph& graph, bool weighted, io::ByteSink& sink) {
  check_gap(graph, weighted);
  const Header& header = graph.header();
  io::SinkBuffer out(sink);
  out.buffer() += header.directed ? '\1' : '\0';
  append_signed(header.edges, true, out.buffer());
  append_signed(header.vertices, true, out.buffer());
  append_neighbours(graph, graph.out, weighted, out);
  if (header.directed) {
    // The lists of a symmetric graph are their own transpose.
    const auto in = StoredLists::open(graph.file, header.has_in_edges ? Lists::In : Lists::Out);
    append_neighbours(graph, *in, weighted, out);
  }
  out.flush();
  return header.edges;
}

}  // namespace fathom::store
