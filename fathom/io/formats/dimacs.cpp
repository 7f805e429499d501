// The text format of the 9th DIMACS implementation challenge (shortest paths): "c" comments, one
// "p sp VERTICES ARCS" line, then "a TAIL HEAD WEIGHT" lines; ids from 1.

#include <algorithm>
#include <array>

#include "fathom/io/formats/edge_list_layout.hpp"
#include "fathom/io/formats/formats.hpp"
#include "fathom/io/formats/lines_reader.hpp"
#include "fathom/io/input_error.hpp"
#include "fathom/io/numbers.hpp"

namespace fathom::io {
namespace {

bool is_skipped(std::string_view line) {
  return is_blank_line(line) || (line[0] == 'c' && (line.size() == 1 || is_blank(line[1])));
}

class ArcParser final : public LineParser {
 public:
  explicit ArcParser(std::uint64_t vertices) : vertices_(vertices) {}

  void parse(std::span<char> text, ParsedPiece& piece) const override {
    constexpr std::size_t kShortestLine = 8;  // "a 1 2 3\n"
    const std::size_t most = text.size() / kShortestLine + 1;
    piece.source.reserve(most);
    piece.target.reserve(most);
    piece.weight.reserve(most);
    for_each_line(text, piece, [&](char* begin, char* end) { parse_line(begin, end, piece); });
  }

 private:
  void parse_line(char* begin, char* end, ParsedPiece& piece) const {
    if (parse_plain(begin, end, piece)) return;
    const std::string_view line(begin, static_cast<std::size_t>(end - begin));
    if (is_skipped(line)) return;
    const Fields fields = split(begin, end, Separator::Blanks);
    if (fields.count != 4 || fields.field[0] != "a")
      throw LineError{"an arc (a TAIL HEAD WEIGHT)", std::string(line), ""};
    const std::uint64_t tail = id_within(fields.field[1], 1, vertices_);
    const std::uint64_t target = id_within(fields.field[2], 1, vertices_);
    piece.weight.push(parse_weight(fields.field[3]));
    piece.source.push(tail);
    piece.target.push(target);
  }

  /// The common case, fast: whole numbers in range; else nothing is done.
  bool parse_plain(const char* begin, const char* end, ParsedPiece& piece) const {
    std::array<std::uint64_t, 3> number{};
    if (end - begin < 2 || *begin != 'a' || !is_blank(begin[1])) return false;
    if (scan_ids(begin + 1, end, number) != 3 || number[2] > kExactIntegers) return false;
    // Wraps at 0: out of range as well.
    if (std::max(number[0] - 1, number[1] - 1) >= vertices_) return false;
    piece.weight.push(static_cast<Weight>(number[2]));
    piece.source.push(number[0]);
    piece.target.push(number[1]);
    return true;
  }

  std::uint64_t vertices_;
};

/// The problem line's counts go to `traits`; true when `line` is one.
bool parse_problem(std::string_view line, InputTraits& traits) {
  if (is_skipped(line)) return false;
  const std::vector<std::string_view> words = words_of(line);
  if (words.size() != 4 || words[0] != "p" || words[1] != "sp")
    throw LineError{"a problem line (p sp VERTICES ARCS)", std::string(line), ""};
  traits.declared_vertices = count_or_fail(words[2], "a number of vertices");
  traits.declared_edges = count_or_fail(words[3], "a number of arcs");
  return true;
}

}  // namespace

ReaderPtr open_dimacs(const Head& head, const ReadOptions& options) {
  InputTraits traits;
  traits.format = Format::Dimacs;
  traits.compression = head.compression;
  traits.weighted = true;
  traits.directed = true;
  traits.first_id = 1;
  traits.bytes = head.bytes;
  const std::vector<HeadLine> lines = lines_of(head);
  for (const HeadLine& line : lines) {
    try {
      if (!parse_problem(line.text, traits)) continue;
    } catch (const LineError& error) {
      fail_line(head.file.name, line.number, error);
    }
    return std::make_unique<LinesReader>(traits, TextBody{head.file, line.after, line.number + 1},
                                         std::make_unique<ArcParser>(*traits.declared_vertices),
                                         options);
  }
  fail_line(head.file.name, lines.size() + 1, {"a problem line (p sp VERTICES ARCS)", "", ""});
}

}  // namespace fathom::io
