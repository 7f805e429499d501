// Tables that are not one row per vertex: text with a header line, whole or not at all.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "fathom/core/atomic_file.hpp"

namespace fathom::io {

/// Quotes what was appended to `out` since `first`, as in CSV, when it would not be read as one
/// field: it holds the separator or a line's end, or begins with a quote or as comments do.
FATHOM_API void quote_if_needed(std::string& out, std::size_t first, char separator);

/// Separated by tabs when the path ends in .tsv, by commas when in .csv.
class FATHOM_API TableWriter {
 public:
  /// @throws Error(Usage) for another suffix; Error(Io).
  explicit TableWriter(const std::string& path);

  void field(std::string_view text);
  void field(std::uint64_t number);
  void end_row();
  /// The file appears. Without it nothing does.
  void commit();

 private:
  void flush();

  char separator_;
  AtomicFile file_;
  bool in_row_ = false;
  std::string buffer_;
};

/// Told by the suffix .tsv or .csv; ask before long work. @throws Error(Usage) for others.
FATHOM_API char table_separator(const std::string& path);

}  // namespace fathom::io
