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

/// Where the label ends.
std::size_t separator_of(const std::string& line) {
  for (const char c : {'\t', ',', ' '})
    if (const std::size_t at = line.rfind(c); at != std::string::npos) return at;
  return std::string::npos;
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
    if (line.empty() || line[0] == '#' || (number == 1 && line.rfind("vertex\t", 0) == 0)) continue;
    const std::size_t end = separator_of(line);
    if (end == std::string::npos) refuse(at, "LABEL<TAB>WEIGHT", line);
    const std::string label = line.substr(0, end);
    const auto v = graph.store().find(label);
    if (!v) refuse(at, "the label of a vertex", label);
    mass[*v] += parse_mass(line.substr(end + 1), at);
  }
  if (file.bad()) throw_io_error(path, "read", errno);
  return mass;
}

}  // namespace fathom::cli
