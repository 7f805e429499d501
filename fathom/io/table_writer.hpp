// Tables that are not one row per vertex: text with a header line, whole or not at all.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fathom/io/byte_sink.hpp"

namespace fathom::io {

/// Quotes what was appended to `out` since `first`, as in CSV, when it would not be read as one
/// field: it holds the separator or a line's end, begins with a quote or as comments do, or begins
/// or ends with a blank.
FATHOM_API void quote_if_needed(std::string& out, std::size_t first, char separator);

/// Separated by tabs when the path ends in .tsv, by commas when in .csv.
class FATHOM_API TableWriter {
 public:
  /// @throws Error(Usage) for another suffix; Error(Io).
  explicit TableWriter(const std::string& path);
  TableWriter(std::unique_ptr<ByteSink> sink, char separator);

  void field(std::string_view text);
  void field(std::uint64_t number);
  void end_row();
  /// The file appears. Without it nothing does.
  void commit();

 private:
  void flush();

  char separator_;
  std::unique_ptr<ByteSink> sink_;
  bool in_row_ = false;
  std::string buffer_;
};

/// Told by the suffix .tsv or .csv; ask before long work. @throws Error(Usage) for others.
FATHOM_API char table_separator(const std::string& path);

}  // namespace fathom::io
