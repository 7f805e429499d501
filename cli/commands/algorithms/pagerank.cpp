// fathom pagerank: where a walk that follows edges, and sometimes jumps, spends its time.
#include <fmt/format.h>

#include <memory>

#include "cli/commands/algorithms/shared/algorithm_run.hpp"
#include "cli/commands/algorithms/shared/ranking.hpp"
#include "cli/commands/commands.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/core/units.hpp"
#include "fathom/io/vertex_file.hpp"

namespace fathom::cli {
namespace {

struct PagerankCommand {
  AlgorithmOptions common;
  std::string personalization, compat;
  PagerankOptions options;
};

PagerankCompat compat_named(const std::string& name) {
  if (name == "networkx") return PagerankCompat::Networkx;
  return name == "gap" ? PagerankCompat::Gap : PagerankCompat::None;
}

void run_pagerank(const PagerankCommand& c, Session& session) {
  AlgorithmRun run("pagerank", c.common, session);
  PagerankOptions options = c.options;
  options.compat = compat_named(c.compat);
  std::vector<double> mass;
  if (!c.personalization.empty()) {
    mass = io::read_masses(c.personalization, run.graph().vertices(), run.loaded().finder());
    options.personalization = mass;
  }
  PagerankResult result =
      run.measure([&] { return pagerank(run.context(), run.graph(), options); },
                  [&](const PagerankResult& r) {
                    verify_pagerank(run.checking_context(), run.checking_graph(), options, r);
                  });
  result.report.iterations = result.iterations;
  result.report.converged = result.converged;
  const std::span<const double> ranks = std::as_const(result).rank.span();
  const std::vector<io::ResultColumn> columns{{"rank", ranks}};
  const auto ranked = [&](std::uint64_t k) {
    return Ranking{"vertex", "rank",
                   largest(
                       ranks, k, [](double) { return true; }, run.rows())};
  };
  std::string summary = fmt::format("pagerank: {} after {} iterations, last change {:.3g}\n",
                                    result.converged ? "converged" : "not converged",
                                    result.iterations, result.residual);
  if (run.top() == 0) summary += table_of(ranked(kShownVertices), run.loaded());
  run.finish(result.report,
             {{"residual", result.residual},
              {"alpha", options.alpha},
              {"tolerance", options.tolerance},
              {"weighted", options.weighted},
              {"compat", c.compat.empty() ? Json(nullptr) : Json(c.compat)}},
             columns, ranked(run.top()), summary);
}

}  // namespace

void add_pagerank(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand("pagerank", "Importance by incoming links (PageRank)");
  auto c = std::make_shared<PagerankCommand>();
  c->common.execution.sweeps = true;
  command->add_option("--alpha", c->options.alpha, "Probability of following an edge, 0 to 1")
      ->type_name("X")
      ->capture_default_str();
  command
      ->add_option("--tol", c->options.tolerance,
                   "Stop when all ranks together change by less in an iteration")
      ->type_name("X")
      ->capture_default_str();
  command
      ->add_option("--max-iter", c->options.max_iterations, "Give up after so many (exit status 7)")
      ->type_name("N")
      ->check(greater_than_zero())
      ->capture_default_str();
  command
      ->add_option("--personalization", c->personalization,
                   "Where jumps go: lines of LABEL<TAB>WEIGHT; vertices not named get 0")
      ->type_name("FILE");
  command->add_flag("--weighted", c->options.weighted,
                    "Follow edges in proportion to their weights");
  command
      ->add_option("--compat", c->compat,
                   "networkx: stop below tol times the number of vertices; gap: the rank of "
                   "vertices without out-edges is dropped instead of spread")
      ->check(CLI::IsMember({"networkx", "gap"}));
  command->add_flag_callback(
      "--no-in-place", [c] { c->options.in_place = false; },
      "Use new ranks in the next iteration only (Jacobi), not at once");
  add_algorithm_options(*command, c->common);
  command->footer(
      "Ranks sum to 1. Result columns: vertex, rank.\n\n"
      "Examples:\n"
      "  fathom pagerank web.fg --top 20\n"
      "  fathom pagerank web.fg --personalization mine.tsv --tol 1e-9 -o ranks.tsv");
  command->callback(
      [c, &session] { session.command = [c, &session] { run_pagerank(*c, session); }; });
}

}  // namespace fathom::cli
