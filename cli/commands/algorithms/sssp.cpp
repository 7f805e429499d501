// fathom sssp: the shortest distance from one vertex to every other.
#include <fmt/format.h>

#include <memory>

#include "cli/commands/algorithms/shared/algorithm_run.hpp"
#include "cli/commands/commands.hpp"
#include "cli/shared/console.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

struct SsspCommand {
  AlgorithmOptions common;
  std::string source;
  SsspOptions search;
};

/// The largest finite distance.
Weight farthest(const SsspResult& result) {
  Weight largest = 0;
  for (const Weight d : result.distance)
    if (d < kInfinity) largest = std::max(largest, d);
  return largest;
}

void run_sssp(const SsspCommand& c, Session& session) {
  AlgorithmRun run("sssp", c.common, session);
  const VertexId source = run.loaded().find(c.source);
  const SsspResult result =
      run.measure([&] { return sssp(run.context(), run.graph(), source, c.search); },
                  [&](const SsspResult& r) {
                    verify_sssp(run.checking_context(), run.checking_graph(), source, r);
                  });
  const std::vector<io::ResultColumn> columns{{"distance", result.distance.span()}};
  const auto reached = [](Weight d) { return d < kInfinity; };
  const Ranking ranking{"vertex", "distance",
                        largest(result.distance.span(), run.top(), reached, run.rows())};
  const Weight far = farthest(result);
  run.finish(result.report,
             {{"source", c.source},
              {"reached", result.reached},
              {"max_distance", far},
              {"delta", result.delta}},
             columns, ranking,
             fmt::format("sssp from {}: {} of {} vertices reached, greatest distance {} (delta "
                         "{})\n",
                         printable(c.source), format_count(result.reached),
                         format_count(result.distance.size()), far, result.delta));
}

}  // namespace

void add_sssp(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "sssp", "Shortest distances by weight from a source (delta-stepping along out-edges)");
  auto c = std::make_shared<SsspCommand>();
  command->add_option("--source", c->source, "The vertex to start from, by its label")
      ->type_name("LABEL")
      ->required();
  command
      ->add_option("--delta", c->search.delta,
                   "Width of a bucket of distances (default: chosen from weights and degrees)")
      ->type_name("X")
      ->check(greater_than_zero());
  add_algorithm_options(*command, c->common);
  command->footer(
      "Weights are at least 0; in a graph without weights every edge has length 1. Distances are\n"
      "sums in 32-bit floating point, the same everywhere: a path of a million edges may be 1 %\n"
      "off, and one longer than 3.4e38 counts as none.\n"
      "Result columns: vertex, distance (inf: not reached). --top K lists the K farthest.\n\n"
      "Examples:\n"
      "  fathom sssp roads.fg --source 17\n"
      "  fathom sssp roads.fg --source 17 -o distances.npy --trials 5 --verify");
  command->callback([c, &session] { session.command = [c, &session] { run_sssp(*c, session); }; });
}

}  // namespace fathom::cli
