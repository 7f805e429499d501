// fathom neighborhood: what lies within a few hops of some vertices.
#include <fmt/format.h>

#include <memory>

#include "cli/commands/algorithms/shared/algorithm_run.hpp"
#include "cli/commands/algorithms/shared/edge_mode.hpp"
#include "cli/commands/commands.hpp"
#include "fathom/algorithms/described/hop_table.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

struct NeighborhoodCommand {
  AlgorithmOptions common;
  std::vector<std::string> sources;
  NeighborhoodOptions options;
};

void run_neighborhood(const NeighborhoodCommand& c, Session& session) {
  AlgorithmRun run("neighborhood", c.common, session);
  const auto sources = run.loaded().find(c.sources);
  const NeighborhoodResult result = run.measure(
      [&] { return neighborhood(run.context(), run.graph(), sources, c.options); },
      [&](const NeighborhoodResult& r) {
        verify_neighborhood(run.checking_context(), run.checking_graph(), sources, c.options, r);
      });
  const auto counts = hop_counts(result.hops.span());
  const std::vector<io::ResultColumn> columns{{"hops", result.hops.span(), kUnreached}};
  const auto reached = [](std::uint32_t hops) { return hops != kUnreached; };
  const Ranking farthest{"vertex", "hops",
                         largest(result.hops.span(), run.top(), reached, run.rows())};
  run.finish(result.report,
             {{"sources", c.sources},
              {"hops", c.options.hops},
              {"mode", name_of(c.options.mode)},
              {"reached", result.reached},
              {"farthest", result.farthest},
              {"hop_counts", counts}},
             columns, farthest,
             fmt::format("neighborhood: {} of {} vertices within {} hop{}\n",
                         format_count(result.reached), format_count(result.hops.size()),
                         c.options.hops, c.options.hops == 1 ? "" : "s") +
                 hop_table("hops", counts));
}

}  // namespace

void add_neighborhood(CLI::App& program, Session& session) {
  auto* command =
      program.add_subcommand("neighborhood", "The vertices within some hops of a source");
  auto c = std::make_shared<NeighborhoodCommand>();
  command
      ->add_option("--source", c->sources,
                   "Vertices to start from, by labels; several: the nearest")
      ->type_name("LABEL")
      ->required();
  add_neighborhood_options(*command, c->options);
  add_algorithm_options(*command, c->common);
  command->footer(
      "Result columns: vertex, hops (-1: farther away). --top K lists the K farthest.\n\n"
      "Examples:\n"
      "  fathom neighborhood packages.fg --source libc6 --hops 2 --mode in\n"
      "  fathom neighborhood web.fg --source 1 --hops 3 -o near.tsv");
  command->callback(
      [c, &session] { session.command = [c, &session] { run_neighborhood(*c, session); }; });
}

}  // namespace fathom::cli
