// LDBC Graphalytics: one vertex id per line in .v, "source target [weight]" per line in .e.

#include <algorithm>

#include "fathom/io/formats/formats.hpp"
#include "fathom/io/input_error.hpp"
#include "fathom/io/numbers.hpp"
#include "fathom/io/text_input.hpp"

namespace fathom::io {
namespace {

class VertexParser final : public LineParser {
 public:
  explicit VertexParser(bool strings) : strings_(strings) {}

  void parse(std::span<char> text, ParsedPiece& piece) const override {
    const std::size_t most = text.size() / 2 + 1;  // "1\\n"
    if (strings_)
      piece.vertex_label.reserve(most);
    else
      piece.vertex.reserve(most);
    for_each_line(text, piece, [&](char* begin, char* end) {
      parse_line({begin, static_cast<std::size_t>(end - begin)}, piece);
    });
  }

 private:
  void parse_line(std::string_view line, ParsedPiece& piece) const {
    if (is_blank_line(line) || is_comment(line)) return;
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() != 1) throw LineError{"one vertex", std::string(line), ""};
    if (std::any_of(line.begin(), line.end(), is_control))
      throw LineError{"text", std::string(line), ""};
    if (strings_) return piece.vertex_label.push(words[0]);
    std::uint64_t id = 0;
    if (parse_id(words[0], id) != IdText::Id)
      throw LineError{"an integer id", std::string(words[0]), "--labels strings takes any id"};
    piece.vertex.push(id);
  }

  bool strings_;
};

class GraphalyticsReader final : public EdgeReader {
 public:
  GraphalyticsReader(const Head& vertices, ReaderPtr edges, const ReadOptions& options)
      : vertices_{vertices.file, vertices.body, 1},
        edges_(std::move(edges)),
        options_(options),
        traits_(edges_->traits()) {
    traits_.format = Format::Graphalytics;
    traits_.compression = vertices.compression;
    traits_.string_labels = options.labels == LabelMode::Strings;
    traits_.bytes += vertices.bytes;
  }

  const InputTraits& traits() const override { return traits_; }

  void read(EdgeSink sink) override {
    options_.task.begin("reading", traits_.bytes - edges_->traits().bytes, "B");
    parse_lines(vertices_, VertexParser(traits_.string_labels), options_, 0, sink);
    options_.task.end();
    edges_->read(sink);
  }

 private:
  TextBody vertices_;
  ReaderPtr edges_;
  ReadOptions options_;
  InputTraits traits_;
};

/// Columns of the first line with data.
std::size_t columns_of(const Head& head) {
  for (const HeadLine& line : lines_of(head))
    if (!is_comment(line.text) && !is_blank_line(line.text)) return words_of(line.text).size();
  return 0;
}

bool all_vertices_are_integers(const Head& head) {
  const std::vector<HeadLine> lines = lines_of(head);
  return std::all_of(lines.begin(), lines.end(), [](const HeadLine& line) {
    if (is_comment(line.text) || is_blank_line(line.text)) return true;
    std::uint64_t id = 0;
    return parse_id(words_of(line.text)[0], id) != IdText::NotANumber;
  });
}

}  // namespace

ReaderPtr open_graphalytics(const std::vector<Head>& pair, const ReadOptions& options) {
  if (pair.size() != 2)
    fail_file(pair.front().file.name, "expected a pair of files (.v and .e), found one file");
  const bool first_is_vertices = columns_of(pair[0]) == 1 || columns_of(pair[1]) > 1;
  const Head& vertices = pair[first_is_vertices ? 0 : 1];
  const Head& edges = pair[first_is_vertices ? 1 : 0];
  ReadOptions settled = options;
  settled.header = false;
  if (settled.third_column == ThirdColumn::Auto) settled.third_column = ThirdColumn::Weight;
  if (settled.labels == LabelMode::Auto) {
    const bool strings = !all_vertices_are_integers(vertices) ||
                         open_edge_list({edges}, settled)->traits().string_labels;
    settled.labels = strings ? LabelMode::Strings : LabelMode::None;
  }
  return std::make_unique<GraphalyticsReader>(vertices, open_edge_list({edges}, settled), settled);
}

}  // namespace fathom::io
