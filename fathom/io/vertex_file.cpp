#include "fathom/io/vertex_file.hpp"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <istream>
#include <unordered_map>

#include "fathom/io/input_error.hpp"
#include "fathom/io/unpacked_stream.hpp"

namespace fathom::io {
namespace {

struct Pair {
  std::string label, value;
};

/// Takes the quoted field that `line` begins with. False: its end is missing.
bool take_quoted(std::string_view& line, std::string& field) {
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '"' && (i + 1 == line.size() || line[++i] != '"')) {
      if (line[i] == '"') ++i;  // the line's last byte
      line.remove_prefix(i);
      return true;
    }
    field += line[i];
  }
  return false;
}

/// Reads lines, and knows where it is and what its columns are separated by.
class VertexLines {
 public:
  VertexLines(std::istream& text, const std::string& name, FindVertex find, bool pairs = false)
      : text_(text), name_(name), find_(find), pairs_(pairs) {}

  /// The next line that says something.
  bool next() {
    while (std::getline(text_, line_)) {
      ++number_;
      if (!line_.empty() && line_.back() == '\r') line_.pop_back();
      if (line_.empty() || line_[0] == '#' || (number_ == 1 && is_header())) continue;
      return true;
    }
    if (text_.bad()) throw_io_error(name_, "read", errno);
    return false;
  }

  /// The label that the line begins with.
  std::string label() const {
    std::string_view rest = line_;
    const char separator = separator_ == kAny ? '\t' : separator_;
    if (rest[0] != '"') return std::string(rest.substr(0, rest.find(separator)));
    std::string label;
    if (!take_quoted(rest, label) || (!rest.empty() && rest[0] != separator))
      refuse("a closing quote", line_);
    return label;
  }

  /// The two fields of the line; `what` the second is.
  Pair pair(const char* what) const {
    std::string_view rest = line_;
    if (columns_) rest = rest.substr(0, end_of_second());
    Pair pair;
    if (rest[0] == '"') {
      const std::string_view separators =
          separator_ == kAny ? std::string_view("\t, ") : std::string_view(&separator_, 1);
      if (!take_quoted(rest, pair.label) || rest.empty() ||
          separators.find(rest[0]) == std::string_view::npos)
        refuse(std::string("a closing quote and <TAB>") + what, line_);
      rest.remove_prefix(1);
    } else {
      const std::size_t end = end_of_label();
      if (end == std::string::npos) refuse(std::string("LABEL<TAB>") + what, line_);
      pair.label = rest.substr(0, end);
      rest.remove_prefix(end + 1);
    }
    if (!rest.empty() && rest[0] == '"') {
      if (!take_quoted(rest, pair.value) || !rest.empty())
        refuse(std::string("a closing quote at the end of ") + what, line_);
    } else if (separator_ != kAny && rest.find(separator_) != std::string_view::npos) {
      refuse(std::string("two columns, LABEL and ") + what, line_);
    } else {
      pair.value = rest;
    }
    return pair;
  }

  VertexId vertex(const std::string& label) const {
    const std::optional<VertexId> v = find_(label);
    if (!v) refuse("the label of a vertex", label);
    return *v;
  }

  [[noreturn]] void refuse(const std::string& expected, const std::string& found) const {
    fail_line(name_, number_, {expected, found, ""});
  }

 private:
  static constexpr char kAny = '\0';  // no header said

  bool is_header() {
    for (const char separator : {'\t', ','})
      if (pairs_ && line_.starts_with(std::string("u") + separator + "v" + separator)) {
        separator_ = separator;
        columns_ = true;
        return true;
      }
    constexpr std::string_view kFirst = "vertex";
    if (!line_.starts_with(kFirst)) return false;
    if (line_.size() == kFirst.size()) return true;
    const char behind = line_[kFirst.size()];
    if (behind != '\t' && behind != ',') return false;
    separator_ = behind;
    return true;
  }

  /// Where the second of several columns ends.
  std::size_t end_of_second() const {
    bool quoted = false;
    int met = 0;
    for (std::size_t i = 0; i < line_.size(); ++i) {
      if (line_[i] == '"') quoted = !quoted;
      if (!quoted && line_[i] == separator_ && ++met == 2) return i;
    }
    return line_.size();
  }

  /// Of a label without quotes.
  std::size_t end_of_label() const {
    if (separator_ != kAny) return line_.find(separator_);
    for (const char c : {'\t', ',', ' '}) {
      const char quoted[] = {c, '"'};
      if (line_.back() == '"')
        if (const std::size_t end = line_.find(quoted, 0, 2); end != std::string::npos) return end;
      if (const std::size_t end = line_.rfind(c); end != std::string::npos) return end;
    }
    return std::string::npos;
  }

  std::istream& text_;
  const std::string& name_;
  FindVertex find_;
  bool pairs_;
  std::string line_;
  std::uint64_t number_ = 0;
  char separator_ = kAny;
  bool columns_ = false;  // of pairs, with others behind them
};

}  // namespace

std::vector<VertexId> read_vertices(std::istream& text, const std::string& name, FindVertex find) {
  VertexLines lines(text, name, find);
  std::vector<VertexId> vertices;
  while (lines.next()) vertices.push_back(lines.vertex(lines.label()));
  return vertices;
}

Partition read_partition(std::istream& text, const std::string& name, VertexId vertices,
                         FindVertex find) {
  VertexLines lines(text, name, find);
  Partition partition;
  partition.set.assign(vertices, Partition::kNone);
  std::unordered_map<std::string, std::uint32_t> number;
  while (lines.next()) {
    const Pair pair = lines.pair("SET");
    const VertexId v = lines.vertex(pair.label);
    const auto [at, added] =
        number.emplace(pair.value, static_cast<std::uint32_t>(partition.names.size()));
    if (added) partition.names.push_back(pair.value);
    std::uint32_t& set = partition.set[v];
    if (set != Partition::kNone && set != at->second)
      lines.refuse("the set " + in_quotes(partition.names[set]) + ", which an earlier line gives",
                   pair.value);
    set = at->second;
  }
  return partition;
}

std::vector<double> read_masses(std::istream& text, const std::string& name, VertexId vertices,
                                FindVertex find) {
  VertexLines lines(text, name, find);
  std::vector<double> mass(vertices, 0.0);
  while (lines.next()) {
    const Pair pair = lines.pair("WEIGHT");
    const VertexId v = lines.vertex(pair.label);
    const char* const end = pair.value.data() + pair.value.size();
    double value = 0;
    const auto [rest, error] = std::from_chars(pair.value.data(), end, value);
    if (error != std::errc{} || rest != end || !(value >= 0) || !std::isfinite(value))
      lines.refuse("a finite number that is at least 0", pair.value);
    mass[v] += value;
    if (!std::isfinite(mass[v]))
      lines.refuse("weights of a vertex that come to a finite sum", pair.value);
  }
  return mass;
}

std::vector<std::pair<VertexId, VertexId>> read_pairs(std::istream& text, const std::string& name,
                                                      FindVertex find) {
  VertexLines lines(text, name, find, true);
  std::vector<std::pair<VertexId, VertexId>> pairs;
  while (lines.next()) {
    const Pair pair = lines.pair("LABEL");
    const VertexId u = lines.vertex(pair.label), v = lines.vertex(pair.value);
    if (u == v) lines.refuse("another vertex than " + in_quotes(pair.label), pair.value);
    pairs.emplace_back(u, v);
  }
  return pairs;
}

std::vector<VertexId> read_vertices(const std::string& name, FindVertex find) {
  UnpackedStream file(name);
  return read_vertices(file, name, find);
}

Partition read_partition(const std::string& name, VertexId vertices, FindVertex find) {
  UnpackedStream file(name);
  return read_partition(file, name, vertices, find);
}

std::vector<double> read_masses(const std::string& name, VertexId vertices, FindVertex find) {
  UnpackedStream file(name);
  return read_masses(file, name, vertices, find);
}

std::vector<std::pair<VertexId, VertexId>> read_pairs(const std::string& name, FindVertex find) {
  UnpackedStream file(name);
  return read_pairs(file, name, find);
}

}  // namespace fathom::io
