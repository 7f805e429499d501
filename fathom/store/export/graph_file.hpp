// Which other formats a graph can be written in, told by a file's name.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "fathom/io/byte_sink.hpp"

namespace fathom::store {

enum class GraphFormat {
  Tsv,  // edge lists: source, target and, if weighted, weight, under a line that says so
  Csv,
  MatrixMarket,  // coordinate; rows and columns are dense ids from 1
  Npz,           // a CSR matrix, as scipy.sparse.load_npz reads
  Sg,            // the GAP benchmark suite's, without weights
  Wsg,           // the same with integer weights
};

/// In the order of GraphFormat: as suffixes have them.
inline constexpr std::array<std::string_view, 6> kGraphFormats = {"tsv", "csv", "mtx",
                                                                  "npz", "sg",  "wsg"};

struct GraphFile {
  GraphFormat format = GraphFormat::Tsv;
  io::Compression compression = io::Compression::None;
};

constexpr std::string_view name_of(GraphFormat format) {
  return kGraphFormats[static_cast<std::size_t>(format)];
}
FATHOM_API std::optional<GraphFormat> graph_format_named(std::string_view name);

/// What a name that ends in one of the formats' suffixes, and .gz or .zst or neither, asks for.
FATHOM_API std::optional<GraphFile> graph_file_of(std::string_view path);

}  // namespace fathom::store
