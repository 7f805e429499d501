// fathom bfs: hops from a source, from the nearest of several, or from each of several.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "algorithm_run.hpp"
#include "commands.hpp"
#include "fathom/algorithms/bfs.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

struct BfsCommand {
  AlgorithmOptions common;
  std::vector<std::string> sources;
  bool each = false;
  BfsOptions search;
};

/// [d]: vertices at depth d.
std::vector<std::uint64_t> depth_counts(const BfsResult& result) {
  std::vector<std::uint64_t> count(result.reached > 0 ? result.max_depth + std::size_t{1} : 0);
  for (const std::uint32_t depth : result.depth)
    if (depth != kUnreached) ++count[depth];
  return count;
}

std::string depth_table(const BfsResult& result) {
  std::string table = fmt::format("  {:>5}  {:>15}\n", "depth", "vertices");
  const auto counts = depth_counts(result);
  constexpr std::size_t kShown = 24;  // long paths: the first and the last depths
  for (std::size_t d = 0; d < counts.size(); ++d) {
    if (counts.size() > 2 * kShown && d == kShown) {
      table += fmt::format("  {:>5}  {:>15}\n", "...", "...");
      d = counts.size() - kShown;
    }
    table += fmt::format("  {:>5}  {:>15}\n", d, format_count(counts[d]));
  }
  const std::uint64_t unreached = result.depth.size() - result.reached;
  if (unreached > 0) table += fmt::format("  {:>5}  {:>15}\n", "none", format_count(unreached));
  return table;
}

std::string headline(const BfsResult& result, const std::string& from) {
  return fmt::format("bfs from {}: {} of {} vertices reached, greatest depth {}\n", from,
                     format_count(result.reached), format_count(result.depth.size()),
                     result.max_depth);
}

Json result_json(const BfsResult& result, const Json& sources) {
  return {{"sources", sources},
          {"reached", result.reached},
          {"max_depth", result.max_depth},
          {"depth_counts", depth_counts(result)}};
}

io::ResultColumn depth_column(std::string name, const BfsResult& result) {
  return {std::move(name), result.depth.span(), kUnreached};
}

io::ResultColumn parent_column(std::string name, const BfsResult& result,
                               const LoadedGraph& graph) {
  const auto label = [&](std::size_t row, std::string& out) {
    out += graph.label(result.parent[row]);
  };
  return {std::move(name), result.parent.span(), kNoVertex, label};
}

void run_from_nearest(const BfsCommand& c, AlgorithmRun& run) {
  const auto sources = run.loaded().find(c.sources);
  const BfsResult result =
      run.measure([&] { return bfs(run.context(), run.graph(), sources, c.search); },
                  [&](const BfsResult& r) {
                    verify_bfs(run.checking_context(), run.checking_graph(), sources, c.search, r);
                  });
  std::vector<io::ResultColumn> columns{depth_column("depth", result)};
  if (c.search.parents) columns.push_back(parent_column("parent", result, run.loaded()));
  const auto reached = [](std::uint32_t depth) { return depth != kUnreached; };
  const Ranking farthest{"vertex", "depth", largest(result.depth.span(), run.top(), reached)};
  const std::string from = c.sources.size() == 1
                               ? c.sources[0]
                               : fmt::format("the nearest of {} sources", c.sources.size());
  run.finish(result.report, result_json(result, c.sources), columns, farthest,
             headline(result, from) + depth_table(result));
}

/// One search after the other; the report adds their work up.
struct EachResult {
  std::vector<BfsResult> searches;
  RunReport report;
};

EachResult search_each(const BfsCommand& c, const AlgorithmRun& run,
                       const std::vector<VertexId>& sources) {
  EachResult all;
  for (const VertexId source : sources) {
    all.searches.push_back(bfs(run.context(), run.graph(), {&source, 1}, c.search));
    const RunReport& one = all.searches.back().report;
    all.report.seconds += one.seconds;
    all.report.edges_traversed += one.edges_traversed;
    all.report.iterations += one.iterations;
    all.report.supersteps.insert(all.report.supersteps.end(), one.supersteps.begin(),
                                 one.supersteps.end());
    all.report.link = all.report.link + one.link;
    all.report.peak_device_bytes = one.peak_device_bytes;
    all.report.peak_host_bytes = one.peak_host_bytes;
  }
  return all;
}

void run_from_each(const BfsCommand& c, AlgorithmRun& run) {
  const auto sources = run.loaded().find(c.sources);
  const EachResult all = run.measure([&] { return search_each(c, run, sources); },
                                     [&](const EachResult& result) {
                                       for (std::size_t i = 0; i < sources.size(); ++i)
                                         verify_bfs(run.checking_context(), run.checking_graph(),
                                                    {&sources[i], 1}, c.search, result.searches[i]);
                                     });
  std::vector<io::ResultColumn> columns;
  Json results = Json::array();
  std::string summary;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    columns.push_back(depth_column("depth:" + c.sources[i], all.searches[i]));
    if (c.search.parents)
      columns.push_back(parent_column("parent:" + c.sources[i], all.searches[i], run.loaded()));
    results.push_back(result_json(all.searches[i], Json::array({c.sources[i]})));
    summary += headline(all.searches[i], c.sources[i]);
  }
  run.finish(all.report, {{"sources", c.sources}, {"each", results}}, columns, {}, summary);
}

void run_bfs(const BfsCommand& c, Session& session) {
  if (c.each && c.common.output.top > 0)
    throw Error(ErrorCode::Usage, "--top needs one value per vertex; it cannot go with --each");
  AlgorithmRun run("bfs", c.common, session);
  if (c.each)
    run_from_each(c, run);
  else
    run_from_nearest(c, run);
}

}  // namespace

void add_bfs(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "bfs", "Hops from a source to every vertex (breadth-first search along out-edges)");
  auto c = std::make_shared<BfsCommand>();
  command
      ->add_option("--source", c->sources,
                   "Vertices to start from, by their labels; several: distance to the nearest")
      ->type_name("LABEL")
      ->required();
  command->add_flag("--each", c->each, "Search from each source alone: one column per source");
  command->add_flag("--parents", c->search.parents, "Also give each vertex's parent in the tree");
  const std::map<std::string, Direction> directions{
      {"auto", Direction::Auto}, {"push", Direction::Push}, {"pull", Direction::Pull}};
  command
      ->add_option_function<std::string>(
          "--direction",
          [c, directions](const std::string& name) { c->search.direction = directions.at(name); },
          "Follow out-edges of the frontier (push), look back from unreached vertices (pull), or "
          "whichever is cheaper (auto, the default)")
      ->check(CLI::IsMember({"auto", "push", "pull"}));
  command
      ->add_option("--depth-limit", c->search.depth_limit, "Vertices farther away stay unreached")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{0}, kUnreached - 1));
  command->add_flag_callback(
      "--no-hints", [c] { c->search.hints = false; },
      "When pulling on a GPU, read lists without trying each vertex's hint first");
  add_algorithm_options(*command, c->common);
  command->footer(
      "Result columns: vertex, depth (-1: not reached); with --parents also parent (-1: none; a\n"
      "source is its own). --top K lists the K farthest.\n\n"
      "Examples:\n"
      "  fathom bfs packages.fg --source libc6\n"
      "  fathom bfs roads.fg --source 17 --parents -o tree.tsv\n"
      "  fathom bfs web.fg --source 1 2 3 --each -o depths.csv");
  command->callback([c, &session] { session.command = [c, &session] { run_bfs(*c, session); }; });
}

}  // namespace fathom::cli
