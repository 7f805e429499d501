// fathom tc: triangles, in all and around each vertex.
#include <fmt/format.h>

#include <memory>

#include "cli/commands/algorithms/shared/algorithm_run.hpp"
#include "cli/commands/commands.hpp"
#include "fathom/algorithms/triangles/triangles.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

struct TcCommand {
  AlgorithmOptions common;
  bool per_vertex = false;
};

void run_tc(const TcCommand& c, Session& session) {
  // It reads degree-oriented lists alone.
  AlgorithmRun run("tc", c.common, session, LoadedGraph::Opens::Nothing);
  TrianglesOptions options;
  options.per_vertex = c.per_vertex || !c.common.output.result.empty() || run.top() > 0;
  const TrianglesResult result =
      run.measure([&] { return count_triangles(run.context(), run.graph(), options); },
                  [&](const TrianglesResult& r) {
                    verify_triangles(run.checking_context(), run.checking_graph(), r);
                  });
  // Counts are below 2^63, where signed and unsigned numbers look alike.
  const std::span<const std::int64_t> counts(
      reinterpret_cast<const std::int64_t*>(result.per_vertex.data()), result.per_vertex.size());
  const std::vector<io::ResultColumn> columns{{"triangles", counts}};
  const auto any = [](std::uint64_t count) { return count > 0; };
  const Ranking ranking{"vertex", "triangles",
                        largest(result.per_vertex.span(), run.top(), any, run.rows())};
  run.finish(
      result.report, {{"triangles", result.total}}, columns, ranking,
      fmt::format("tc: {} triangle{}\n", format_count(result.total), result.total == 1 ? "" : "s"));
}

}  // namespace

void add_tc(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "tc", "Triangles, whatever the direction of the edges; loops and duplicates do not matter");
  auto c = std::make_shared<TcCommand>();
  command->add_flag("--per-vertex", c->per_vertex,
                    "Also count the triangles each vertex is in (implied by -o and --top)");
  add_algorithm_options(*command, c->common);
  command->footer(
      "Result columns: vertex, triangles (those that contain the vertex).\n\n"
      "Examples:\n"
      "  fathom tc graph.fg\n"
      "  fathom tc graph.fg --top 10 -o triangles.tsv");
  command->callback([c, &session] { session.command = [c, &session] { run_tc(*c, session); }; });
}

}  // namespace fathom::cli
