// fathom bench msbfs: breadth-first searches from many sources, one by one and sharing the lists
// they fetch (the searches of HALO's Figure 7; Then et al., PVLDB 2014), wherever the edges are.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "bench/papers/benchmarks.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/loaded_graph.hpp"
#include "cli/shared/report_json.hpp"
#include "fathom/algorithms/multi_search/multi_bfs.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

struct MsbfsCommand {
  std::string graph;
  ExecutionOptions execution;
  std::uint64_t sources = MultiSearch::kMost, seed = 1;
  int trials = 3;
  BfsOptions search;
  bool json = false, quiet = false;
};

/// One way to run all searches. Bytes, requests and edges are those of the last trial.
struct Measured {
  Timing seconds, with_depths;  // with_depths: until all depths are in host memory
  std::uint64_t edges = 0;      // of the lists that were fetched
  Traffic link;
  RunReport last;
};

/// Adds one call's work to a trial's.
class Trial {
 public:
  explicit Trial(Measured& m) : m_(m) {
    m.edges = 0;
    m.link = {};
    m.seconds.trials.push_back(0);
    m.with_depths.trials.push_back(0);
  }

  /// What search() gives; its report goes to the measurements.
  template <class Search>
  auto run(const Search& search) {
    const auto start = std::chrono::steady_clock::now();
    auto result = search();
    m_.with_depths.trials.back() +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    m_.seconds.trials.back() += result.report.seconds;
    m_.edges += result.report.edges_traversed;
    m_.link = m_.link + result.report.link;
    m_.last = std::move(result.report);
    return result;
  }

 private:
  Measured& m_;
};

Measured together(const MsbfsCommand& c, const LoadedGraph& graph,
                  std::span<const VertexId> sources, MultiBfsResult& result) {
  const MultiBfsOptions options{c.search.direction, c.search.depth_limit, c.search.hints};
  Measured m;
  for (int i = 0; i < c.trials; ++i) {
    result = {};  // two results at a time would count twice against the budget
    result =
        Trial(m).run([&] { return multi_bfs(graph.context(), graph.graph(), sources, options); });
  }
  return m;
}

/// @throws Error(VerificationFailed) unless the depths are those of `expected`.
Measured one_by_one(const MsbfsCommand& c, const LoadedGraph& graph,
                    std::span<const VertexId> sources, const MultiBfsResult& expected) {
  Measured m;
  for (int t = 0; t < c.trials; ++t) {
    Trial trial(m);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const BfsResult one = trial.run(
          [&] { return bfs(graph.context(), graph.graph(), sources.subspan(i, 1), c.search); });
      if (!std::ranges::equal(one.depth, expected.depths(i)))
        throw Error(ErrorCode::VerificationFailed,
                    fmt::format("the depths from {} are not the same alone and with other sources",
                                graph.label(sources[i])));
    }
  }
  return m;
}

Json json_of(const Measured& m) {
  return {{"seconds", m.seconds.median()},
          {"trials", m.seconds.trials},
          {"seconds_with_depths", m.with_depths.median()},
          {"edges", m.edges},
          {"link_bytes", m.link.bytes},
          {"link_requests", m.link.requests}};
}

double gain(double a, double b) {
  return b > 0 ? a / b : 0;
}

std::string line(const std::string& what, double alone, double shared, double unit, int digits) {
  return fmt::format("  {:<34} {:>14.{}f} {:>14.{}f} {:>8.2f}x\n", what, alone / unit, digits,
                     shared / unit, digits, gain(alone, shared));
}

std::string table(const Measured& alone, const Measured& shared) {
  const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
  std::string text = fmt::format("  {:<34} {:>14} {:>14}\n", "", "one by one", "together");
  text += line("seconds", alone.seconds.median(), shared.seconds.median(), 1, 4);
  text += line("seconds until all depths are there", alone.with_depths.median(),
               shared.with_depths.median(), 1, 4);
  text += line("million edges of fetched lists", number(alone.edges), number(shared.edges), 1e6, 2);
  if (alone.link.bytes > 0) {
    text += line("MB over the link", number(alone.link.bytes), number(shared.link.bytes), 1e6, 1);
    text += line("thousand requests", number(alone.link.requests), number(shared.link.requests),
                 1e3, 0);
  }
  return text;
}

void run_msbfs(const MsbfsCommand& c, Session& session) {
  const LoadedGraph graph(c.graph, c.execution, session.task(c.quiet));
  const auto sources = pick_sources(graph.store().out(c.execution.threads), c.sources, c.seed);
  // Places the edges and loads the kernels.
  bfs(graph.context(), graph.graph(), std::span(sources).first(1), c.search);

  MultiBfsResult result;
  const Measured shared = together(c, graph, sources, result);
  const Measured alone = one_by_one(c, graph, sources, result);
  session.progress.clear();

  if (!c.json) {
    print("{} searches on {}: {} vertices, {} edges, {}; {}\n", sources.size(), printable(c.graph),
          format_count(graph.graph().vertices()), format_count(graph.graph().edges()),
          graph.graph().residency(), graph.context().device_name());
    write_out(table(alone, shared));
    return;
  }
  Json report{{"schema", "fathom.bench.msbfs/1"},
              {"graph", graph_json(graph.store().header(), c.graph)},
              {"device", graph.context().device_name()},
              {"residency", graph.graph().residency()},
              {"threads", graph.context().threads()},
              {"sources", sources.size()},
              {"one_by_one", json_of(alone)},
              {"together", json_of(shared)},
              {"speedup", gain(alone.seconds.median(), shared.seconds.median())}};
  report["together"]["supersteps"] = supersteps_json(shared.last);
  write_out(to_text(report));
}

void add_direction(CLI::App& command, Direction& direction) {
  static const std::map<std::string, Direction> directions{
      {"auto", Direction::Auto}, {"push", Direction::Push}, {"pull", Direction::Pull}};
  command
      .add_option_function<std::string>(
          "--direction", [&direction](const std::string& name) { direction = directions.at(name); },
          "Follow out-edges of the frontier (push), look back from unreached vertices (pull), or "
          "whichever is cheaper (auto, the default)")
      ->check(CLI::IsMember({"auto", "push", "pull"}));
}

}  // namespace

void add_bench_msbfs(CLI::App& bench, Session& session) {
  auto* command = bench.add_subcommand(
      "msbfs", "Searches from many sources, one by one and together (HALO, Figure 7)");
  auto c = std::make_shared<MsbfsCommand>();
  add_graph(*command, c->graph);
  command->add_option("--sources", c->sources, "Random vertices with edges to search from")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, MultiSearch::kMost))
      ->capture_default_str();
  command->add_option("--seed", c->seed, "Which vertices")->type_name("S")->capture_default_str();
  add_direction(*command, c->search.direction);
  command->add_flag("!--no-hints", c->search.hints, "When pulling on a GPU, do without hints");
  command->add_option("--trials", c->trials, "Run N times; times are medians")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  add_execution_options(*command, c->execution);
  command->add_flag("--json", c->json, "Print one JSON object");
  command->add_flag("-q,--quiet", c->quiet, "No progress");
  command->footer(
      "Both ways give the same depths, which is checked. Times leave loading out.\n\n"
      "Examples:\n"
      "  fathom generate rmat --scale 20 -o kron20.fg\n"
      "  fathom bench msbfs kron20.fg\n"
      "  fathom bench msbfs kron20.fg --device cuda --residency zerocopy --cache none --json");
  command->callback([c, &session] { session.command = [c, &session] { run_msbfs(*c, session); }; });
}

}  // namespace fathom::cli
