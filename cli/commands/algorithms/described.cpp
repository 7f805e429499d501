// The command of an algorithm that describes itself (fathom/algorithms/described).
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "cli/commands/algorithms/shared/algorithm_run.hpp"
#include "cli/commands/algorithms/shared/answer_columns.hpp"
#include "cli/commands/algorithms/shared/described_options.hpp"
#include "cli/commands/algorithms/shared/facts_json.hpp"
#include "cli/commands/commands.hpp"
#include "fathom/algorithms/vertex_error.hpp"
#include "fathom/exec/checkpoint/file.hpp"
#include "fathom/exec/checkpoint/options.hpp"
#include "fathom/io/table_writer.hpp"

namespace fathom::cli {
namespace {

struct DescribedCommand {
  explicit DescribedCommand(const Algorithm& its) : options(its) {}

  DescribedOptions options;
  AlgorithmOptions common;
  CheckpointOptions checkpoint;

  bool checkpoints() const { return !checkpoint.write.empty() || !checkpoint.resume.empty(); }
};

/// Before the graph is opened. @throws Error(Usage), Error(Io)
void check_checkpoint(const DescribedCommand& c, const ReplicaGroup& group) {
  const CheckpointOptions& checkpoint = c.checkpoint;
  if (checkpoint.every > 0 && checkpoint.write.empty())
    throw Error(ErrorCode::Usage, "--checkpoint-every has no effect without --checkpoint");
  if (c.checkpoints() && c.common.output.trials > 1)
    throw Error(ErrorCode::Usage, "a checkpoint is of one run: it cannot go with --trials");
  if (checkpoint.write.empty()) return;
  const std::string path = checkpoint_file(checkpoint.write, group);
  if (is_another_file(path))
    throw Error(
        ErrorCode::Usage,
        fmt::format("--checkpoint {}: is a file of another kind, which would be lost", path));
  check_writable(path);
}

void add_checkpoint_options(CLI::App& command, CheckpointOptions& checkpoint) {
  command
      .add_option("--checkpoint", checkpoint.write,
                  "Write the state of an iteration now and then, and on Ctrl-C, for --resume; of "
                  "several ranks each writes a part, FILE.0-of-4")
      ->type_name("FILE");
  command
      .add_option("--checkpoint-every", checkpoint.every,
                  "Write checkpoints after every N iterations, not every 10 s and for a tenth of "
                  "the time at most")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, ~std::uint32_t{0}));
  command
      .add_option("--resume", checkpoint.resume,
                  "Go on from this checkpoint, with the same graph, options and number of ranks")
      ->type_name("FILE");
}

/// Before the graph is opened. @throws Error(Usage), Error(Io)
void check_options(const DescribedCommand& c) {
  for (const OptionInfo& info : c.options.algorithm.options) {
    if (info.many_columns && c.options.values.flag(info.name) && c.common.output.top > 0)
      throw Error(
          ErrorCode::Usage,
          fmt::format("--top needs one value per vertex; it cannot go with --{}", info.name));
    const auto file = c.options.files.find(info.name);
    if (info.kind != OptionInfo::Kind::Table || file == c.options.files.end()) continue;
    io::table_separator(file->second);
    check_writable(file->second);
  }
}

void write_table(const std::string& path, const Fact::Table& table) {
  io::TableWriter file(path);
  for (const std::string& column : table.columns) file.field(column);
  file.end_row();
  for (const auto& row : table.rows) {
    for (const std::uint64_t value : row) file.field(value);
    file.end_row();
  }
  file.commit();
}

void write_tables(const DescribedCommand& c, const Answer& answer) {
  for (const auto& [option, path] : c.options.files)
    if (const auto table = answer.tables.find(option); table != answer.tables.end())
      write_table(path, table->second);
}

AlgorithmTraits traits_of(const DescribedOptions& options) {
  const Algorithm& its = options.algorithm;
  const StateSize state = its.state({.weighted = true}, options.values);
  return {std::string(its.name), state.chunk > 0, state.weights,
          its.reads_oriented ? LoadedGraph::Opens::Nothing : LoadedGraph::Opens::OutLists};
}

void run_described(const DescribedCommand& c, Session& session) {
  const Algorithm& algorithm = c.options.algorithm;
  check_options(c);
  check_checkpoint(c, *session.group);
  AlgorithmRun run(traits_of(c.options), c.common, session);
  OptionValues values = c.options.of(run.loaded());
  values.columns = run.wants_columns() || algorithm.shows_best;
  values.rows = run.rows();
  CheckpointOptions checkpoint = c.checkpoint;
  checkpoint.graph = run.loaded().identity();
  if (c.checkpoints()) values.checkpoint = &checkpoint;
  values.label_of = [&](VertexId v) { return run.loaded().label(v); };
  const Answer answer = run.measure(
      [&] {
        return with_labels_in_errors(
            values.label_of, [&] { return algorithm.run(run.context(), run.graph(), values); });
      },
      [&](const Answer& its) { its.verify(run.checking_context(), run.checking_graph()); });
  const AnswerColumns columns(algorithm, answer, run.loaded());
  std::string summary = answer.summary;
  if (algorithm.shows_best && run.top() == 0 && !answer.pairs)
    summary += table_of(columns.best(kShownVertices), run.loaded());
  if (session.group->rank() == 0) write_tables(c, answer);
  run.finish(answer.report, json_of(answer.facts), columns.shown(), columns.best(run.top()),
             summary, {&algorithm, &values, answer.columns, answer.pairs.has_value()});
}

}  // namespace

void add_described(CLI::App& program, Session& session, const Algorithm& algorithm) {
  CLI::App* const command =
      program.add_subcommand(std::string(algorithm.name), std::string(algorithm.purpose));
  const auto c = std::make_shared<DescribedCommand>(algorithm);
  c->common.execution.sweeps = algorithm.sweeps;
  add_described_options(*command, c->options);
  if (algorithm.checkpoints) add_checkpoint_options(*command, c->checkpoint);
  add_algorithm_options(*command, c->common);
  std::string footer = fmt::format("{}\n\nExamples:", algorithm.notes);
  for (const std::string_view example : algorithm.examples)
    footer += fmt::format("\n  fathom {} {}", algorithm.name, example);
  command->footer(footer);
  command->callback([c, &session] {
    session.on_all_ranks = true;
    session.command = [c, &session] { run_described(*c, session); };
  });
}

}  // namespace fathom::cli
