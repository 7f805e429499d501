// Any bytes as lines of updates: in batches, and one line at a time, they must come to the same
// graph, and the same lines must be refused.
//
// The first two bytes say what graph it is and how many lines a batch has.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/core/error.hpp"
#include "fathom/dynamic/labels/by_label.hpp"
#include "fathom/dynamic/updates/update_batch.hpp"
#include "tests/fuzz/shared/fuzzing.hpp"

namespace {

using namespace fathom;
using fuzzing::require;

constexpr std::size_t kMostLines = 64;

DynamicGraphOptions options_of(std::uint8_t kind) {
  DynamicGraphOptions o;
  o.directed = (kind & 1) != 0;
  o.in_edges = (kind & 2) != 0;
  o.edges = static_cast<EdgeKind>((kind >> 2) % 3);
  o.layout = static_cast<DynamicLayoutKind>((kind >> 4) % 3);
  o.duplicates = static_cast<DuplicatePolicy>((kind >> 6) % 3);
  o.page_bytes = 64;  // fields of an edge take 28
  o.memory = std::size_t{1} << 22;
  o.most_vertices = 1024;
  return o;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < kMostLines) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// A graph that lines change, and its labels.
class Streamed {
 public:
  Streamed(const Context& ctx, std::uint8_t kind)
      : graph_(ctx, options_of(kind)), labels_((kind & 1) == 0) {}

  /// Applies the lines as one batch. @return for each whether it was refused
  std::vector<bool> apply(const std::vector<std::string>& lines) {
    dynamic::UpdateBatch batch(graph_, labels_);
    std::vector<bool> refused;
    for (const std::string& line : lines) {
      bool bad = false;
      try {
        batch.add(line);
      } catch (const io::LineError&) {
        bad = true;
      }
      refused.push_back(bad);
    }
    batch.apply();
    return refused;
  }
  void require_equal(const Streamed& other) const {
    require(graph_.existing_vertices() == other.graph_.existing_vertices());
    require(graph_.edges() == other.graph_.edges());
    const dynamic::ListsByLabel mine = dynamic::by_label(graph_, labels_),
                                its = dynamic::by_label(other.graph_, other.labels_);
    require(mine.vertex.size() == its.vertex.size());
    for (std::size_t v = 0; v < mine.vertex.size(); ++v)
      require(labels_.label(mine.vertex[v]) == other.labels_.label(its.vertex[v]));
    require_equal(mine.out.offset, its.out.offset);
    require_equal(mine.out.target, its.out.target);
    require_equal(mine.out.weight, its.out.weight);
    require_equal(mine.fields, its.fields);
    const std::vector<VertexFields> said = graph_.vertex_fields(mine.vertex),
                                    its_said = other.graph_.vertex_fields(its.vertex);
    for (std::size_t v = 0; v < said.size(); ++v) require(said[v] == its_said[v]);
  }

 private:
  template <class T>
  static void require_equal(const Array<T>& a, const Array<T>& b) {
    require(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) require(a[i] == b[i]);
  }

  DynamicGraph graph_;
  dynamic::VertexLabels labels_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  static const Context ctx = [] {
    CpuOptions cpu;
    cpu.threads = 1;
    return Context::cpu(cpu);
  }();
  const std::vector<std::string> lines =
      lines_of({reinterpret_cast<const char*>(data) + 2, size - 2});
  const std::size_t at_once = 1 + data[1] % 32;
  Streamed batches(ctx, data[0]), alone(ctx, data[0]);
  for (std::size_t i = 0; i < lines.size(); i += at_once) {
    const std::size_t end = std::min(i + at_once, lines.size());
    std::vector<bool> refused;
    for (std::size_t k = i; k < end; ++k) refused.push_back(alone.apply({lines[k]}).front());
    const auto first = lines.begin() + static_cast<std::ptrdiff_t>(i);
    require(batches.apply({first, first + static_cast<std::ptrdiff_t>(end - i)}) == refused);
    batches.require_equal(alone);
  }
  return 0;
}
