// Matrix Market, coordinate form (Boisvert, Pozo, Remington: The Matrix Market Exchange Formats,
// NISTIR 5935). Entry (i, j) is an edge from i to j. In a skew-symmetric matrix a_ij = -a_ji, so an
// entry stands for one edge in the direction in which its value is positive.

#include <algorithm>
#include <array>
#include <string>

#include "fathom/io/formats/edge_list_layout.hpp"
#include "fathom/io/formats/formats.hpp"
#include "fathom/io/formats/lines_reader.hpp"
#include "fathom/io/input_error.hpp"
#include "fathom/io/numbers.hpp"

namespace fathom::io {
namespace {

struct MatrixHeader {
  bool values = false;  // entries have a third column
  bool symmetric = false;
  bool skew = false;
  std::uint64_t rows = 0, entries = 0;
  TextBody body;
};

void parse_banner(std::string_view line, MatrixHeader& header) {
  const std::vector<std::string_view> words = words_of(line);
  const auto word = [&](std::size_t i) { return i < words.size() ? lower(words[i]) : ""; };
  const auto refuse = [&](const char* expected, std::size_t i) {
    throw LineError{expected, i < words.size() ? std::string(words[i]) : "", ""};
  };
  if (word(0) != "%%matrixmarket") refuse("%%MatrixMarket", 0);
  if (word(1) != "matrix") refuse("a matrix", 1);
  if (word(2) != "coordinate") refuse("a sparse matrix (coordinate)", 2);
  if (word(3) != "pattern" && word(3) != "real" && word(3) != "integer" && word(3) != "double")
    refuse("values of kind pattern, real or integer", 3);
  if (word(4) != "general" && word(4) != "symmetric" && word(4) != "skew-symmetric")
    refuse("a general, symmetric or skew-symmetric matrix", 4);
  header.values = word(3) != "pattern";
  header.symmetric = word(4) == "symmetric";
  header.skew = word(4) == "skew-symmetric";
  if (header.skew && !header.values) refuse("values in a skew-symmetric matrix", 3);
}

void parse_sizes(std::string_view line, MatrixHeader& header) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.size() != 3) throw LineError{"rows, columns and entries", std::string(line), ""};
  header.rows = count_or_fail(words[0], "a number of rows");
  header.entries = count_or_fail(words[2], "a number of entries");
  if (count_or_fail(words[1], "a number of columns") != header.rows)
    throw LineError{"a square matrix", std::string(line), ""};
}

MatrixHeader parse_matrix_header(const Head& head) {
  MatrixHeader header;
  const std::vector<HeadLine> lines = lines_of(head);
  for (const HeadLine& line : lines) {
    try {
      if (line.number == 1) {
        parse_banner(line.text, header);
      } else if (!is_comment(line.text) && !is_blank_line(line.text)) {
        parse_sizes(line.text, header);
        header.body = {head.file, line.after, line.number + 1};
        return header;
      }
    } catch (const LineError& error) {
      fail_line(head.file.name, line.number, error);
    }
  }
  fail_line(head.file.name, lines.size() + 1, {"rows, columns and entries", "", ""});
}

class MatrixParser final : public LineParser {
 public:
  MatrixParser(const MatrixHeader& header, bool weighted) : header_(header), weighted_(weighted) {}

  void parse(std::span<char> text, ParsedPiece& piece) const override {
    constexpr std::size_t kShortestLine = 4;  // "1 2\n"
    const std::size_t most = text.size() / kShortestLine + 1;
    piece.source.reserve(most);
    piece.target.reserve(most);
    if (weighted_) piece.weight.reserve(most);
    for_each_line(text, piece, [&](char* begin, char* end) { parse_line(begin, end, piece); });
  }

 private:
  void parse_line(char* begin, char* end, ParsedPiece& piece) const {
    if (parse_plain(begin, end, piece)) return;
    const std::string_view line(begin, static_cast<std::size_t>(end - begin));
    if (is_blank_line(line) || is_comment(line)) return;
    const Fields fields = split(begin, end, Separator::Blanks);
    if (fields.count != (header_.values ? 3 : 2))
      throw LineError{header_.values ? "row, column and value" : "row and column",
                      std::string(line), ""};
    std::uint64_t row = id_within(fields.field[0], 1, header_.rows);
    std::uint64_t column = id_within(fields.field[1], 1, header_.rows);
    if (weighted_) {
      Weight value = value_of(fields.field[2]);
      if (header_.skew && row == column && value != 0)
        throw LineError{"zero on the diagonal of a skew-symmetric matrix", std::string(line), ""};
      if (header_.skew && value < 0) {
        std::swap(row, column);
        value = -value;
      }
      piece.weight.push(value);
    }
    piece.source.push(row);
    piece.target.push(column);
  }

  /// The common case, fast: whole numbers in range; else nothing is done.
  bool parse_plain(const char* begin, const char* end, ParsedPiece& piece) const {
    std::array<std::uint64_t, 3> number{};
    if (header_.skew || scan_ids(begin, end, number) != (header_.values ? 3 : 2)) return false;
    // Wraps at 0: out of range as well.
    if (std::max(number[0] - 1, number[1] - 1) >= header_.rows) return false;
    if (weighted_) {
      if (number[2] > kExactIntegers) return false;
      piece.weight.push(static_cast<Weight>(number[2]));
    }
    piece.source.push(number[0]);
    piece.target.push(number[1]);
    return true;
  }

  Weight value_of(std::string_view token) const {
    try {
      return parse_weight(token);
    } catch (LineError& error) {
      error.hint = "--third-column ignore reads the structure alone";
      throw;
    }
  }

  MatrixHeader header_;
  bool weighted_;
};

}  // namespace

ReaderPtr open_matrix_market(const Head& head, const ReadOptions& options) {
  const MatrixHeader header = parse_matrix_header(head);
  InputTraits traits;
  traits.format = Format::MatrixMarket;
  traits.compression = head.compression;
  // The values of a skew-symmetric matrix also say the direction: never ignored.
  traits.weighted = header.values && (header.skew || options.third_column != ThirdColumn::Ignore);
  traits.directed = !header.symmetric;
  traits.half_stored = header.symmetric;
  traits.declared_vertices = header.rows;
  traits.first_id = 1;
  traits.declared_edges = header.entries;
  traits.bytes = head.bytes;
  return std::make_unique<LinesReader>(
      traits, header.body, std::make_unique<MatrixParser>(header, traits.weighted), options);
}

}  // namespace fathom::io
