// METIS graphs (METIS 5 manual, section 4.1.1): "VERTICES EDGES [FMT [NCON]]", then one line per
// vertex with its neighbours, ids from 1, '%' comments. An empty line is an isolated vertex. Lines
// may be of any length, so this reader walks tokens and keeps its place between rounds.

#include <fmt/format.h>

#include <algorithm>

#include "fathom/io/formats/formats.hpp"
#include "fathom/io/formats/lines_reader.hpp"
#include "fathom/io/input_error.hpp"
#include "fathom/io/numbers.hpp"
#include "fathom/io/text_input.hpp"

namespace fathom::io {
namespace {

struct MetisHeader {
  std::uint64_t vertices = 0, edges = 0;
  std::uint64_t vertex_fields = 0;  // size and weights before the neighbours
  bool weighted = false;
  TextBody body;
};

bool is_metis_comment(std::string_view line) {
  const std::size_t at = line.find_first_not_of(" \t");
  return at != std::string_view::npos && line[at] == '%';
}

MetisHeader parse_header_line(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.size() < 2 || words.size() > 4)
    throw LineError{"METIS counts (VERTICES EDGES [FMT [NCON]])", std::string(line), ""};
  MetisHeader header;
  header.vertices = count_or_fail(words[0], "a number of vertices");
  header.edges = count_or_fail(words[1], "a number of edges");
  if (words.size() < 3) return header;
  const std::string_view format = words[2];
  if (format.size() > 3 || format.find_first_not_of("01") != std::string_view::npos)
    throw LineError{"a METIS format of up to three digits 0 or 1", std::string(format), ""};
  const auto flag = [&](std::size_t from_right) {
    return format.size() > from_right && format[format.size() - 1 - from_right] == '1';
  };
  const std::uint64_t constraints =
      words.size() == 4 ? count_or_fail(words[3], "a number of vertex weights") : 1;
  header.weighted = flag(0);
  header.vertex_fields = (flag(1) ? constraints : 0) + (flag(2) ? 1 : 0);
  return header;
}

MetisHeader parse_metis_header(const Head& head) {
  const std::vector<HeadLine> lines = lines_of(head);
  for (const HeadLine& line : lines) {
    if (is_metis_comment(line.text)) continue;
    try {
      MetisHeader header = parse_header_line(line.text);
      header.body = {head.file, line.after, line.number + 1};
      return header;
    } catch (const LineError& error) {
      fail_line(head.file.name, line.number, error);
    }
  }
  fail_line(head.file.name, lines.size() + 1, {"METIS counts", "", ""});
}

/// Where in the file the token walk stands.
class Walk {
 public:
  explicit Walk(const MetisHeader& header) : header_(header), line_(header.body.first_line) {}

  void parse(std::span<const char> text, ParsedPiece& piece) {
    for (std::size_t at = 0; at < text.size();) {
      const char c = text[at];
      if (c == '\n') {
        end_line();
        ++at;
      } else if (comment_ || is_blank(c) || (c == '\r' && text[at + 1] == '\n')) {
        ++at;
      } else if (c == '%' && line_start_) {
        comment_ = true;
      } else {
        const auto* const end =
            std::find_if(text.data() + at, text.data() + text.size(),
                         [](char e) { return is_blank(e) || e == '\n' || e == '\r'; });
        const std::string_view token(&text[at], static_cast<std::size_t>(end - &text[at]));
        on_token(token, piece);
        at += std::max<std::size_t>(1, token.size());
      }
    }
  }

  std::uint64_t line() const { return line_; }
  std::uint64_t vertex_lines() const { return vertex_ - 1; }

 private:
  void end_line() {
    if (!comment_) {
      if (field_ < header_.vertex_fields && !line_start_)
        throw LineError{"the weights of a vertex", "the end of the line", ""};
      if (weight_next_) throw LineError{"an edge weight", "the end of the line", ""};
      ++vertex_;
    }
    comment_ = false;
    line_start_ = true;
    field_ = 0;
    ++line_;
  }

  void on_token(std::string_view token, ParsedPiece& piece) {
    line_start_ = false;
    if (vertex_ > header_.vertices)
      throw LineError{fmt::format("the end after {} vertex lines", header_.vertices),
                      std::string(token), ""};
    if (field_ < header_.vertex_fields) {
      parse_weight(token);
      ++field_;
    } else if (weight_next_) {
      piece.weight.push(parse_weight(token));
      add_entry(piece);
      weight_next_ = false;
    } else {
      neighbour_ = id_within(token, 1, header_.vertices);
      weight_next_ = header_.weighted;
      if (!weight_next_) add_entry(piece);
    }
  }

  void add_entry(ParsedPiece& piece) const {
    piece.source.push(vertex_);
    piece.target.push(neighbour_);
  }

  const MetisHeader& header_;
  std::uint64_t line_;
  std::uint64_t vertex_ = 1;  // whose line it is
  std::uint64_t field_ = 0;   // vertex sizes and weights read in this line
  std::uint64_t neighbour_ = 0;
  bool line_start_ = true, comment_ = false, weight_next_ = false;
};

void reserve_entries(ParsedPiece& piece, std::size_t bytes) {
  const std::size_t most = bytes / 2 + 1;  // a digit and a blank
  piece.source.reserve(most);
  piece.target.reserve(most);
  piece.weight.reserve(most);
}

class MetisReader final : public EdgeReader {
 public:
  MetisReader(InputTraits traits, MetisHeader header, const ReadOptions& options)
      : traits_(std::move(traits)), header_(std::move(header)), options_(options) {}
  const InputTraits& traits() const override { return traits_; }

  void read(EdgeSink sink) override {
    options_.task.begin("reading", traits_.bytes, "B");
    TextRounds rounds(header_.body, round_bytes(options_), true);
    Walk walk(header_);
    ParsedPiece piece;
    std::uint64_t entries = 0;
    for (std::span<char> text = rounds.next(); !text.empty(); text = rounds.next()) {
      reserve_entries(piece, text.size());
      parse(walk, text, piece);
      entries += piece.source.size();
      const EdgeBatch batch = piece.batch();
      sink(std::span(&batch, 1));
      options_.task.at(rounds.consumed());
    }
    finish(walk, entries);
    options_.task.end();
  }

 private:
  void parse(Walk& walk, std::span<const char> text, ParsedPiece& piece) const {
    try {
      walk.parse(text, piece);
    } catch (const LineError& error) {
      fail_line(header_.body.file.name, walk.line(), error);
    }
  }

  void finish(const Walk& walk, std::uint64_t entries) const {
    if (walk.vertex_lines() < header_.vertices)
      fail_file(header_.body.file.name, fmt::format("expected {} vertex lines, found {}",
                                                    header_.vertices, walk.vertex_lines()));
    check_entries(header_.body.file.name, traits_, entries);
  }

  InputTraits traits_;
  MetisHeader header_;
  ReadOptions options_;
};

/// Whether each entry between vertices up to `last` has its reverse.
bool is_symmetric(const ParsedPiece& piece, std::uint64_t last) {
  using Entry = std::pair<std::uint64_t, std::uint64_t>;
  std::vector<Entry> forward, backward;
  for (std::size_t i = 0; i < piece.source.size(); ++i) {
    const std::uint64_t u = piece.source.span()[i], v = piece.target.span()[i];
    if (v > last) continue;
    forward.emplace_back(u, v);
    backward.emplace_back(v, u);
  }
  std::sort(forward.begin(), forward.end());
  std::sort(backward.begin(), backward.end());
  return forward == backward;
}

}  // namespace

bool could_be_metis(const Head& head) {
  const std::vector<HeadLine> lines = lines_of(head);
  const auto first = std::find_if(lines.begin(), lines.end(), [](const HeadLine& line) {
    return !is_metis_comment(line.text);
  });
  if (first == lines.end()) return false;
  try {
    MetisHeader header = parse_header_line(first->text);
    header.body = {head.file, first->after, first->number + 1};
    std::string text = head.content.substr(first->after, lines.back().after - first->after);
    if (!text.empty() && text.back() != '\n') text += '\n';
    ParsedPiece piece;
    reserve_entries(piece, text.size());
    Walk walk(header);
    walk.parse(text, piece);
    const std::uint64_t entries = piece.source.size();
    const bool complete = walk.vertex_lines() >= header.vertices && entries == 2 * header.edges;
    if (head.whole ? !complete : entries > 2 * header.edges) return false;
    // An entry takes two bytes at least.
    if (head.compression.empty() && head.bytes < 4 * header.edges) return false;
    return is_symmetric(piece, walk.vertex_lines());
  } catch (const LineError&) {
    return false;
  }
}

ReaderPtr open_metis(const Head& head, const ReadOptions& options) {
  const MetisHeader header = parse_metis_header(head);
  InputTraits traits;
  traits.format = Format::Metis;
  traits.compression = head.compression;
  traits.weighted = header.weighted;
  traits.directed = false;
  traits.declared_vertices = header.vertices;
  traits.first_id = 1;
  traits.declared_edges = 2 * header.edges;
  traits.bytes = head.bytes;
  return std::make_unique<MetisReader>(traits, header, options);
}

}  // namespace fathom::io
