// fathom cross-edges: the edges between given sets of vertices.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "cli/commands/algorithms/shared/algorithm_run.hpp"
#include "cli/commands/commands.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/ranks/ranks.hpp"
#include "cli/shared/result_output.hpp"
#include "fathom/algorithms/subgraph/cross_edges.hpp"
#include "fathom/core/units.hpp"
#include "fathom/io/table_writer.hpp"
#include "fathom/io/vertex_file.hpp"

namespace fathom::cli {
namespace {

using io::Partition;
static_assert(Partition::kNone == kNoSet);

struct CrossEdgesCommand {
  AlgorithmOptions common;
  std::string partition;
};

std::string pair_table(const CrossEdgesResult& result, const Partition& partition) {
  constexpr std::size_t kShown = 20;
  std::vector<SetPair> pairs = result.pairs;
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const SetPair& a, const SetPair& b) { return a.edges > b.edges; });
  std::string table;
  for (std::size_t i = 0; i < std::min(pairs.size(), kShown); ++i)
    table += fmt::format("  {:>15}  {} - {}\n", format_count(pairs[i].edges),
                         printable(partition.names[pairs[i].from]),
                         printable(partition.names[pairs[i].to]));
  if (pairs.size() > kShown)
    table += fmt::format("  {:>15}  {} more pairs\n", "...", format_count(pairs.size() - kShown));
  return table;
}

/// Writes the edges as they come, on the first rank. Others wait for it meanwhile, so that it goes
/// on without writing when whoever read the edges has gone away.
class EdgeTable {
 public:
  EdgeTable(const std::string& path, const AlgorithmRun& run, const Partition& partition)
      : run_(run), partition_(partition) {
    if (!run.writes()) return;
    file_.emplace(open_table(path));
    write([&] { add_names(); });
  }
  void add(VertexId u, VertexId v, Weight w) {
    if (file_) write([&] { add_row(u, v, w); });
  }
  void commit() {
    if (file_) file_->commit();
  }

 private:
  void write(FunctionRef<void()> add) {
    if (run_.context().ranks() == 1) return add();
    bool written = false;
    write_output([&] {
      add();
      written = true;
    });
    if (!written) file_.reset();
  }
  void add_names() {
    for (const char* name : {"source", "target", "source_set", "target_set"}) file_->field(name);
    if (run_.graph().weighted()) file_->field("weight");
    file_->end_row();
  }
  void add_row(VertexId u, VertexId v, Weight w) {
    file_->field(run_.loaded().label(u));
    file_->field(run_.loaded().label(v));
    file_->field(partition_.names[partition_.set[u]]);
    file_->field(partition_.names[partition_.set[v]]);
    if (run_.graph().weighted()) file_->field(fmt::format("{}", w));
    file_->end_row();
  }

  std::optional<io::TableWriter> file_;
  const AlgorithmRun& run_;
  const Partition& partition_;
};

void run_cross_edges(const CrossEdgesCommand& c, Session& session) {
  if (!c.common.output.result.empty()) table_separator(c.common.output.result);
  AlgorithmRun run({"cross-edges"}, c.common, session);
  const Partition partition =
      io::read_partition(c.partition, run.graph().vertices(), run.loaded().finder());
  const std::span<const std::uint32_t> set(partition.set);
  const std::string names = fmt::format("{}", fmt::join(partition.names, "\n"));
  check_same_content(*session.group, c.partition, std::as_bytes(set));
  check_same_content(*session.group, c.partition, std::as_bytes(std::span(names)));
  const CrossEdgesResult result =
      run.measure([&] { return cross_edges(run.context(), run.graph(), set); },
                  [&](const CrossEdgesResult& r) {
                    verify_cross_edges(run.checking_context(), run.checking_graph(), set, r);
                  });
  Json pairs = Json::array();
  for (const SetPair& pair : result.pairs)
    pairs.push_back({{"from", partition.names[pair.from]},
                     {"to", partition.names[pair.to]},
                     {"edges", pair.edges}});
  const auto write = [&](const std::string& path) {
    // Edges are not kept: they are looked up again, now that the counts are known to be right.
    EdgeTable table(path, run, partition);
    cross_edges(run.context(), run.graph(), set,
                [&](VertexId u, VertexId v, Weight w) { table.add(u, v, w); });
    table.commit();
  };
  run.finish(result.report,
             {{"edges", result.edges}, {"sets", partition.names.size()}, {"pairs", pairs}}, write,
             fmt::format("cross-edges: {} edges between {} sets, {} pairs of them\n",
                         format_count(result.edges), format_count(partition.names.size()),
                         format_count(result.pairs.size())) +
                 pair_table(result, partition));
}

}  // namespace

void add_cross_edges(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand("cross-edges", "The edges between given sets of vertices");
  auto c = std::make_shared<CrossEdgesCommand>();
  command
      ->add_option("--partition", c->partition,
                   "The set of each vertex: lines of LABEL<TAB>SET; others are in none")
      ->type_name("FILE")
      ->required();
  add_edge_algorithm_options(*command, c->common,
                             "Write the edges with their sets; the name ends in .tsv or .csv");
  command->footer(
      "Columns of the edges: source, target, source_set, target_set and, if weighted, weight. An\n"
      "edge of an undirected graph counts once. A result file will do as FILE.\n\n"
      "Examples:\n"
      "  fathom cross-edges graph.fg --partition communities.tsv\n"
      "  fathom cross-edges graph.fg --partition communities.tsv -o cut.tsv");
  command->callback([c, &session] {
    session.on_all_ranks = true;
    session.command = [c, &session] { run_cross_edges(*c, session); };
  });
}

}  // namespace fathom::cli
