// fathom rwr: how near every vertex is to some sources, by a walk that keeps going back to them.
#include <fmt/format.h>

#include <memory>

#include "cli/commands/algorithms/shared/algorithm_run.hpp"
#include "cli/commands/algorithms/shared/ranking.hpp"
#include "cli/commands/commands.hpp"
#include "fathom/algorithms/pagerank/rwr.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

struct RwrCommand {
  AlgorithmOptions common;
  std::vector<std::string> sources;
  RwrOptions options;
};

void run_rwr(const RwrCommand& c, Session& session) {
  AlgorithmRun run("rwr", c.common, session);
  const auto sources = run.loaded().find(c.sources);
  RwrResult result = run.measure(
      [&] { return random_walk_with_restart(run.context(), run.graph(), sources, c.options); },
      [&](const RwrResult& r) {
        verify_random_walk(run.checking_context(), run.checking_graph(), sources, c.options, r);
      });
  result.report.iterations = result.iterations;
  result.report.converged = result.converged;
  const std::span<const double> probabilities = std::as_const(result).probability.span();
  const std::vector<io::ResultColumn> columns{{"probability", probabilities}};
  const auto ranked = [&](std::uint64_t k) {
    return Ranking{"vertex", "probability",
                   largest(
                       probabilities, k, [](double p) { return p > 0; }, run.rows())};
  };
  std::string summary = fmt::format(
      "rwr from {}: {} after {} iterations, last change {:.3g}\n",
      c.sources.size() == 1 ? c.sources[0] : fmt::format("{} sources", c.sources.size()),
      result.converged ? "converged" : "not converged", result.iterations, result.residual);
  if (run.top() == 0) summary += table_of(ranked(kShownVertices), run.loaded());
  run.finish(result.report,
             {{"sources", c.sources},
              {"residual", result.residual},
              {"restart", c.options.restart},
              {"tolerance", c.options.tolerance},
              {"weighted", c.options.weighted}},
             columns, ranked(run.top()), summary);
}

}  // namespace

void add_rwr(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "rwr", "Random walk with restart: nearness to a source (personalised PageRank)");
  auto c = std::make_shared<RwrCommand>();
  command
      ->add_option("--source", c->sources,
                   "Where the walk restarts, by labels; several: each as likely")
      ->type_name("LABEL")
      ->required();
  command->add_option("--restart", c->options.restart, "Probability of a restart, 0 to 1")
      ->type_name("X")
      ->capture_default_str();
  command
      ->add_option("--tol", c->options.tolerance,
                   "Stop when all probabilities together change by less in an iteration")
      ->type_name("X")
      ->capture_default_str();
  command
      ->add_option("--max-iter", c->options.max_iterations, "Give up after so many (exit status 7)")
      ->type_name("N")
      ->check(greater_than_zero())
      ->capture_default_str();
  command->add_flag("--weighted", c->options.weighted,
                    "Follow edges in proportion to their weights");
  add_algorithm_options(*command, c->common);
  command->footer(
      "Probabilities sum to 1; where no edge leads on the walk restarts. Result columns: vertex,\n"
      "probability.\n\n"
      "Examples:\n"
      "  fathom rwr packages.fg --source libc6 --top 10\n"
      "  fathom rwr web.fg --source 1 2 --restart 0.3 -o near.tsv");
  command->callback([c, &session] { session.command = [c, &session] { run_rwr(*c, session); }; });
}

}  // namespace fathom::cli
