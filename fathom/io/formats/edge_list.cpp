// Edge lists in text: two or three columns in the layout that edge_list_layout.cpp found.

#include <algorithm>

#include "fathom/io/formats/edge_list_layout.hpp"
#include "fathom/io/formats/formats.hpp"
#include "fathom/io/input_error.hpp"
#include "fathom/io/numbers.hpp"
#include "fathom/io/text_input.hpp"

namespace fathom::io {
namespace {

std::uint64_t id_or_fail(std::string_view token) {
  std::uint64_t id = 0;
  const char* expected = "an integer id";
  switch (parse_id(token, id)) {
    case IdText::Id:
      return id;
    case IdText::TooLarge:
      expected = "an id below 2^64";
      break;
    case IdText::Negative:
      expected = "an id that is not negative";
      break;
    case IdText::NotANumber:
      break;
  }
  throw LineError{expected, std::string(token), "--labels strings takes any id"};
}

std::string_view label_or_fail(std::string_view token) {
  if (token.empty()) throw LineError{"a vertex label", "", ""};
  return token;
}

class EdgeListParser final : public LineParser {
 public:
  explicit EdgeListParser(const EdgeListLayout& layout) : layout_(layout) {}

  void parse(std::span<char> text, ParsedPiece& piece) const override {
    constexpr std::size_t kShortestLine = 4;  // "1 2\n"
    const std::size_t most = text.size() / kShortestLine + 1;
    if (layout_.string_labels) {
      piece.source_label.reserve(most);
      piece.target_label.reserve(most);
    } else {
      piece.source.reserve(most);
      piece.target.reserve(most);
    }
    if (layout_.weighted) piece.weight.reserve(most);
    const bool plain = !layout_.string_labels && layout_.columns == (layout_.weighted ? 3 : 2);
    char* const end = text.data() + text.size();
    for (char* p = text.data(); p != end; ++piece.lines) {
      if (plain && parse_plain(p, piece)) continue;
      const auto rest = std::span(p, end).first(static_cast<std::size_t>(end - p));
      char* const newline = static_cast<char*>(std::memchr(p, '\n', rest.size()));
      parse_any(p, newline != p && newline[-1] == '\r' ? newline - 1 : newline, piece);
      p = newline + 1;
    }
  }

 private:
  bool skip_separator(const char*& p) const {
    const char* const first = p;
    while (is_blank(*p)) ++p;
    if (layout_.separator == Separator::Blanks || layout_.separator == Separator::Tab)
      return p != first;
    if (*p != static_cast<char>(layout_.separator)) return false;
    ++p;
    while (is_blank(*p)) ++p;
    return true;
  }

  /// The common case, fast: unsigned integers only. Moves past the line, or leaves everything as
  /// it was. The newline at the end of the text stops every loop.
  bool parse_plain(char*& line, ParsedPiece& piece) const {
    std::uint64_t source = 0, target = 0, weight = 0;
    const char* p = line;
    while (is_blank(*p)) ++p;
    if (!scan_id(p, source) || !skip_separator(p) || !scan_id(p, target)) return false;
    if (layout_.weighted && (!skip_separator(p) || !scan_id(p, weight) || weight > kExactIntegers))
      return false;
    while (is_blank(*p)) ++p;
    if (*p == '\r') ++p;
    if (*p != '\n') return false;
    piece.source.push(source);
    piece.target.push(target);
    if (layout_.weighted) piece.weight.push(static_cast<Weight>(weight));
    line += p + 1 - line;
    return true;
  }

  void parse_any(char* begin, char* end, ParsedPiece& piece) const {
    const std::string_view line(begin, static_cast<std::size_t>(end - begin));
    if (is_comment(line) || is_blank_line(line)) return;
    const std::string_view original = line;
    const Fields fields = split(begin, end, layout_.separator);
    if (fields.count != layout_.columns)
      throw LineError{std::to_string(layout_.columns) + " columns, as in the first line",
                      std::string(original), ""};
    if (layout_.string_labels) {
      const std::string_view source = label_or_fail(fields.field[0]);
      piece.target_label.push(label_or_fail(fields.field[1]));
      piece.source_label.push(source);
    } else {
      const std::uint64_t source = id_or_fail(fields.field[0]);
      piece.target.push(id_or_fail(fields.field[1]));
      piece.source.push(source);
    }
    if (layout_.weighted) piece.weight.push(parse_weight(fields.field[2]));
  }

  EdgeListLayout layout_;
};

class EdgeListReader final : public EdgeReader {
 public:
  EdgeListReader(const std::vector<Head>& parts, const ReadOptions& options) : options_(options) {
    traits_.format = Format::EdgeList;
    traits_.compression = parts.front().compression;
    for (const Head& part : parts) {
      traits_.bytes += part.bytes;
      const EdgeListLayout layout = layout_of(part, options);
      const std::optional<HeadLine> header = header_line(part, options);
      TextBody body{part.file, part.body, 1};
      if (header) body = {part.file, header->after, header->number + 1};
      if (layout_.columns == 0)
        layout_ = layout;
      else if (layout.columns != 0)
        check_like_first(part, layout);
      bodies_.push_back({body, part.bytes});
    }
    // A part with string labels makes labels strings everywhere.
    traits_.string_labels = layout_.string_labels;
    traits_.weighted = layout_.weighted;
    traits_.directed = layout_.directed;
    traits_.half_stored = layout_.directed == false;
  }

  const InputTraits& traits() const override { return traits_; }

  void read(EdgeSink sink) override {
    options_.task.begin("reading", traits_.bytes, "B");
    std::uint64_t before = 0;
    for (const auto& [body, bytes] : bodies_) {
      parse_lines(body, EdgeListParser(layout_), options_, before, sink);
      before += bytes;
    }
    options_.task.end();
  }

 private:
  struct Part {
    TextBody body;
    std::uint64_t bytes;
  };

  void check_like_first(const Head& part, const EdgeListLayout& layout) {
    if (layout.columns != layout_.columns || layout.weighted != layout_.weighted)
      fail_file(part.file.name, "expected the same columns as in " +
                                    bodies_.front().body.file.name + ", found others");
    if (layout.separator != layout_.separator)
      fail_file(part.file.name, "expected the same separator as in " +
                                    bodies_.front().body.file.name + ", found another");
    layout_.string_labels = layout_.string_labels || layout.string_labels;
  }

  ReadOptions options_;
  EdgeListLayout layout_;
  std::vector<Part> bodies_;
  InputTraits traits_;
};

}  // namespace

ReaderPtr open_edge_list(const std::vector<Head>& parts, const ReadOptions& options) {
  return std::make_unique<EdgeListReader>(parts, options);
}

}  // namespace fathom::io
