#include "personalization.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>

#include "fathom/core/error.hpp"

namespace fathom::cli {
namespace {

struct Place {
  const std::string& path;
  std::size_t line;
};

[[noreturn]] void refuse(const Place& at, const std::string& expected, const std::string& found) {
  throw Error(ErrorCode::BadInput,
              fmt::format("{}:{}: expected {}, found '{}'", at.path, at.line, expected, found));
}

struct Entry {
  std::string label, mass;
};

/// A label in quotes, as result files have it: "" stands for a quote.
Entry split_quoted(const std::string& line, const Place& at) {
  std::string label;
  std::size_t i = 1;
  for (; i < line.size(); ++i) {
    if (line[i] == '"' && (i + 1 == line.size() || line[++i] != '"')) break;
    label += line[i];
  }
  if (i >= line.size() || std::string("\t, ").find(line[i]) == std::string::npos)
    refuse(at, "a closing quote and <TAB>WEIGHT", line);
  return {label, line.substr(i + 1)};
}

Entry split(const std::string& line, const Place& at) {
  if (line[0] == '"') return split_quoted(line, at);
  for (const char c : {'\t', ',', ' '})
    if (const std::size_t end = line.rfind(c); end != std::string::npos)
      return {line.substr(0, end), line.substr(end + 1)};
  refuse(at, "LABEL<TAB>WEIGHT", line);
}

double parse_mass(const std::string& text, const Place& at) {
  double mass = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mass);
  if (error != std::errc{} || end != text.data() + text.size() || !(mass >= 0) ||
      !std::isfinite(mass))
    refuse(at, "a finite number that is at least 0", text);
  return mass;
}

}  // namespace

std::vector<double> read_personalization(const std::string& path, const LoadedGraph& graph) {
  std::ifstream file(path);
  if (!file) throw_io_error(path, "open", errno);
  std::vector<double> mass(graph.graph().vertices(), 0.0);
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    const Place at{path, ++number};
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const bool header =
        number == 1 && (line.starts_with("vertex\t") || line.starts_with("vertex,"));
    if (line.empty() || line[0] == '#' || header) continue;
    const Entry entry = split(line, at);
    const auto v = graph.store().find(entry.label);
    if (!v) refuse(at, "the label of a vertex", entry.label);
    mass[*v] += parse_mass(entry.mass, at);
  }
  if (file.bad()) throw_io_error(path, "read", errno);
  return mass;
}

}  // namespace fathom::cli
