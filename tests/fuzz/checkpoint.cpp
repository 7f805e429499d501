// Edits of checkpoints of `fathom stream`, and lines of updates that go on from them. What loads
// takes updates, and is a checkpoint again that verifies and says the same graph.
//
// Input: which checkpoint and how it is sealed; how many edits, three bytes each; the edits; text.
#include "fathom/dynamic/updates/checkpoint.hpp"

#include <fmt/format.h>

#include "fathom/dynamic/updates/update_batch.hpp"
#include "tests/fuzz/shared/edited_store.hpp"

namespace {

using namespace fathom;
using fuzzing::require;

constexpr std::size_t kMostLines = 16;

const Context& context() {
  static const Context ctx = [] {
    CpuOptions cpu;
    cpu.threads = 1;
    return Context::cpu(cpu);
  }();
  return ctx;
}

DynamicGraphOptions small() {
  DynamicGraphOptions o;
  o.memory = std::size_t{1} << 22;
  o.most_vertices = 1024;
  return o;
}

const std::string& output_path() {
  static const std::string path = fuzzing::kMemory + std::string("again.fg");
  return path;
}

struct Kind {
  bool directed, strings;
  EdgeKind edges;
};
constexpr Kind kKinds[] = {{true, true, EdgeKind::Semantic},
                           {true, false, EdgeKind::Weighted},
                           {false, true, EdgeKind::Simple},
                           {false, false, EdgeKind::Weighted}};

/// What `fathom stream` leaves after a few lines.
std::vector<std::byte> checkpoint_image(const Kind& kind) {
  DynamicGraphOptions options = small();
  options.directed = kind.directed;
  options.edges = kind.edges;
  DynamicGraph graph(context(), options);
  dynamic::VertexLabels labels(kind.strings);
  for (const char* line : {"+ 1 2", "+ 2 3", "+ 3 1", "+ 3 3", "+ 17 1", "+v 90"}) {
    dynamic::UpdateBatch batch(graph, labels);
    batch.add(line);
    batch.apply();
  }
  const fuzzing::Removed output(output_path());
  dynamic::write_checkpoint(output_path(), graph, labels, {6, kind.strings}, "fathom stream");
  const auto bytes = fuzzing::memory_at(output_path());
  return {bytes.begin(), bytes.end()};
}

const std::vector<fuzzing::BaseStore>& checkpoints() {
  static const std::vector<fuzzing::BaseStore> bases = [] {
    std::vector<fuzzing::BaseStore> made;
    for (const Kind& kind : kKinds) made.emplace_back(checkpoint_image(kind));
    return made;
  }();
  return bases;
}

/// Applies lines, each as a batch, until memory is used up.
void apply(dynamic::ChangingGraph& at, std::string_view text) {
  for (std::size_t i = 0; i < kMostLines && !text.empty(); ++i) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    dynamic::UpdateBatch batch(at.graph, at.labels);
    try {
      batch.add(text.substr(0, end));
    } catch (const io::LineError&) {
    }
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!fuzzing::accepted([&] { batch.apply(); }, {ErrorCode::DoesNotFit})) return;
  }
}

void require_equal(const dynamic::ChangingGraph& a, const dynamic::ChangingGraph& b) {
  require(a.graph.existing_vertices() == b.graph.existing_vertices());
  require(a.graph.edges() == b.graph.edges());
  const dynamic::ListsByLabel mine = dynamic::by_label(a.graph, a.labels),
                              its = dynamic::by_label(b.graph, b.labels);
  const auto equal = [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  };
  require(equal(mine.out.offset, its.out.offset) && equal(mine.out.target, its.out.target));
  require(std::equal(mine.out.weight.begin(), mine.out.weight.end(), its.out.weight.begin(),
                     its.out.weight.end()));
  require(equal(mine.fields, its.fields));
  for (std::size_t v = 0; v < mine.vertex.size(); ++v)
    require(a.labels.label(mine.vertex[v]) == b.labels.label(its.vertex[v]));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzzing::MemoryFile file;
  fuzzing::Input input(data, size);
  const std::size_t mode = input.byte() % (2 * std::size(kKinds));
  const std::size_t edits = input.byte() % 32u;
  file.hold(checkpoints()[mode / 2].edited(
      input.take(3 * edits), mode % 2 == 0 ? fuzzing::Seal::All : fuzzing::Seal::Header));
  std::optional<dynamic::ChangingGraph> at;
  dynamic::Checkpoint from;
  const bool loaded = fuzzing::accepted(
      [&] {
        const auto store = store::Store::open(file.path());
        from = dynamic::read_checkpoint(*store);
        at.emplace(dynamic::load(context(), *store, small(), from.any_labels));
      },
      {ErrorCode::BadInput, ErrorCode::Usage, ErrorCode::DoesNotFit});
  if (!loaded) return 0;
  apply(*at, input.text());
  const fuzzing::Removed output(output_path());
  dynamic::write_checkpoint(output_path(), at->graph, at->labels, from, "fathom stream --resume");
  const auto again = store::Store::open(output_path());
  again->verify(1, {});
  const dynamic::Checkpoint to = dynamic::read_checkpoint(*again);
  require(to.line == from.line && to.any_labels == from.any_labels);
  require_equal(*at, dynamic::load(context(), *again, small(), to.any_labels));
  return 0;
}
