#include "fathom/dynamic/updates/update_text.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "fathom/dynamic/updates/update_lines.hpp"
#include "fathom/io/numbers.hpp"

namespace fathom::dynamic {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t first = line.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return fields;
    line.remove_prefix(first);
    const std::size_t length = std::min(line.find_first_of(kBlanks), line.size());
    fields.push_back(line.substr(0, length));
    line.remove_prefix(length);
  }
}

constexpr std::uint64_t kMostType = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostTime = std::numeric_limits<std::uint64_t>::max();

[[noreturn]] void fail_end(const std::string& expected) {
  throw io::LineError{expected, "the end of the line", ""};
}

std::uint64_t parse_number(std::string_view token, const std::string& what, std::uint64_t most) {
  std::uint64_t value = 0;
  if (io::parse_id(token, value) != io::IdText::Id || value > most)
    throw io::LineError{what + ", an integer from 0 to " + std::to_string(most), std::string(token),
                        ""};
  return value;
}

std::uint32_t parse_type(std::string_view token) {
  return static_cast<std::uint32_t>(parse_number(token, "a type", kMostType));
}

TextUpdate parse_vertex(const std::vector<std::string_view>& fields) {
  const bool insertion = fields[0] == "+v";
  const std::size_t most = insertion ? 4 : 2;
  if (fields.size() < 2) fail_end("one label after " + std::string(fields[0]));
  if (fields.size() > most)
    throw io::LineError{
        insertion ? "no more than a label, a weight and a type after +v" : "one label after -v",
        std::string(fields[most]), ""};
  if (fields.size() == 3) fail_end("a type after the weight");
  TextUpdate update{.vertex = true, .deletion = !insertion, .source = fields[1]};
  if (fields.size() == 4)
    update.vertex_fields = VertexFields{io::parse_weight(fields[2]), parse_type(fields[3])};
  return update;
}

/// Of a line about an edge.
void check_count(const std::vector<std::string_view>& fields, bool weighted, bool semantic) {
  const bool insertion = fields[0] == "+";
  const std::size_t most = !insertion || !weighted ? 3 : semantic ? 7 : 4;
  if (fields.size() < 3) fail_end("two labels after " + std::string(fields[0]));
  if (fields.size() > most)
    throw io::LineError{
        !insertion  ? "no more than two labels after -"
        : !weighted ? "no weight, as this graph has none"
        : !semantic ? "no more than two labels and a weight after +"
                    : "no more than two labels, a weight, a type and two timestamps after +",
        std::string(fields[most]), ""};
  if (fields.size() == 5 || fields.size() == 6)
    fail_end(fields.size() == 5 ? "two timestamps after the type" : "a second timestamp");
}

TextUpdate parse_edge(const std::vector<std::string_view>& fields, bool weighted, bool semantic) {
  check_count(fields, weighted, semantic);
  TextUpdate update{.deletion = fields[0] == "-", .source = fields[1], .target = fields[2]};
  if (fields.size() > 3) update.weight = io::parse_weight(fields[3]);
  if (fields.size() == 7)
    update.fields = {parse_type(fields[4]), parse_number(fields[5], "a timestamp", kMostTime),
                     parse_number(fields[6], "a timestamp", kMostTime)};
  return update;
}

bool has_leading_zero(std::string_view line) {
  for (std::size_t i = 1; i + 1 < line.size(); ++i)
    if (line[i] == '0' && io::is_blank(line[i - 1]) && io::is_digit(line[i + 1])) return true;
  return false;
}

void skip_blanks(const char*& p) {
  while (io::is_blank(*p)) ++p;
}

/// The number behind blanks, of which there is one at least.
bool scan_number(const char*& p, std::uint64_t& value) {
  if (!io::is_blank(*p)) return false;
  skip_blanks(p);
  return io::scan_id(p, value);
}

/// The weight at p, which a blank or `end` ends.
bool scan_weight(const char*& p, const char* end, Weight& weight) {
  const char* const first = p;
  std::uint64_t integer = 0;
  const bool is_integer = io::scan_id(p, integer) && integer <= io::kExactIntegers;
  if (is_integer && (p == end || io::is_blank(*p))) {
    weight = static_cast<Weight>(integer);
    return true;
  }
  while (p != end && !io::is_blank(*p)) ++p;
  try {
    weight = io::parse_weight({first, static_cast<std::size_t>(p - first)});
  } catch (const io::LineError&) {  // said again by who knows the line's number
    return false;
  }
  return true;
}

bool scan_fields(const char*& p, EdgeFields& fields) {
  std::uint64_t type = 0;
  if (!scan_number(p, type) || type > kMostType || !scan_number(p, fields.t1) ||
      !scan_number(p, fields.t2))
    return false;
  fields.type = static_cast<std::uint32_t>(type);
  return true;
}

/// The edge of a line that ends at `end`, behind which there are blanks, if any, and then something
/// that is neither a blank nor a digit; false for what is no edge of this kind between labels that
/// are integers.
bool read_line(const char* p, const char* end, const UpdateKind& kind, LabelledUpdate& edge,
               EdgeFields& fields) {
  if (end - p < 2 || (*p != '+' && *p != '-')) return false;
  const std::string_view line(p, static_cast<std::size_t>(end - p));
  edge.deletion = *p++ == '-';
  edge.weight = 1;
  fields = {};
  if (!scan_number(p, edge.source) || !scan_number(p, edge.target)) return false;
  if (p != end && kind.weighted && !edge.deletion) {
    if (!io::is_blank(*p)) return false;
    skip_blanks(p);
    if (!scan_weight(p, end, edge.weight)) return false;
    if (p != end && kind.semantic && !scan_fields(p, fields)) return false;
  }
  return p == end && !(kind.printed && has_leading_zero(line));
}

}  // namespace

std::optional<TextUpdate> parse_update(std::string_view line, bool weighted, bool semantic) {
  const std::vector<std::string_view> fields = fields_of(line);
  if (fields.empty() || fields[0].front() == '#') return std::nullopt;
  if (fields[0] == "+v" || fields[0] == "-v") return parse_vertex(fields);
  if (fields[0] == "+" || fields[0] == "-") return parse_edge(fields, weighted, semantic);
  throw io::LineError{"+, -, +v or -v", std::string(fields[0]), ""};
}

void UpdatePiece::begin(std::string_view whole) {
  text = whole;
  edges.clear();
  fields.clear();
  odd.clear();
}

void UpdatePiece::put_odd(std::string_view its) {
  if (!odd.empty() && odd.back().before == edges.size())
    odd.back().text = {odd.back().text.data(), odd.back().text.size() + its.size()};
  else
    odd.push_back({edges.size(), its});
}

void read_lines(UpdatePiece& piece, const UpdateKind& kind) {
  const char* p = piece.text.data();
  const char* const end = p + piece.text.size();
  LabelledUpdate edge;
  EdgeFields fields;
  while (p < end) {
    const auto* const newline =
        static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
    const char* const line_end = newline ? newline : end;
    const char* last = line_end > p && line_end[-1] == '\r' ? line_end - 1 : line_end;
    while (last > p && io::is_blank(last[-1])) --last;
    // Without a newline behind it nothing ends a number.
    if (newline && static_cast<std::size_t>(line_end - p) <= UpdateLines::kLongestLine &&
        read_line(p, last, kind, edge, fields)) {
      piece.edges.push_back(edge);
      if (kind.semantic) piece.fields.push_back(fields);
    } else {
      piece.put_odd({p, static_cast<std::size_t>((newline ? newline + 1 : end) - p)});
    }
    p = newline ? newline + 1 : end;
  }
}

}  // namespace fathom::dynamic
