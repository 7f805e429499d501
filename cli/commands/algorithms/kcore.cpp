// fathom kcore: in which dense parts of the graph each vertex holds out.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "cli/commands/algorithms/shared/algorithm_run.hpp"
#include "cli/commands/commands.hpp"
#include "fathom/algorithms/kcore/kcore.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

struct KcoreCommand {
  AlgorithmOptions common;
  KcoreOptions options;
  bool layers = false;
};

/// Vertices by core number.
std::map<std::uint32_t, std::uint64_t> core_counts(const KcoreResult& result) {
  std::map<std::uint32_t, std::uint64_t> count;
  for (const std::uint32_t core : result.core) ++count[core];
  return count;
}

std::string core_table(const std::map<std::uint32_t, std::uint64_t>& counts) {
  constexpr std::size_t kShown = 12;  // the outermost and the innermost shells
  std::string table = fmt::format("  {:>10}  {:>15}\n", "core", "vertices");
  std::size_t row = 0;
  for (const auto& [core, vertices] : counts) {
    const bool left_out = row >= kShown && row + kShown < counts.size();
    if (!left_out) table += fmt::format("  {:>10}  {:>15}\n", core, format_count(vertices));
    if (left_out && row == kShown) table += fmt::format("  {:>10}  {:>15}\n", "...", "...");
    ++row;
  }
  return table;
}

void run_kcore(const KcoreCommand& c, Session& session) {
  AlgorithmRun run("kcore", c.common, session);
  const KcoreResult result =
      run.measure([&] { return kcore(run.context(), run.graph(), c.options); },
                  [&](const KcoreResult& r) {
                    verify_kcore(run.checking_context(), run.checking_graph(), c.options, r);
                  });
  std::vector<io::ResultColumn> columns{{"core", result.core.span()}};
  if (c.layers) columns.push_back({"layer", result.layer.span(), kUnpeeled});
  const Ranking ranking{"vertex", "core",
                        largest(
                            result.core.span(), run.top(), [](auto) { return true; }, run.rows())};
  const auto counts = core_counts(result);
  const std::uint64_t innermost = counts.empty() ? 0 : counts.rbegin()->second;
  Json shells = Json::array();
  for (const auto& [core, vertices] : counts)
    shells.push_back({{"core", core}, {"vertices", vertices}});
  const bool limited = c.options.limit != kUnpeeled;
  run.finish(
      result.report,
      {{"degeneracy", result.degeneracy},
       {"innermost", innermost},
       {"layers", result.layers},
       {"k", limited ? Json(c.options.limit) : Json(nullptr)},
       {"core_counts", shells}},
      columns, ranking,
      fmt::format("kcore: {} of {} vertices in the {}-core{}, {} layers\n", format_count(innermost),
                  format_count(result.core.size()), result.degeneracy,
                  limited ? "" : ", the innermost", format_count(result.layers)) +
          core_table(counts));
}

}  // namespace

void add_kcore(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "kcore", "Core numbers: the largest k such that a vertex belongs to the k-core");
  auto c = std::make_shared<KcoreCommand>();
  command
      ->add_option("--k", c->options.limit,
                   "Only find the k-core: larger core numbers are given as N")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{0}, kUnpeeled - 1));
  command->add_flag("--layers", c->layers,
                    "Also give the round in which each vertex was peeled off (onion layers)");
  add_algorithm_options(*command, c->common);
  command->footer(
      "Degrees count edges in either direction, but no loops. Result columns: vertex, core; with\n"
      "--layers also layer (from 1 on; with --k, -1 for what was left).\n\n"
      "Examples:\n"
      "  fathom kcore graph.fg --top 10\n"
      "  fathom kcore graph.fg --layers -o cores.tsv\n"
      "  fathom kcore graph.fg --k 3 -o members.tsv");
  command->callback([c, &session] { session.command = [c, &session] { run_kcore(*c, session); }; });
}

}  // namespace fathom::cli
