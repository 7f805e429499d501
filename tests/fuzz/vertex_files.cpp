// Any bytes as a file of --vertices, --partition or --personalization. What is accepted, written as
// a result file is, must say the same when it is read again.
//
// The first byte says which of the three it is.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <sstream>
#include <vector>

#include "fathom/io/table_writer.hpp"
#include "fathom/io/vertex_file.hpp"
#include "tests/fuzz/shared/fuzzing.hpp"

namespace {

using namespace fathom;
using fuzzing::require;

constexpr std::string_view kLabels[] = {"a",     "b",  "a b", "a,b",    "a\tb", "\"q\"",
                                        "\"\"x", "#x", "%y",  "vertex", "",     "x\r"};
constexpr auto kVertices = static_cast<VertexId>(std::size(kLabels));

constexpr auto find_label = [](std::string_view label) -> std::optional<VertexId> {
  const auto at = std::find(std::begin(kLabels), std::end(kLabels), label);
  if (at == std::end(kLabels)) return std::nullopt;
  return static_cast<VertexId>(at - std::begin(kLabels));
};

/// The beginning of a result file, and its rows.
class ResultText {
 public:
  explicit ResultText(char separator) : separator_(separator) {
    text_ = std::string("vertex") + separator + "value\n";
  }
  void row(VertexId v, std::string_view value) {
    field(kLabels[v]);
    text_ += separator_;
    field(value);
    text_ += '\n';
  }
  std::istringstream again() const { return std::istringstream(text_); }

 private:
  void field(std::string_view text) {
    const std::size_t first = text_.size();
    text_ += text;
    io::quote_if_needed(text_, first, separator_);
  }
  char separator_;
  std::string text_;
};

void check(const std::vector<VertexId>& said) {
  for (const char separator : {'\t', ','}) {
    ResultText result(separator);
    for (const VertexId v : said) result.row(v, "0.5");
    std::istringstream again = result.again();
    require(io::read_vertices(again, "f", find_label) == said);
  }
}

void check(const io::Partition& said) {
  require(said.set.size() == kVertices);
  std::vector<VertexId> order;  // sets as they came
  for (std::uint32_t s = 0; s < said.names.size(); ++s) {
    const std::size_t before = order.size();
    for (VertexId v = 0; v < kVertices; ++v)
      if (said.set[v] == s) order.push_back(v);
    require(order.size() > before);  // each has a vertex
  }
  for (const char separator : {'\t', ','}) {
    ResultText result(separator);
    for (const VertexId v : order) result.row(v, said.names[said.set[v]]);
    std::istringstream again = result.again();
    const io::Partition second = io::read_partition(again, "f", kVertices, find_label);
    require(second.set == said.set && second.names == said.names);
  }
}

void check(const std::vector<double>& said) {
  require(said.size() == kVertices);
  for (const double mass : said) require(mass >= 0 && std::isfinite(mass));
  for (const char separator : {'\t', ','}) {
    ResultText result(separator);
    for (VertexId v = 0; v < kVertices; ++v)
      if (said[v] > 0) result.row(v, fmt::format("{}", said[v]));
    std::istringstream again = result.again();
    require(io::read_masses(again, "f", kVertices, find_label) == said);
  }
}

/// What is read and accepted must pass check(), which must not throw.
template <class Read>
void fuzz(const Read& read) {
  std::optional<decltype(read())> said;
  if (fuzzing::accepted([&] { said = read(); })) check(*said);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::Input input(data, size);
  const unsigned kind = input.byte() % 3u;
  std::istringstream text{std::string(input.text())};
  if (kind == 0) fuzz([&] { return io::read_vertices(text, "f", find_label); });
  if (kind == 1) fuzz([&] { return io::read_partition(text, "f", kVertices, find_label); });
  if (kind == 2) fuzz([&] { return io::read_masses(text, "f", kVertices, find_label); });
  return 0;
}
