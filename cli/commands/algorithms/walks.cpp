// fathom walks: random walks from given vertices or from all of them.
#include "fathom/algorithms/walks/walks.hpp"

#include <fmt/format.h>

#include <memory>

#include "cli/commands/algorithms/shared/algorithm_run.hpp"
#include "cli/commands/algorithms/shared/row_output.hpp"
#include "cli/commands/commands.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/ranks/ranks.hpp"
#include "fathom/core/units.hpp"
#include "fathom/io/vertex_file.hpp"

namespace fathom::cli {
namespace {

struct WalksCommand {
  AlgorithmOptions common;
  std::vector<std::string> sources;
  std::string file;  // of more of them
  std::uint64_t per_source = 1, per_vertex = 0;
  WalkOptions options;
};

/// Where walks begin, in the order of results.
std::vector<VertexId> sources_of(const WalksCommand& c, const LoadedGraph& loaded) {
  std::vector<VertexId> ids = loaded.find(c.sources);
  if (!c.file.empty()) {
    const std::vector<VertexId> more = io::read_vertices(c.file, loaded.finder());
    ids.insert(ids.end(), more.begin(), more.end());
  }
  return ids;
}

std::vector<std::string> column_names(std::size_t width) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < width; ++i) names.push_back(fmt::format("v{}", i));
  return names;
}

void run_walks(const WalksCommand& c, Session& session) {
  if (!c.common.output.result.empty()) table_separator(c.common.output.result);
  if ((c.sources.empty() && c.file.empty()) == (c.per_vertex == 0))
    throw Error(ErrorCode::Usage,
                "walks begin at --source or --sources, or --per-vertex of them at every one");
  WalkOptions options = c.options;
  options.per_source = c.per_vertex > 0 ? c.per_vertex : c.per_source;
  AlgorithmTraits traits{"walks"};
  traits.reads_weights = options.weighted;
  AlgorithmRun run(traits, c.common, session);
  options.label_of = [&](VertexId v) { return printable(run.loaded().label(v)); };
  const std::vector<VertexId> ids = sources_of(c, run.loaded());
  check_same_content(*session.group, c.file, std::as_bytes(std::span(ids)));
  WalkSources sources;
  if (c.per_vertex == 0)
    sources = ids;
  else if (!run.loaded().rows().natural())
    sources = run.loaded().rows().vertex.span();

  // Walks are not kept: they are checked and written as they are drawn.
  const std::size_t width = std::size_t{options.length} + 1;
  RowOutput rows(run, session, [&] { return column_names(width); });
  const WalkConsumer take = [&](std::uint64_t first, std::span<const VertexId> walks) {
    rows.check([&] { verify_walks(run.checking_graph(), sources, options, first, walks); });
    rows.write([&](io::TableWriter& table) {
      for (std::size_t i = 0; i < walks.size(); ++i) {
        table.field(walks[i] == kNoVertex ? std::string() : run.loaded().label(walks[i]));
        if ((i + 1) % width == 0) table.end_row();
      }
    });
  };
  const WalksResult result = run.measure(
      [&] {
        const bool shown = rows.begin_trial();
        return random_walks(run.context(), run.graph(), sources, options, shown ? take : nullptr);
      },
      [](const WalksResult&) {});
  Json json = {{"walks", result.walks},    {"steps", result.steps},        {"ended", result.ended},
               {"length", options.length}, {"weighted", options.weighted}, {"p", options.p},
               {"q", options.q},           {"restart", options.restart},   {"seed", options.seed}};
  if (c.per_vertex > 0)
    json["per_vertex"] = c.per_vertex;
  else
    json["per_source"] = c.per_source;
  rows.finish(result.report, std::move(json),
              fmt::format("walks: {} walks of {} steps in all, {} ended early\n",
                          format_count(result.walks), format_count(result.steps),
                          format_count(result.ended)));
}

void add_bias(CLI::App& command, const char* name, double& value, const char* meaning) {
  command.add_option(name, value, meaning)
      ->type_name(name[2] == 'p' ? "P" : "Q")
      ->capture_default_str();
}

void add_sources(CLI::App& command, WalksCommand& c) {
  auto* source = command.add_option("--source", c.sources,
                                    "Where walks begin: a vertex by its label, or several");
  source->type_name("LABEL");
  auto* file = command.add_option("--sources", c.file,
                                  "Where walks begin: labels, one per line; what follows a tab is "
                                  "left out");
  file->type_name("FILE");
  auto* each = command.add_option("--per-source", c.per_source, "Walks from each source");
  each->type_name("N")->check(CLI::PositiveNumber)->capture_default_str();
  command.add_option("--per-vertex", c.per_vertex, "Walks from every vertex")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->excludes(source)
      ->excludes(file)
      ->excludes(each);
}

}  // namespace

void add_walks(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand("walks", "Random walks from given vertices or from all");
  auto c = std::make_shared<WalksCommand>();
  add_sources(*command, *c);
  command->add_option("--length", c->options.length, "Steps of a walk at most")
      ->type_name("L")
      ->capture_default_str();
  command->add_flag("--weighted", c->options.weighted, "Go along edges in proportion to weights");
  add_bias(*command, "--p", c->options.p,
           "node2vec: 1 / P times as likely goes back to where it came from (0.001 to 1000)");
  add_bias(*command, "--q", c->options.q,
           "node2vec: 1 / Q times as likely goes where no edge leads from there (0.001 to "
           "1000). By weight a step takes the more tries the further P and Q are apart");
  command
      ->add_option("--restart", c->options.restart,
                   "The probability that a step leads back to where the walk began")
      ->type_name("R")
      ->capture_default_str();
  command->add_option("--seed", c->options.seed, "Other walks for another number")
      ->type_name("N")
      ->capture_default_str();
  add_edge_algorithm_options(*command, c->common,
                             "Write a row for each walk; the name ends in .tsv or .csv");
  command->footer(
      "Columns of the walks: v0, where a walk begins, to vL. One ends early where no edge leads "
      "on;\n"
      "its other fields are empty. They are written as they are drawn, as many at a time as there "
      "is\n"
      "memory for.\n\n"
      "Examples:\n"
      "  fathom walks graph.fg --source 3 --per-source 4 --length 10 -o walks.tsv\n"
      "  fathom walks graph.fg --per-vertex 10 --length 80 --p 0.25 --q 4 -o walks.tsv\n"
      "  fathom walks graph.fg --sources some.txt.gz --per-source 1000 --restart 0.15 --verify");
  command->callback([c, &session] {
    session.on_all_ranks = true;
    session.command = [c, &session] { run_walks(*c, session); };
  });
}

}  // namespace fathom::cli
