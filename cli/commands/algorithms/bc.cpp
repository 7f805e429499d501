// fathom bc: which vertices lie between the others.
#include <fmt/format.h>

#include <memory>

#include "cli/commands/algorithms/shared/algorithm_run.hpp"
#include "cli/commands/algorithms/shared/ranking.hpp"
#include "cli/commands/commands.hpp"
#include "fathom/algorithms/betweenness/betweenness.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

struct BcCommand {
  AlgorithmOptions common;
  std::vector<std::string> sources;
  BetweennessOptions options;
};

void run_bc(const BcCommand& c, Session& session) {
  AlgorithmRun run("bc", c.common, session);
  BetweennessOptions options = c.options;
  options.sources = run.loaded().find(c.sources);
  const BetweennessResult result =
      run.measure([&] { return betweenness(run.context(), run.graph(), options); },
                  [&](const BetweennessResult& r) {
                    verify_betweenness(run.checking_context(), run.checking_graph(), options, r);
                  });
  const std::vector<io::ResultColumn> columns{{"betweenness", result.centrality.span()}};
  const auto any = [](double value) { return value > 0; };
  const auto ranked = [&](std::uint64_t k) {
    return Ranking{"vertex", "betweenness", largest(result.centrality.span(), k, any, run.rows())};
  };
  std::string summary = fmt::format(
      "bc: {} source{} of {} vertices, batches of {}\n", format_count(result.sources.size()),
      result.sources.size() == 1 ? "" : "s", format_count(result.centrality.size()), result.batch);
  if (run.top() == 0) summary += table_of(ranked(kShownVertices), run.loaded());
  run.finish(result.report,
             {{"sources", result.sources.size()},
              {"batch", result.batch},
              {"normalized", options.normalized},
              {"weighted", options.weighted}},
             columns, ranked(run.top()), summary);
}

}  // namespace

void add_bc(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "bc", "Betweenness centrality: how many shortest paths pass through each vertex (Brandes)");
  auto c = std::make_shared<BcCommand>();
  auto* sources = command->add_option("--source", c->sources,
                                      "Count paths from these vertices only, by their labels");
  sources->type_name("LABEL");
  command
      ->add_option("--k", c->options.samples,
                   "Estimate from N random sources (default: all vertices, exact)")
      ->type_name("N")
      ->check(CLI::Range(VertexId{1}, kNoVertex - 1))
      ->excludes(sources);
  command->add_option("--seed", c->options.seed, "Which random sources")
      ->type_name("S")
      ->capture_default_str();
  command->add_flag("!--no-normalized", c->options.normalized,
                    "Do not divide by the number of pairs of vertices");
  command->add_flag("--weighted", c->options.weighted, "Shortest by weight instead of by hops");
  command
      ->add_option("--batch", c->options.batch,
                   "Search by hops from at most N sources at once: they share the lists they fetch")
      ->type_name("N")
      ->check(CLI::Range(1, 8))
      ->capture_default_str();
  add_algorithm_options(*command, c->common);
  command->footer(
      "Values are scaled as NetworkX does. Exact centrality searches from every vertex: for large\n"
      "graphs use --k. Result columns: vertex, betweenness.\n\n"
      "Examples:\n"
      "  fathom bc graph.fg --k 64 --top 10\n"
      "  fathom bc small.fg --weighted -o betweenness.tsv");
  command->callback([c, &session] { session.command = [c, &session] { run_bc(*c, session); }; });
}

}  // namespace fathom::cli
