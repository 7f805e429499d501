#include "fathom/store/export/export.hpp"

#include <fmt/format.h>

#include "fathom/core/temp_file.hpp"
#include "fathom/io/input_file.hpp"
#include "fathom/store/export/writers.hpp"
#include "fathom/store/first_order.hpp"
#include "fathom/store/make/permute.hpp"

namespace fathom::store {
namespace {

std::uint64_t write_as(GraphFormat format, const WrittenGraph& graph, io::ByteSink& sink) {
  switch (format) {
    case GraphFormat::Tsv:
      return write_edge_list(graph, '\t', sink);
    case GraphFormat::Csv:
      return write_edge_list(graph, ',', sink);
    case GraphFormat::MatrixMarket:
      return write_matrix_market(graph, sink);
    case GraphFormat::Npz:
      return write_npz(graph, sink);
    case GraphFormat::Sg:
      return write_gap(graph, false, sink);
    case GraphFormat::Wsg:
      return write_gap(graph, true, sink);
  }
  throw Error(ErrorCode::Internal, "a format without a writer");
}

bool is_edge_list(GraphFormat format) {
  return format == GraphFormat::Tsv || format == GraphFormat::Csv;
}

/// Vertices that are in no edge; unset when in-edges would have to be looked for.
std::optional<VertexId> count_isolated(const StoreFile& file, const Task& task) {
  const Header& header = file.layout().header;
  if (!header.symmetric && !header.has_in_edges) return {};
  const auto out = StoredLists::open(file, Lists::Out);
  const auto in = header.symmetric ? nullptr : StoredLists::open(file, Lists::In);
  std::vector<EdgeId> of_in;
  VertexId isolated = 0;
  std::uint64_t first = 0;
  each_offset_piece(*out, task, [&](std::span<const EdgeId> of_out) {
    of_in.assign(of_out.begin(), of_out.end());
    if (in) in->offsets(first, of_in);
    for (std::size_t i = 1; i < of_out.size(); ++i)
      if (of_out[i] == of_out[i - 1] && of_in[i] == of_in[i - 1]) ++isolated;
    first += of_out.size() - 1;
  });
  return isolated;
}

/// `sections` are of a file whose ids are rows, or say which vertex has which row.
ExportReport write_graph(MappedSections& sections, io::ByteSink& sink,
                         const ExportOptions& options) {
  const StoreFile& file = sections.file();
  ExportReport report;
  report.header = file.layout().header;
  report.weights_left_out = report.header.weighted && options.format == GraphFormat::Sg;
  if (is_edge_list(options.format)) report.isolated = count_isolated(file, options.task);
  LabelTable labels(sections);
  const auto out = StoredLists::open(file, Lists::Out);
  report.written = write_as(options.format, {file, labels, options.task, *out}, sink);
  options.task.check();
  sink.finish();
  return report;
}

/// Puts a reordered file back into the order of its labels.
void restore_order(const StoreFile& file, TempFile& restored, const ExportOptions& options) {
  FirstOrder order = first_order(file.path(), MemoryPool::unlimited());
  order.vertex = {};
  PermuteOptions permuting;
  permuting.memory = options.memory;
  permuting.threads = options.threads;
  permuting.task = options.task;
  permute_to_csr(file, AtomicFile(restored, file.path()), order.row.span(), permuting);
}

}  // namespace

ExportReport export_graph(const std::string& input, io::ByteSink& output,
                          const ExportOptions& options) {
  MappedSections sections(input);
  if (!sections.layout().find(SectionId::Permutation))
    return write_graph(sections, output, options);
  TempFile restored{""};
  restore_order(sections.file(), restored, options);
  MappedSections in_order(restored, input);
  return write_graph(in_order, output, options);
}

ExportReport export_files(const std::vector<std::string>& inputs, io::ByteSink& output,
                          const ExportOptions& options, const ConvertOptions& convert) {
  TempFile made{""};
  const std::string name = io::input_name(inputs.front());
  fathom::store::convert(inputs, AtomicFile(made, name), convert);
  MappedSections sections(made, name);
  return write_graph(sections, output, options);
}

}  // namespace fathom::store
