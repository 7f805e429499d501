// A .fg file in a format of others, in bounded memory.
//
// The lists are read in order, a page at a time, and written as they come. Only a reordered file
// is first put back into the order of its labels, as a file without a name in $TMPDIR.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fathom/store/export/graph_file.hpp"
#include "fathom/store/make/convert.hpp"

namespace fathom::store {

struct ExportOptions {
  GraphFormat format = GraphFormat::Tsv;
  std::size_t memory = std::size_t{4} << 30;  // of putting a reordered file in order
  int threads = 0;
  Task task;
};

struct ExportReport {
  Header header;              // of the graph that was written
  std::uint64_t written = 0;  // edges in the file
  /// Vertices without edges, which edge lists cannot name; unset where that was not looked at.
  std::optional<VertexId> isolated;
  bool weights_left_out = false;  // the format has none
};

/// Writes the graph of a .fg file into `output` and finishes that. What the formats hold is
/// described in docs/formats.md; fields of edges and vertices are in none.
/// @throws Error(Usage) for what the format cannot hold, Error(DoesNotFit), Error(BadInput),
///         Error(Io), Error(Interrupted).
FATHOM_API ExportReport export_graph(const std::string& input, io::ByteSink& output,
                                     const ExportOptions& options);

/// The same of files that are no .fg file, which `convert` says how to read: by way of one without
/// a name in $TMPDIR.
FATHOM_API ExportReport export_files(const std::vector<std::string>& inputs, io::ByteSink& output,
                                     const ExportOptions& options, const ConvertOptions& convert);

}  // namespace fathom::store
