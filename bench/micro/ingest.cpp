// How fast graphs come in: generation, building, text parsing, conversion, opening, first touch.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "fathom/generate/generate.hpp"
#include "fathom/graph/build.hpp"
#include "fathom/io/reader.hpp"
#include "fathom/store/make/convert.hpp"
#include "fathom/store/store.hpp"

namespace fathom {
namespace {

generate::Generator rmat(int scale, std::uint32_t edge_factor = 16) {
  generate::Spec spec;
  spec.scale = scale;
  spec.edge_factor = edge_factor;
  return generate::Generator(spec);
}

/// A file that goes when the benchmark does.
class Scratch {
 public:
  explicit Scratch(const std::string& name)
      : path_((std::filesystem::temp_directory_path() / ("fathom-bench-" + name)).string()) {}
  ~Scratch() { std::filesystem::remove(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void write_edge_list(const generate::Generator& generator, const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  std::vector<Edge> edges(std::size_t{1} << 20);
  for (EdgeId first = 0; first < generator.edges(); first += edges.size()) {
    edges.resize(std::min<EdgeId>(edges.size(), generator.edges() - first));
    generator.fill(first, edges);
    fmt::memory_buffer text;
    for (const Edge& e : edges)
      fmt::format_to(std::back_inserter(text), "{}\t{}\n", e.source, e.target);
    std::fwrite(text.data(), 1, text.size(), file);
  }
  std::fclose(file);
}

/// Arguments: scale, threads.
void GenerateAndBuildRmat(benchmark::State& state) {
  const generate::Generator generator = rmat(static_cast<int>(state.range(0)));
  graph::BuildOptions options;
  options.undirected = true;
  options.duplicates = graph::Duplicates::Keep;
  options.threads = static_cast<int>(state.range(1));
  for (auto _ : state) {
    auto built = graph::build(
        generator.vertices(),
        [&](const auto& consume) {
          std::vector<Edge> edges(std::size_t{1} << 16);
          for (EdgeId first = 0; first < generator.edges(); first += edges.size()) {
            edges.resize(std::min<EdgeId>(edges.size(), generator.edges() - first));
            generator.fill(first, edges);
            consume(edges, {});
          }
        },
        options);
    benchmark::DoNotOptimize(built.out.target.data());
  }
  state.counters["edges/s"] = benchmark::Counter(
      static_cast<double>(generator.edges()) * static_cast<double>(state.iterations()),
      benchmark::Counter::kIsRate);
}
BENCHMARK(GenerateAndBuildRmat)
    ->Args({20, 1})
    ->Args({20, 2})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// Arguments: scale, threads.
void ParseEdgeList(benchmark::State& state) {
  const Scratch text("parse.txt");
  write_edge_list(rmat(static_cast<int>(state.range(0))), text.path());
  io::ReadOptions options;
  options.threads = static_cast<int>(state.range(1));
  for (auto _ : state) {
    std::uint64_t sum = 0;
    io::open_edges({text.path()}, options)->read([&](std::span<const io::EdgeBatch> batches) {
      for (const io::EdgeBatch& batch : batches)
        for (const std::uint64_t v : batch.target) sum += v;
    });
    benchmark::DoNotOptimize(sum);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(std::filesystem::file_size(text.path())) *
                          state.iterations());
}
BENCHMARK(ParseEdgeList)
    ->Args({18, 1})
    ->Args({18, 2})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// Arguments: scale, threads.
void ConvertEdgeList(benchmark::State& state) {
  const Scratch text("convert.txt"), output("convert.fg");
  write_edge_list(rmat(static_cast<int>(state.range(0))), text.path());
  store::ConvertOptions options;
  options.build.threads = options.read.threads = static_cast<int>(state.range(1));
  for (auto _ : state) store::convert({text.path()}, output.path(), options);
  state.SetBytesProcessed(static_cast<std::int64_t>(std::filesystem::file_size(text.path())) *
                          state.iterations());
}
BENCHMARK(ConvertEdgeList)
    ->Args({18, 1})
    ->Args({18, 2})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// A hundred million edges, once: 1.6 GB of text. Argument: threads.
void ConvertHundredMillionEdges(benchmark::State& state) {
  const Scratch text("large.txt"), output("large.fg");
  write_edge_list(rmat(22, 24), text.path());
  store::ConvertOptions options;
  options.build.threads = options.read.threads = static_cast<int>(state.range(0));
  for (auto _ : state) store::convert({text.path()}, output.path(), options);
  state.SetBytesProcessed(static_cast<std::int64_t>(std::filesystem::file_size(text.path())));
}
BENCHMARK(ConvertHundredMillionEdges)
    ->Arg(2)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// Argument: scale. Opening must not depend on it.
void OpenStore(benchmark::State& state) {
  const Scratch output("open.fg");
  store::generate(rmat(static_cast<int>(state.range(0))), output.path(), {});
  for (auto _ : state) benchmark::DoNotOptimize(store::Store::open(output.path()));
}
BENCHMARK(OpenStore)->Arg(10)->Arg(20)->Unit(benchmark::kMicrosecond);

/// Argument: threads. Checksums of the out lists, page cache warm.
void FirstTouch(benchmark::State& state) {
  const Scratch output("touch.fg");
  store::generate(rmat(20), output.path(), {});
  std::int64_t bytes = 0;
  for (auto _ : state) {
    const auto opened = store::Store::open(output.path());
    const CsrView out = opened->out(static_cast<int>(state.range(0)));
    bytes +=
        static_cast<std::int64_t>(out.edges * sizeof(VertexId) + out.vertices * sizeof(EdgeId));
  }
  state.SetBytesProcessed(bytes);
}
BENCHMARK(FirstTouch)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace fathom
