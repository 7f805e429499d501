// What the columns of an edge list mean, decided once from the head of the file.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "fathom/io/formats/detect.hpp"
#include "fathom/io/reader.hpp"

namespace fathom::io {

enum class Separator : char { Blanks = ' ', Tab = '\t', Comma = ',', Semicolon = ';' };

/// The fields of a line; only the first few are kept, all are counted.
struct Fields {
  static constexpr int kKept = 4;
  std::array<std::string_view, kKept> field;
  int count = 0;
};

/// Splits a line (without its end). Blanks collapse; other separators count one by one and blanks
/// around fields are dropped. A field may be quoted ("a,b", with "" for a quote); quotes are
/// removed in place. @throws LineError for control characters and unfinished quotes.
Fields split(char* begin, char* end, Separator separator);

struct EdgeListLayout {
  Separator separator = Separator::Blanks;
  int columns = 0;  // 0: the input has no lines with data
  bool weighted = false;
  bool string_labels = false;
  std::optional<bool> directed;  // as a KONECT comment says
};

/// @throws Error(BadInput), with the option that settles an ambiguity.
EdgeListLayout layout_of(const Head& head, const ReadOptions& options);

/// The line after which edges begin, when the first line with data names columns.
std::optional<HeadLine> header_line(const Head& head, const ReadOptions& options);

}  // namespace fathom::io
