// fathom bench reuse: algorithms one after the other on one graph, in random order, against each of
// them alone on a graph of its own: what caches that share a device's memory cost.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <numeric>

#include "bench/papers/benchmarks.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/loaded_graph.hpp"
#include "fathom/algorithms/betweenness/betweenness.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/radius/radius.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/core/random.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

struct MixedCommand {
  std::string graph;
  ExecutionOptions execution;
  int rounds = 20;
  std::uint64_t seed = 1;
  bool quiet = false;
};

/// What one run took, and a number that runs with equal answers share.
struct OneRun {
  double seconds = 0;  // of the algorithm, as its report says
  double wall = 0;     // with what is made ready before it
  double answer = 0;
  std::size_t edges_near = 0;  // of out- and in-lists that have a copy in the device's memory
};

struct MixedAlgorithm {
  const char* name;
  std::function<std::pair<RunReport, double>(const LoadedGraph&, VertexId source)> run;
  std::vector<OneRun> alone, mixed;
};

template <class T>
double sum_of(const Array<T>& values) {
  double sum = 0;
  for (const T value : values) {
    const auto number = static_cast<double>(value);
    if (number < 1e9) sum += number;  // not what stands for unreached
  }
  return sum;
}

std::vector<MixedAlgorithm> mixed_algorithms(bool weighted) {
  std::vector<MixedAlgorithm> all = {
      {"bfs",
       [](const LoadedGraph& g, VertexId s) {
         BfsResult r = bfs(g.context(), g.graph(), std::span(&s, 1));
         return std::pair(std::move(r.report), sum_of(r.depth));
       },
       {},
       {}},
      {"bc",
       [](const LoadedGraph& g, VertexId) {
         BetweennessOptions options;
         options.samples = std::min<VertexId>(8, g.graph().vertices());
         BetweennessResult r = betweenness(g.context(), g.graph(), options);
         return std::pair(std::move(r.report), sum_of(r.centrality));
       },
       {},
       {}},
      {"cc",
       [](const LoadedGraph& g, VertexId) {
         ComponentsResult r = connected_components(g.context(), g.graph());
         return std::pair(std::move(r.report), static_cast<double>(r.components));
       },
       {},
       {}},
      {"pagerank",
       [](const LoadedGraph& g, VertexId) {
         PagerankResult r = pagerank(g.context(), g.graph());
         return std::pair(std::move(r.report), sum_of(r.rank));
       },
       {},
       {}},
      {"radius",
       [](const LoadedGraph& g, VertexId) {
         RadiusResult r = estimate_radius(g.context(), g.graph());
         return std::pair(std::move(r.report), sum_of(r.effective_radius));
       },
       {},
       {}}};
  if (weighted)
    all.push_back({"sssp",
                   [](const LoadedGraph& g, VertexId s) {
                     SsspResult r = sssp(g.context(), g.graph(), s);
                     return std::pair(std::move(r.report), sum_of(r.distance));
                   },
                   {},
                   {}});
  return all;
}

OneRun time_run(const MixedAlgorithm& a, const LoadedGraph& graph, VertexId source) {
  const auto start = std::chrono::steady_clock::now();
  const auto [report, answer] = a.run(graph, source);
  OneRun one;
  one.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  one.seconds = report.seconds;
  one.answer = answer;
  one.edges_near = graph.graph().out().near_edges();
  if (graph.graph().directed() && graph.graph().has_in())
    one.edges_near += graph.graph().in().near_edges();
  return one;
}

double median_of(const std::vector<OneRun>& runs, double OneRun::*field) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const OneRun& run : runs) values.push_back(run.*field);
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

void check_answers(const MixedAlgorithm& a) {
  const double expected = a.alone.front().answer;
  for (const auto* runs : {&a.alone, &a.mixed})
    for (const OneRun& run : *runs)
      if (std::abs(run.answer - expected) > 1e-3 * std::max(1., std::abs(expected)))
        throw Error(
            ErrorCode::VerificationFailed,
            fmt::format("{} answers {} alone and {} after others", a.name, expected, run.answer));
}

void run_mixed(const MixedCommand& c, Session& session) {
  constexpr int kAlone = 4;  // the first is not counted: it places the edges
  std::vector<MixedAlgorithm> all;
  VertexId source = 0;
  for (std::size_t i = 0; i == 0 || i < all.size(); ++i) {
    const LoadedGraph graph(c.graph, c.execution, session.task(c.quiet));
    if (i == 0) {
      all = mixed_algorithms(graph.graph().weighted());
      source = pick_sources(graph.store().out(c.execution.threads), 1, c.seed).front();
    }
    for (int k = 0; k < kAlone; ++k) {
      const OneRun one = time_run(all[i], graph, source);
      if (k > 0) all[i].alone.push_back(one);
    }
  }
  const LoadedGraph graph(c.graph, c.execution, session.task(c.quiet));
  const RandomStream random(c.seed, 0);
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (int round = 0; round < c.rounds; ++round) {
    for (std::size_t k = order.size(); k > 1; --k)
      std::swap(order[k - 1],
                order[bounded(random.at(order.size() * static_cast<std::size_t>(round) + k), k)]);
    for (const std::size_t i : order) {
      const OneRun one = time_run(all[i], graph, source);
      if (round > 0) all[i].mixed.push_back(one);
    }
  }
  session.progress.clear();
  const MemoryPool& memory = *graph.context().devices()[0].memory();
  print("{} rounds on {}: {}, {}; at most {} of {} of device memory\n", c.rounds,
        printable(c.graph), graph.graph().residency(), graph.context().device_name(),
        format_bytes(memory.peak()), format_bytes(memory.limit()));
  print("  {:<10} {:>11} {:>11} {:>7} {:>11} {:>11} {:>7} {:>14}\n", "", "alone ms", "mixed ms",
        "ratio", "wall alone", "wall mixed", "ratio", "edges near");
  double alone_wall = 0, mixed_wall = 0;
  for (const MixedAlgorithm& a : all) {
    check_answers(a);
    const double alone = median_of(a.alone, &OneRun::seconds),
                 mixed = median_of(a.mixed, &OneRun::seconds);
    const double wall = median_of(a.alone, &OneRun::wall),
                 walls = median_of(a.mixed, &OneRun::wall);
    alone_wall += wall;
    mixed_wall += walls;
    print("  {:<10} {:>11.3f} {:>11.3f} {:>7.2f} {:>11.3f} {:>11.3f} {:>7.2f} {:>14}\n", a.name,
          alone * 1e3, mixed * 1e3, alone > 0 ? mixed / alone : 0, wall * 1e3, walls * 1e3,
          wall > 0 ? walls / wall : 0,
          format_count(a.mixed.empty() ? 0 : a.mixed.back().edges_near));
  }
  print("  {:<10} {:>31} {:>11.3f} {:>11.3f} {:>7.2f}\n", "all", "", alone_wall * 1e3,
        mixed_wall * 1e3, alone_wall > 0 ? mixed_wall / alone_wall : 0);
}

}  // namespace

void add_bench_reuse(CLI::App& bench, Session& session) {
  auto* command =
      bench.add_subcommand("reuse", "Algorithms on one graph in random order, and each alone");
  auto c = std::make_shared<MixedCommand>();
  add_graph(*command, c->graph);
  command->add_option("--rounds", c->rounds, "Each algorithm once a round")
      ->type_name("N")
      ->check(CLI::Range(2, 1000000))
      ->capture_default_str();
  command->add_option("--seed", c->seed, "Which orders, and which vertex to search from")
      ->type_name("S")
      ->capture_default_str();
  add_execution_options(*command, c->execution);
  command->add_flag("-q,--quiet", c->quiet, "No progress");
  command->footer(
      "Times are medians; \"wall\" has what is made ready before an algorithm, such as its "
      "cache.\n\n"
      "Examples:\n"
      "  fathom generate rmat --scale 22 --weights 1:255 -o kron22.fg\n"
      "  fathom bench reuse kron22.fg --device cuda --residency zerocopy --device-memory 1GiB");
  command->callback([c, &session] { session.command = [c, &session] { run_mixed(*c, session); }; });
}

}  // namespace fathom::cli
