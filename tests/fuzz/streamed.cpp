// Any bytes as a .fg file, or edits of a whole one, whose pages are streamed from it. Every edge
// that a functor sees has its ends in the graph; of a file that verifies it sees those that are
// mapped.
#include <bit>

#include "fathom/ops/advance.hpp"
#include "fathom/residency/graph.hpp"
#include "tests/fuzz/shared/edited_store.hpp"
#include "tests/fuzz/shared/reads_at_once.hpp"

namespace {

using namespace fathom;
using fuzzing::require;

std::uint64_t mix(VertexId u, VertexId v, Weight w) {
  std::uint64_t x = std::uint64_t{u} * 0x9e3779b97f4a7c15 + std::uint64_t{v};
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9 + std::bit_cast<std::uint32_t>(w);
  return (x ^ (x >> 32)) * 0x94d049bb133111eb;
}

/// Adds up what it sees, in any order.
struct AddUp {
  static constexpr bool kReadsWeights = true;
  VertexId vertices;
  std::uint64_t* sum;
  bool visit(VertexId u, VertexId v, Weight w) const {
    require(u < vertices && v < vertices);
    *sum += mix(u, v, w);
    return false;
  }
};

const Context& context() {
  static const Context ctx = [] {
    CpuOptions cpu;
    cpu.threads = 1;
    cpu.host_memory = std::size_t{12} << 20;
    return Context::cpu(cpu);
  }();
  return ctx;
}

std::uint64_t sum_of(const Graph& graph, EdgeSource& edges) {
  std::uint64_t sum = 0;
  Frontier all(context(), graph.vertices());
  all.fill();
  advance(context(), edges, all, nullptr, [&](const Device&) {
    return AddUp{graph.vertices(), &sum};
  });
  return sum;
}

struct Sums {
  std::uint64_t out = 0, in = 0;
  bool operator==(const Sums&) const = default;
};

Sums sums_of(const Graph& graph) {
  return {sum_of(graph, graph.out()), graph.has_in() ? sum_of(graph, graph.in()) : 0};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzzing::MemoryFile file;
  fuzzing::Input input(data, size);
  file.hold(fuzzing::store_of(input));
  ResidencyOptions options;
  options.kind = ResidencyOptions::Kind::Stream;
  options.paging.page_bytes = 4096;
  options.paging.io = fuzzing::reads_at_once();
  Sums streamed, mapped;
  const bool read =
      fuzzing::accepted([&] { streamed = sums_of(load(context(), file.path(), options)); },
                        {ErrorCode::BadInput, ErrorCode::Usage, ErrorCode::DoesNotFit});
  const bool verified =
      read && fuzzing::accepted([&] { store::Store::open(file.path())->verify(1, {}); });
  if (!verified) return 0;
  mapped = sums_of(load(context(), file.path()));
  require(mapped == streamed);
  return 0;
}
