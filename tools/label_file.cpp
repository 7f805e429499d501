#include "label_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <unordered_map>

#include "fathom/algorithms/cross_edges.hpp"
#include "fathom/core/error.hpp"

namespace fathom::cli {
namespace {

/// Reads a file line by line and knows where it is.
class Lines {
 public:
  explicit Lines(const std::string& path) : path_(path), file_(path) {
    if (!file_) throw_io_error(path, "open", errno);
  }

  /// The next line that says something.
  bool next(std::string& line) {
    while (std::getline(file_, line)) {
      ++number_;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (line.empty() || line[0] == '#') continue;
      if (number_ == 1 && (line == "vertex" || line.rfind("vertex\t", 0) == 0)) continue;
      return true;
    }
    if (file_.bad()) throw_io_error(path_, "read", errno);
    return false;
  }

  [[noreturn]] void refuse(const std::string& expected, const std::string& found) const {
    throw Error(ErrorCode::BadInput,
                fmt::format("{}:{}: expected {}, found '{}'", path_, number_, expected, found));
  }

  VertexId vertex(const LoadedGraph& graph, const std::string& label) const {
    const auto v = graph.store().find(label);
    if (!v) refuse("the label of a vertex", label);
    return *v;
  }

 private:
  const std::string& path_;
  std::ifstream file_;
  std::size_t number_ = 0;
};

}  // namespace

std::vector<VertexId> read_vertices(const std::string& path, const LoadedGraph& graph) {
  Lines lines(path);
  std::vector<VertexId> vertices;
  for (std::string line; lines.next(line);)
    vertices.push_back(lines.vertex(graph, line.substr(0, line.find('\t'))));
  return vertices;
}

Partition read_partition(const std::string& path, const LoadedGraph& graph) {
  Lines lines(path);
  Partition partition;
  partition.set.assign(graph.graph().vertices(), kNoSet);
  std::unordered_map<std::string, std::uint32_t> number;
  for (std::string line; lines.next(line);) {
    std::size_t end = std::string::npos;
    for (const char c : {'\t', ',', ' '})
      if (end == std::string::npos) end = line.rfind(c);
    if (end == std::string::npos) lines.refuse("LABEL<TAB>SET", line);
    const std::string name = line.substr(end + 1);
    const auto [at, added] =
        number.emplace(name, static_cast<std::uint32_t>(partition.names.size()));
    if (added) partition.names.push_back(name);
    std::uint32_t& set = partition.set[lines.vertex(graph, line.substr(0, end))];
    if (set != kNoSet && set != at->second)
      lines.refuse("the set '" + partition.names[set] + "', which an earlier line gives", name);
    set = at->second;
  }
  return partition;
}

}  // namespace fathom::cli
