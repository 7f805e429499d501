// fathom bench: redoes experiments of the papers; `fathom bench list` names them.
#include "bench/papers/benchmarks.hpp"

#include <fmt/format.h>

#include <chrono>

#include "cli/shared/console.hpp"
#include "cli/shared/words/command_words.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/random.hpp"

namespace fathom::cli {
namespace {

struct Benchmark {
  const char* name;
  const char* redoes;
  void (*add)(CLI::App& bench, Session& session);
};

constexpr Benchmark kBenchmarks[] = {
    {"dynamic",
     "aimGraph, faimGraph, ouroGraph: Tables 3.1, 4.1 to 4.4 and 6.1, Figures 3.2 to 6.13: graphs "
     "that change",
     add_bench_dynamic},
    {"emogi", "EMOGI, Figures 8 to 12 and Table 3: access patterns and unified memory on a GPU",
     add_bench_emogi},
    {"gts", "GTS, Tables 1, 3 and 4, Figures 6 to 14: streamed pages, by size of graph and place",
     add_bench_gts},
    {"halo",
     "HALO, Figures 1, 3, 6, 7, 9 to 13: searches in several orders, wherever the edges are",
     add_bench_halo},
    {"link", "EMOGI, Figures 3 and 4, and more: the link between a GPU and host memory, measured",
     add_bench_link},
    {"memory",
     "Ouroboros, Figures 5.8, 5.9, 5.12, 5.15 and 5.16: allocators for many threads, of the host "
     "or a GPU",
     add_bench_memory},
    {"reuse", "Algorithms one after the other on one graph, in random order, and each alone",
     add_bench_reuse},
    {"msbfs",
     "HALO, Figure 7: searches from many sources that share the lists they fetch, and do not",
     add_bench_msbfs},
    {"order", "HALO, Figures 3c, 8, 9 and 10: what orders of the vertices do for searches, counted",
     add_bench_order},
    {"requests", "EMOGI, Figures 5, 6, 7 and 10: requests over the link, modelled on the CPU",
     add_bench_requests},
};

void list_benchmarks() {
  for (const Benchmark& b : kBenchmarks) print("{:<12}{}\n", b.name, b.redoes);
}

/// @throws Error(Usage) unless one of the benchmarks was named.
void check_named(const CLI::App& bench) {
  if (!bench.get_subcommands().empty()) return;
  const auto words = bench.remaining();
  throw Error(ErrorCode::Usage,
              (words.empty() ? "bench needs the name of a benchmark"
                             : fmt::format("there is no benchmark '{}'", words.front())) +
                  "; `fathom bench list` names them\nTry 'fathom bench --help'.");
}

}  // namespace

std::vector<VertexId> pick_sources(const CsrView& lists, std::uint64_t count, std::uint64_t seed) {
  if (lists.edges == 0)
    throw Error(ErrorCode::Usage, "a graph without edges has no vertex to search from");
  std::vector<VertexId> sources;
  const RandomStream random(seed, 0);
  for (std::uint64_t i = 0; sources.size() < count; ++i) {
    const auto v = static_cast<VertexId>(bounded(random.at(i), lists.vertices));
    if (lists.degree(v) > 0) sources.push_back(v);
  }
  return sources;
}

void add_order_options(CLI::App& command, std::vector<std::string>& methods,
                       reorder::Options& options) {
  command.add_option("--methods", methods, "Orders to judge, as `fathom reorder` names them")
      ->type_name("M")
      ->check(CLI::IsMember(reorder::method_names()));
  command.add_option("--samples", options.samples, "Searches that HALO and BFS-BP sample")
      ->type_name("K")
      ->check(CLI::Range(VertexId{2}, kNoVertex - 1))
      ->capture_default_str();
  command.add_flag("--by-component", options.by_component,
                   "Order weak components one after the other");
}

TimedOrder time_order(const LoadedGraph& graph, const reorder::Options& options) {
  const auto start = std::chrono::steady_clock::now();
  reorder::Permutation order = make_order(graph.context(), graph.graph(), options);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return {std::move(order), took.count()};
}

void add_bench(CLI::App& program, Session& session) {
  auto* bench = program.add_subcommand("bench", "Experiments of the papers, redone");
  bench->parse_complete_callback([bench] { check_named(*bench); });
  bench->footer(
      "`fathom bench WHAT --help` explains one.\n\n"
      "Example:\n"
      "  fathom bench list");
  auto* list = bench->add_subcommand("list", "Name the benchmarks and the figures they redo");
  list->footer(
      "Example:\n"
      "  fathom bench list");
  list->callback([&session] { session.command = list_benchmarks; });
  for (const Benchmark& b : kBenchmarks) b.add(*bench, session);
  bench->add_subcommand(kCommandWords)->group("")->callback([bench, &session] {
    session.command = [bench] { print("{}\n", command_words(*bench)); };
  });
  bench->allow_extras();  // for check_named to name; the benchmarks, made before, refuse theirs
}

}  // namespace fathom::cli
