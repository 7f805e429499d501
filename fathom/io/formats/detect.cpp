#include "fathom/io/formats/detect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "fathom/io/byte_source.hpp"
#include "fathom/io/input_error.hpp"
#include "fathom/io/numbers.hpp"

namespace fathom::io {
namespace {

constexpr std::size_t kHeadBytes = std::size_t{64} << 10;
// What a .fg file begins with (store/format.hpp).
constexpr std::string_view kStore(
    "\x89"
    "FG\r\n\x1a\n",
    7);
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_binary(std::string_view content) {
  return std::any_of(content.begin(), content.end(),
                     [](char c) { return is_control(c) && c != '\n' && c != '\r'; });
}

/// DIMACS comments are lines that are "c" or begin with "c ".
bool is_dimacs_comment(std::string_view line) {
  return !line.empty() && line[0] == 'c' && (line.size() == 1 || is_blank(line[1]));
}

bool has_data(const Head& head) {
  const std::vector<HeadLine> lines = lines_of(head);
  return std::any_of(lines.begin(), lines.end(), [](const HeadLine& line) {
    return !is_blank_line(line.text) && !is_comment(line.text) && !is_dimacs_comment(line.text);
  });
}

bool is_dimacs(const Head& head) {
  for (const HeadLine& line : lines_of(head)) {
    if (is_blank_line(line.text) || is_dimacs_comment(line.text)) continue;
    const std::vector<std::string_view> words = words_of(line.text);
    return words.size() == 4 && words[0] == "p" && is_integer(words[2]) && is_integer(words[3]);
  }
  return false;
}

/// The number of columns of an edge list's first line with data; 0 without one.
std::size_t first_columns(const Head& head) {
  for (const HeadLine& line : lines_of(head)) {
    if (is_comment(line.text) || is_blank_line(line.text)) continue;
    return words_of(line.text).size();
  }
  return 0;
}

/// Whether every line with data has the same number of columns, two at least.
bool could_be_edge_list(const Head& head) {
  const std::size_t columns = first_columns(head);
  const std::vector<HeadLine> lines = lines_of(head);
  return columns >= 2 && columns <= 4 &&
         std::all_of(lines.begin(), lines.end(), [&](const HeadLine& line) {
           return is_comment(line.text) || is_blank_line(line.text) ||
                  words_of(line.text).size() == columns;
         });
}

/// The format of content that can be nothing else.
std::optional<Format> signature_of(const Head& head) {
  if (looks_like_zip(head)) return Format::Npz;
  if (head.content.rfind("%%MatrixMarket", head.body) == head.body) return Format::MatrixMarket;
  if (!is_binary(head.content) && is_dimacs(head)) return Format::Dimacs;
  return std::nullopt;
}

Format detect_binary(const Head& head) {
  if (looks_like_galois(head)) return Format::Galois;
  if (looks_like_gap(head)) return Format::Gap;
  if (std::string_view(head.content).substr(0, kStore.size()) == kStore)
    fail_byte(head.file.name, 0, "the beginning of a graph in a known format",
              "a .fg file, which is read by its name alone");
  fail_byte(head.file.name, 0, "the beginning of a graph in a known format",
            "binary data " + in_quotes(std::string_view(head.content).substr(0, 8)));
}

Format detect_text(const Head& head) {
  if (!could_be_metis(head)) return Format::EdgeList;
  if (could_be_edge_list(head))
    fail_file(
        head.file.name,
        "expected content that is only one format, found lines that could be METIS or an edge "
        "list (--format metis|edgelist settles it)");
  return Format::Metis;
}

}  // namespace

bool looks_like_text(const Head& head) {
  return !is_binary(head.content);
}

Head look_at(const InputFile& input, const ReadOptions& options) {
  Head head;
  head.file = input;
  const OpenedFile file = open_file(input);
  head.compression = file.compression;
  head.bytes = file.bytes;
  do {
    const std::size_t held = head.content.size();
    // Small content gets what it needs, and a byte more that shows its end.
    const std::size_t most = std::max(kHeadBytes, held);
    const auto more =
        static_cast<std::size_t>(std::min<std::uint64_t>(most - 1, file.content->most_left()) + 1);
    head.content.resize(held + more);
    const std::size_t n =
        file.content->read(std::as_writable_bytes(std::span(head.content)).subspan(held));
    head.content.resize(held + n);
    head.whole = n < more;
    if (head.content.rfind(kByteOrderMark, 0) == 0) head.body = kByteOrderMark.size();
    if (is_binary(head.content)) return head;
  } while (!head.whole && !has_data(head) && head.content.size() < options.buffer_bytes);
  return head;
}

std::vector<HeadLine> lines_of(const Head& head) {
  std::vector<HeadLine> lines;
  std::size_t at = head.body;
  while (at < head.content.size()) {
    std::size_t newline = head.content.find('\n', at);
    if (newline == std::string::npos) {
      if (!head.whole) break;
      newline = head.content.size();
    }
    std::string_view text = std::string_view(head.content).substr(at, newline - at);
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    at = std::min(newline + 1, head.content.size());
    lines.push_back({text, lines.size() + 1, at});
  }
  return lines;
}

bool is_blank_line(std::string_view line) {
  return std::all_of(line.begin(), line.end(), is_blank);
}

bool is_comment(std::string_view line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  return !line.empty() && (line[0] == '#' || line[0] == '%' ||
                           (line.size() > 1 && line[0] == '/' && line[1] == '/'));
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    while (at < line.size() && is_blank(line[at])) ++at;
    std::size_t end = at;
    while (end < line.size() && !is_blank(line[end])) ++end;
    if (end != at) words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

Format detect(const std::vector<Head>& heads, const ReadOptions& options) {
  if (heads.size() > 1) {
    if (options.format != Format::Auto) return options.format;
    const auto columns_of = [](const Head& head) {
      return is_binary(head.content) ? 0 : first_columns(head);
    };
    const std::size_t first = columns_of(heads[0]), second = columns_of(heads[1]);
    const bool pair = heads.size() == 2 && std::min(first, second) <= 1 &&
                      std::max(first, second) >= 1 && (first == 1) != (second == 1);
    return pair ? Format::Graphalytics : Format::EdgeList;
  }
  const Head& head = heads.front();
  if (head.content.empty())
    return options.format == Format::Auto ? Format::EdgeList : options.format;
  const std::optional<Format> certain = signature_of(head);
  if (options.format != Format::Auto) {
    if (certain && *certain != options.format)
      fail_file(head.file.name, fmt::format("expected the format {}, found {}",
                                            name_of(options.format), name_of(*certain)));
    return options.format;
  }
  if (certain) return *certain;
  return is_binary(head.content) ? detect_binary(head) : detect_text(head);
}

std::uint64_t content_bytes(const Head& head, const ReadOptions& options) {
  if (head.compression.empty()) return head.bytes;
  if (head.whole) return head.content.size();
  constexpr std::uint64_t kStep = std::uint64_t{16} << 20;
  const std::unique_ptr<ByteSource> source = open_bytes(head.file);
  std::uint64_t total = 0;
  for (std::uint64_t n = kStep; n == kStep; total += n) {
    options.task.check();
    n = source->skip(kStep);
  }
  return total;
}

}  // namespace fathom::io
