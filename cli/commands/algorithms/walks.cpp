// fathom walks: random walks from given vertices or from all of them.
#include "fathom/algorithms/walks/walks.hpp"

#include <fmt/format.h>

#include <memory>

#include "cli/commands/algorithms/shared/algorithm_run.hpp"
#include "cli/commands/commands.hpp"
#include "cli/shared/result_output.hpp"
#include "fathom/core/units.hpp"
#include "fathom/io/table_writer.hpp"

namespace fathom::cli {
namespace {

struct WalksCommand {
  AlgorithmOptions common;
  std::vector<std::string> sources;
  std::uint64_t per_source = 1, per_vertex = 0;
  WalkOptions options;
};

/// A row per walk, as walks come; behind the end of one its fields are empty.
class WalkTable {
 public:
  WalkTable(const std::string& path, const AlgorithmRun& run, std::size_t width)
      : file_(open_table(path)), run_(run), width_(width) {
    for (std::size_t i = 0; i < width; ++i) file_.field(fmt::format("v{}", i));
    file_.end_row();
  }
  void add(std::span<const VertexId> rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      file_.field(rows[i] == kNoVertex ? std::string() : run_.loaded().label(rows[i]));
      if ((i + 1) % width_ == 0) file_.end_row();
    }
  }
  void commit() { file_.commit(); }

 private:
  io::TableWriter file_;
  const AlgorithmRun& run_;
  std::size_t width_;
};

void run_walks(const WalksCommand& c, Session& session) {
  if (!c.common.output.result.empty()) table_separator(c.common.output.result);
  if (c.sources.empty() == (c.per_vertex == 0))
    throw Error(ErrorCode::Usage, "walks begin at --source, or --per-vertex of them at every one");
  WalkOptions options = c.options;
  options.per_source = c.sources.empty() ? c.per_vertex : c.per_source;
  AlgorithmTraits traits{"walks"};
  traits.reads_weights = options.weighted;
  AlgorithmRun run(traits, c.common, session);
  const std::vector<VertexId> ids = run.loaded().find(c.sources);
  const WalkSources sources = c.sources.empty() ? WalkSources() : WalkSources(ids);
  // Walks are not kept: they are drawn again, the same ones, where they are checked or written.
  const auto draw = [&](const WalkConsumer& consume) {
    return random_walks(run.context(), run.graph(), sources, options, consume);
  };
  const WalksResult result =
      run.measure([&] { return draw(nullptr); },
                  [&](const WalksResult&) {
                    draw([&](std::uint64_t first, std::span<const VertexId> rows) {
                      verify_walks(run.checking_graph(), sources, options, first, rows);
                    });
                  });
  const auto write = [&](const std::string& path) {
    WalkTable table(path, run, std::size_t{options.length} + 1);
    draw([&](std::uint64_t, std::span<const VertexId> rows) { table.add(rows); });
    table.commit();
  };
  Json json = {{"walks", result.walks},        {"steps", result.steps},
               {"ended", result.ended},        {"length", options.length},
               {"weighted", options.weighted}, {"restart", options.restart},
               {"seed", options.seed}};
  if (c.sources.empty())
    json["per_vertex"] = c.per_vertex;
  else
    json["per_source"] = c.per_source;
  run.finish(result.report, std::move(json), write,
             fmt::format("walks: {} walks of {} steps in all, {} ended early\n",
                         format_count(result.walks), format_count(result.steps),
                         format_count(result.ended)));
}

}  // namespace

void add_walks(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand("walks", "Random walks from given vertices or from all");
  auto c = std::make_shared<WalksCommand>();
  auto* source = command->add_option("--source", c->sources,
                                     "Where walks begin: a vertex by its label, or several");
  source->type_name("LABEL");
  command->add_option("--per-source", c->per_source, "Walks from each source")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->needs(source);
  command->add_option("--per-vertex", c->per_vertex, "Walks from every vertex")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->excludes(source);
  command->add_option("--length", c->options.length, "Steps of a walk at most")
      ->type_name("L")
      ->capture_default_str();
  command->add_flag("--weighted", c->options.weighted, "Go along edges in proportion to weights");
  command
      ->add_option("--restart", c->options.restart,
                   "The probability that a step leads back to where the walk began")
      ->type_name("P")
      ->capture_default_str();
  command->add_option("--seed", c->options.seed, "Other walks for another number")
      ->type_name("N")
      ->capture_default_str();
  add_edge_algorithm_options(*command, c->common,
                             "Write a row for each walk; the name ends in .tsv or .csv");
  command->footer(
      "Columns of the walks: v0, where a walk begins, to vL. One ends early where no edge leads "
      "on;\n"
      "its other fields are empty.\n\n"
      "Examples:\n"
      "  fathom walks graph.fg --source 3 --per-source 4 --length 10 -o walks.tsv\n"
      "  fathom walks graph.fg --per-vertex 10 --length 80 --seed 7 -o walks.tsv\n"
      "  fathom walks graph.fg --source 3 --per-source 1000 --restart 0.15 --verify");
  command->callback([c, &session] { session.command = [c, &session] { run_walks(*c, session); }; });
}

}  // namespace fathom::cli
