// Linked lists in the order in which edges came, or ascending: batches that insert and delete, and
// questions for edges. Medians: --benchmark_filter=SortedLinks --benchmark_repetitions=9
// --benchmark_enable_random_interleaving=true.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "fathom/dynamic_graph.hpp"
#include "fathom/generate/generate.hpp"

namespace fathom {
namespace {

constexpr int kLinkedScale = 16;
constexpr std::size_t kLinkedBatch = 100000;

/// 2^16 vertices; the batch has edges of the same kind of graph that this one has not.
struct LinkedCase {
  explicit LinkedCase(bool rmat) {
    const std::vector<Edge> there = distinct(rmat, 1), others = distinct(rmat, 2);
    std::set_difference(others.begin(), others.end(), there.begin(), there.end(),
                        std::back_inserter(fresh), before);
    shuffle(fresh);
    fresh.resize(std::min(fresh.size(), kLinkedBatch));
    for (const Edge& e : there) start.push_back(EdgeUpdate::insert(e.source, e.target));
    for (const Edge& e : fresh) {
      inserts.push_back(EdgeUpdate::insert(e.source, e.target));
      deletes.push_back(EdgeUpdate::remove(e.source, e.target));
    }
    // Half of the questions are about edges that there are.
    asked = there;
    shuffle(asked);
    asked.resize(fresh.size());
    asked.insert(asked.end(), fresh.begin(), fresh.end());
    shuffle(start);
    shuffle(asked);
  }
  /// In the order in which edges came, which is none.
  DynamicGraph graph(const Context& ctx, const DynamicGraphOptions& options) const {
    DynamicGraph graph(ctx, options);
    graph.apply({VertexId{1} << kLinkedScale, start, {}});
    return graph;
  }

  std::vector<EdgeUpdate> start, inserts, deletes;
  std::vector<Edge> fresh, asked;

 private:
  static bool before(const Edge& a, const Edge& b) {
    return a.source != b.source ? a.source < b.source : a.target < b.target;
  }
  static std::vector<Edge> distinct(bool rmat, std::uint64_t seed) {
    generate::Spec spec;
    spec.kind = rmat ? generate::Kind::Rmat : generate::Kind::Uniform;
    spec.scale = kLinkedScale;
    spec.seed = seed;
    const generate::Generator generator(spec);
    std::vector<Edge> edges(generator.edges());
    generator.fill(0, edges);
    std::sort(edges.begin(), edges.end(), before);
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
  }
  template <class Item>
  static void shuffle(std::vector<Item>& items) {
    std::uint64_t random = 1;
    for (std::size_t i = items.size(); i > 1; --i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      std::swap(items[i - 1], items[(random >> 33) % i]);
    }
  }
};

const LinkedCase& linked_case(bool rmat) {
  static const LinkedCase cases[] = {LinkedCase(false), LinkedCase(true)};
  return cases[rmat ? 1 : 0];
}

DynamicGraphOptions linked_options(const benchmark::State& state) {
  DynamicGraphOptions options;
  options.layout = DynamicLayoutKind::Faim;
  options.in_edges = false;
  options.page_bytes = static_cast<std::uint32_t>(state.range(1));
  options.sorted_links = state.range(2) != 0;
  return options;
}

Context two_threads() {
  CpuOptions cpu;
  cpu.threads = 2;
  return Context::cpu(cpu);
}

/// Times the first of two batches, the second of which takes back what it did.
void time_batches(benchmark::State& state, DynamicGraph& graph, const GraphBatch& timed,
                  const GraphBatch& back) {
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    graph.apply(timed);
    state.SetIterationTime(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    graph.apply(back);
  }
}

void SortedLinksInsert(benchmark::State& state) {
  const Context ctx = two_threads();
  const LinkedCase& its = linked_case(state.range(0) != 0);
  DynamicGraph graph = its.graph(ctx, linked_options(state));
  time_batches(state, graph, {.edges = its.inserts}, {.edges = its.deletes});
}

void SortedLinksDelete(benchmark::State& state) {
  const Context ctx = two_threads();
  const LinkedCase& its = linked_case(state.range(0) != 0);
  DynamicGraph graph = its.graph(ctx, linked_options(state));
  graph.apply({.edges = its.inserts});
  time_batches(state, graph, {.edges = its.deletes}, {.edges = its.inserts});
}

void SortedLinksLookUp(benchmark::State& state) {
  const Context ctx = two_threads();
  const LinkedCase& its = linked_case(state.range(0) != 0);
  const DynamicGraph graph = its.graph(ctx, linked_options(state));
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(graph.has_edges(its.asked).data());
    state.SetIterationTime(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
}

/// Uniform or R-MAT, bytes of a page, and whether lists ascend.
void each_kind(benchmark::internal::Benchmark* b) {
  b->ArgNames({"rmat", "page", "sorted"});
  b->ArgsProduct({{0, 1}, {64, 128, 256}, {0, 1}});
  b->Unit(benchmark::kMillisecond)->UseManualTime()->MinTime(0.2);
}
BENCHMARK(SortedLinksInsert)->Apply(each_kind);
BENCHMARK(SortedLinksDelete)->Apply(each_kind);
BENCHMARK(SortedLinksLookUp)->Apply(each_kind);

}  // namespace
}  // namespace fathom
