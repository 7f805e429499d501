// fathom radius: how far vertices reach, and how wide the graph is, estimated.
#include <fmt/format.h>

#include <memory>

#include "cli/commands/algorithms/shared/algorithm_run.hpp"
#include "cli/commands/commands.hpp"
#include "fathom/algorithms/radius/radius.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

struct RadiusCommand {
  AlgorithmOptions common;
  RadiusOptions options;
};

/// [r]: vertices of effective radius r.
std::vector<std::uint64_t> radius_counts(const RadiusResult& result) {
  std::vector<std::uint64_t> count(result.farthest.empty() ? 0 : result.diameter + std::size_t{1});
  for (const std::uint32_t radius : result.effective_radius) ++count[radius];
  while (!count.empty() && count.back() == 0) count.pop_back();
  return count;
}

std::string hop_table(const RadiusResult& result) {
  const auto counts = radius_counts(result);
  constexpr std::size_t kShown = 24;  // long paths: the first and the last hops
  std::string table =
      fmt::format("  {:>6}  {:>20}  {:>20}\n", "hops", "pairs within", "vertices of radius");
  for (std::size_t h = 0; h < result.pairs.size(); ++h) {
    if (result.pairs.size() > 2 * kShown && h == kShown) {
      table += fmt::format("  {:>6}  {:>20}  {:>20}\n", "...", "...", "...");
      h = result.pairs.size() - kShown;
    }
    table += fmt::format("  {:>6}  {:>20.6g}  {:>20}\n", h, result.pairs[h],
                         format_count(h < counts.size() ? counts[h] : 0));
  }
  return table;
}

void run_radius(const RadiusCommand& c, Session& session) {
  AlgorithmRun run("radius", c.common, session);
  RadiusResult result =
      run.measure([&] { return estimate_radius(run.context(), run.graph(), c.options); },
                  [&](const RadiusResult& r) {
                    verify_radius(run.checking_context(), run.checking_graph(), c.options, r);
                  });
  const std::span<const std::uint32_t> radii = std::as_const(result).effective_radius.span();
  const std::vector<io::ResultColumn> columns{{"effective_radius", radii},
                                              {"farthest", std::as_const(result).farthest.span()}};
  const Ranking ranking{"vertex", "effective_radius",
                        largest(
                            radii, run.top(), [](auto) { return true; }, run.rows())};
  run.finish(
      result.report,
      {{"effective_diameter", result.effective_diameter},
       {"diameter", result.diameter},
       {"sketches", c.options.sketches},
       {"seed", c.options.seed},
       {"quantile", c.options.quantile},
       {"pairs", result.pairs},
       {"radius_counts", radius_counts(result)}},
      columns, ranking,
      fmt::format("radius: effective diameter {:.2f}, diameter at least {} (estimated with "
                  "{} sketches)\n",
                  result.effective_diameter, format_count(result.diameter), c.options.sketches) +
          hop_table(result));
}

}  // namespace

void add_radius(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "radius", "Effective radius of every vertex and effective diameter, estimated (HADI)");
  auto c = std::make_shared<RadiusCommand>();
  command
      ->add_option("--sketches", c->options.sketches,
                   "Sketches per vertex, an even number: 32 estimate within 14 %, 128 within 7 %")
      ->type_name("K")
      ->capture_default_str();
  command->add_option("--seed", c->options.seed, "The same seed gives the same result everywhere")
      ->type_name("S")
      ->capture_default_str();
  command
      ->add_option("--quantile", c->options.quantile,
                   "What share of the reachable vertices \"effective\" means, 0 to 1")
      ->type_name("X")
      ->capture_default_str();
  command
      ->add_option("--max-iter", c->options.max_hops, "Give up after so many hops (exit status 7)")
      ->type_name("N")
      ->check(greater_than_zero());
  add_algorithm_options(*command, c->common);
  command->footer(
      "Along out-edges. Result columns: vertex, effective_radius (hops within which 90 % of what\n"
      "the vertex reaches is), farthest (at most its eccentricity).\n\n"
      "Examples:\n"
      "  fathom radius graph.fg\n"
      "  fathom radius web.fg --sketches 128 -o radii.tsv");
  command->callback(
      [c, &session] { session.command = [c, &session] { run_radius(*c, session); }; });
}

}  // namespace fathom::cli
