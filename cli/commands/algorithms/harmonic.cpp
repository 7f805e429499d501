// fathom harmonic: how near each vertex is to all others.
#include <fmt/format.h>

#include <memory>

#include "cli/commands/algorithms/shared/algorithm_run.hpp"
#include "cli/commands/algorithms/shared/ranking.hpp"
#include "cli/commands/commands.hpp"
#include "fathom/algorithms/harmonic/harmonic.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

struct HarmonicCommand {
  AlgorithmOptions common;
  HarmonicOptions options;
};

void run_harmonic(const HarmonicCommand& c, Session& session) {
  AlgorithmRun run("harmonic", c.common, session);
  const HarmonicResult result =
      run.measure([&] { return harmonic(run.context(), run.graph(), c.options); },
                  [&](const HarmonicResult& r) {
                    verify_harmonic(run.checking_context(), run.checking_graph(), c.options, r);
                  });
  const std::span<const double> values = result.centrality.span();
  const std::vector<io::ResultColumn> columns{{"harmonic", values}};
  const auto any = [](double value) { return value > 0; };
  const auto ranked = [&](std::uint64_t k) {
    return Ranking{"vertex", "harmonic", largest(values, k, any, run.rows())};
  };
  std::string summary =
      fmt::format("harmonic: {} source{} of {} vertices\n", format_count(result.sources.size()),
                  result.sources.size() == 1 ? "" : "s", format_count(values.size()));
  if (run.top() == 0) summary += table_of(ranked(kShownVertices), run.loaded());
  run.finish(result.report, {{"sources", result.sources.size()}}, columns, ranked(run.top()),
             summary);
}

}  // namespace

void add_harmonic(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "harmonic", "Harmonic centrality: how near each vertex is to those that reach it");
  auto c = std::make_shared<HarmonicCommand>();
  command
      ->add_option("--k", c->options.samples,
                   "Estimate from N random sources (default: all vertices, exact)")
      ->type_name("N")
      ->check(CLI::Range(VertexId{2}, kNoVertex - 1));
  command->add_option("--seed", c->options.seed, "Which random sources")
      ->type_name("S")
      ->capture_default_str();
  add_algorithm_options(*command, c->common);
  command->footer(
      "The value of x is the sum of 1 / d(y, x) over all other vertices y, where d counts edges\n"
      "from y to x; it is not normalised. Exact centrality searches from every vertex: for large\n"
      "graphs use --k. Result columns: vertex, harmonic.\n\n"
      "Examples:\n"
      "  fathom harmonic graph.fg --k 64 --top 10\n"
      "  fathom harmonic small.fg -o harmonic.tsv");
  command->callback(
      [c, &session] { session.command = [c, &session] { run_harmonic(*c, session); }; });
}

}  // namespace fathom::cli
