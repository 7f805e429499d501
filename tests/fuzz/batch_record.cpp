// Lines of updates as batches that a log has, which must do to a graph what the lines do; and any
// bytes as such batches, which are refused or applied.
//
// Input: what graph it is, and whether lines or batches follow; how many lines a batch has; lines,
// or batches that begin with their length, two bytes.
#include "fathom/dynamic/log/batch_record.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "fathom/dynamic/labels/by_label.hpp"
#include "tests/fuzz/shared/fuzzing.hpp"

namespace {

using namespace fathom;
using namespace fathom::dynamic;
using fuzzing::require;

LogKind kind_of(std::uint8_t byte) {
  LogKind kind;
  kind.directed = (byte & 1) != 0;
  kind.strings = (byte & 2) != 0;
  kind.edges = static_cast<EdgeKind>((byte >> 2) % 3);
  kind.duplicates = static_cast<DuplicatePolicy>((byte >> 4) % 3);
  return kind;
}

ChangingGraph empty_graph(const LogKind& kind) {
  static const Context ctx = [] {
    CpuOptions cpu;
    cpu.threads = 1;
    return Context::cpu(cpu);
  }();
  DynamicGraphOptions options;
  options.directed = kind.directed;
  options.edges = kind.edges;
  options.duplicates = kind.duplicates;
  options.memory = std::size_t{1} << 22;
  options.most_vertices = 1024;
  return {DynamicGraph(ctx, options), VertexLabels(kind.strings)};
}

template <class A, class B>
bool same(const A& a, const B& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

void require_equal(const ChangingGraph& a, const ChangingGraph& b) {
  const ListsByLabel mine = by_label(a.graph, a.labels), its = by_label(b.graph, b.labels);
  require(mine.vertex.size() == its.vertex.size());
  for (std::size_t v = 0; v < mine.vertex.size(); ++v)
    require(a.labels.label(mine.vertex[v]) == b.labels.label(its.vertex[v]));
  require(same(mine.out.offset, its.out.offset) && same(mine.out.target, its.out.target));
  require(same(mine.out.weight, its.out.weight) && same(mine.fields, its.fields));
  require(same(a.graph.vertex_fields(mine.vertex), b.graph.vertex_fields(its.vertex)));
}

/// Applies lines to one graph, and what a log would have of them to another.
void apply_lines(const LogKind& kind, std::size_t at_once, std::string_view text) {
  ChangingGraph lined = empty_graph(kind), logged = empty_graph(kind);
  BatchEncoder encoder;
  UpdatePosition at;
  for (int batches = 0; batches < 16 && !text.empty(); ++batches) {
    UpdateBatch batch(lined.graph, lined.labels);
    for (std::size_t i = 0; i < at_once && !text.empty(); ++i) {
      const std::string_view line = text.substr(0, text.find('\n'));
      at.add(line);
      try {
        batch.add(line);
      } catch (const io::LineError&) {
      }
      text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    const LoggedBatch read(kind, encoder.encode(kind, batch.named(), lined.labels, at));
    require(read.updates() == batch.updates() && read.position() == at);
    batch.apply();
    read.apply(logged.graph, logged.labels);
    require_equal(lined, logged);
  }
}

void apply_batches(const LogKind& kind, fuzzing::Input& input) {
  ChangingGraph its = empty_graph(kind);
  while (!input.rest().empty()) {
    const std::size_t bytes = input.byte() + std::size_t{256} * input.byte();
    const auto payload = std::as_bytes(input.take(bytes));
    const bool applied =
        fuzzing::accepted([&] { LoggedBatch(kind, payload).apply(its.graph, its.labels); },
                          {ErrorCode::BadInput, ErrorCode::DoesNotFit});
    if (!applied) return;
    require(its.labels.ordered().size() == its.graph.existing_vertices());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::Input input(data, size);
  const std::uint8_t mode = input.byte();
  const LogKind kind = kind_of(mode & 127);
  const std::size_t at_once = 1 + input.byte() % 32u;
  if ((mode & 128) == 0)
    apply_lines(kind, at_once, input.text());
  else
    apply_batches(kind, input);
  return 0;
}
