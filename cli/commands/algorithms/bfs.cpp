// fathom bfs: hops from a source, from the nearest of several, or from each of several.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "cli/commands/algorithms/shared/algorithm_run.hpp"
#include "cli/commands/algorithms/shared/hop_table.hpp"
#include "cli/commands/commands.hpp"
#include "fathom/algorithms/multi_search/multi_bfs.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"
#include "fathom/residency/spare_memory.hpp"

namespace fathom::cli {
namespace {

// Fewer searches are faster one by one: at four, R-MAT of scale 18 gains and uniform loses (cpu).
constexpr std::size_t kFewestTogether = 8;
// Of depths, in bits, for which searches that share lists are given room.
constexpr int kDepthPlanes = 10;

struct BfsCommand {
  AlgorithmOptions common;
  std::vector<std::string> sources;
  bool each = false;
  BfsOptions search;
};

MultiBfsOptions together(const BfsOptions& options) {
  return {options.direction, options.depth_limit, options.hints};
}

/// What one search found; a view.
struct Found {
  std::span<const std::uint32_t> depth;
  std::span<const VertexId> parent;  // empty unless asked for
  VertexId reached = 0;
  std::uint32_t max_depth = 0;
};

Found found_by(const BfsResult& result) {
  return {result.depth, result.parent, result.reached, result.max_depth};
}

std::string depth_table(const Found& result) {
  std::string table = hop_table("depth", hop_counts(result.depth));
  const std::uint64_t unreached = result.depth.size() - result.reached;
  if (unreached > 0) table += fmt::format("  {:>5}  {:>15}\n", "none", format_count(unreached));
  return table;
}

std::string headline(const Found& result, const std::string& from) {
  return fmt::format("bfs from {}: {} of {} vertices reached, greatest depth {}\n", from,
                     format_count(result.reached), format_count(result.depth.size()),
                     result.max_depth);
}

Json result_json(const Found& result, const Json& sources) {
  return {{"sources", sources},
          {"reached", result.reached},
          {"max_depth", result.max_depth},
          {"depth_counts", hop_counts(result.depth)}};
}

/// Its columns; `suffix` tells them from those of other searches.
void add_columns(std::vector<io::ResultColumn>& columns, const Found& result,
                 const std::string& suffix, const LoadedGraph& graph) {
  columns.push_back({"depth" + suffix, result.depth, kUnreached});
  if (result.parent.empty()) return;
  const auto label = [parent = result.parent, &graph](std::size_t v, std::string& out) {
    out += graph.label(parent[v]);
  };
  columns.push_back({"parent" + suffix, result.parent, kNoVertex, label, graph.rows().row.span()});
}

void run_from_nearest(const BfsCommand& c, AlgorithmRun& run) {
  const auto sources = run.loaded().find(c.sources);
  const BfsResult result =
      run.measure([&] { return bfs(run.context(), run.graph(), sources, c.search); },
                  [&](const BfsResult& r) {
                    verify_bfs(run.checking_context(), run.checking_graph(), sources, c.search, r);
                  });
  const Found found = found_by(result);
  std::vector<io::ResultColumn> columns;
  add_columns(columns, found, "", run.loaded());
  const auto reached = [](std::uint32_t depth) { return depth != kUnreached; };
  const Ranking farthest{"vertex", "depth", largest(found.depth, run.top(), reached, run.rows())};
  const std::string from = c.sources.size() == 1
                               ? c.sources[0]
                               : fmt::format("the nearest of {} sources", c.sources.size());
  run.finish(result.report, result_json(found, c.sources), columns, farthest,
             headline(found, from) + depth_table(found));
}

/// Searches that share lists, or one after the other; the report adds their work up.
struct EachResult {
  std::vector<MultiBfsResult> batches;
  std::vector<BfsResult> searches;
  RunReport report;

  std::vector<Found> found() const {
    std::vector<Found> all;
    for (const BfsResult& one : searches) all.push_back(found_by(one));
    for (const MultiBfsResult& batch : batches)
      for (std::size_t i = 0; i < batch.reached.size(); ++i)
        all.push_back({batch.depths(i), {}, batch.reached[i], batch.max_depth[i]});
    return all;
  }
};

void add(RunReport& total, const RunReport& one) {
  total.seconds += one.seconds;
  total.edges_traversed += one.edges_traversed;
  total.iterations += one.iterations;
  total.supersteps.insert(total.supersteps.end(), one.supersteps.begin(), one.supersteps.end());
  total.link = total.link + one.link;
  total.chunks = one.chunks;
  total.peak_device_bytes = one.peak_device_bytes;
  total.peak_host_bytes = one.peak_host_bytes;
}

/// How many searches shall share the lists they fetch.
std::size_t batch_size(const BfsCommand& c, const AlgorithmRun& run) {
  // Searches that share lists have all of their state on each device.
  if (c.common.execution.strategy == "s") return 1;
  if (c.search.parents || c.sources.size() < kFewestTogether) return 1;
  const auto each = static_cast<std::size_t>(multi_bfs_state(kDepthPlanes).whole);
  const auto roomy = [&](const Device& d) {
    return obtainable(*d.memory()) / 2 / each >= run.graph().vertices();
  };
  const auto devices = run.context().devices();
  if (!std::all_of(devices.begin(), devices.end(), roomy)) return 1;
  return std::min(c.sources.size(), MultiSearch::kMost);
}

/// Calls visit(first sources of a batch) for each batch.
template <class Visit>
void for_batches(std::span<const VertexId> sources, std::size_t size, const Visit& visit) {
  for (; !sources.empty(); sources = sources.subspan(std::min(size, sources.size())))
    visit(sources.first(std::min(size, sources.size())));
}

EachResult search_each(const BfsCommand& c, const AlgorithmRun& run,
                       std::span<const VertexId> sources, std::size_t batch) {
  EachResult all;
  for_batches(sources, batch, [&](std::span<const VertexId> some) {
    if (batch == 1) {
      all.searches.push_back(bfs(run.context(), run.graph(), some, c.search));
      add(all.report, all.searches.back().report);
    } else {
      all.batches.push_back(multi_bfs(run.context(), run.graph(), some, together(c.search)));
      add(all.report, all.batches.back().report);
    }
  });
  return all;
}

void verify_each(const BfsCommand& c, const AlgorithmRun& run, std::span<const VertexId> sources,
                 std::size_t batch, const EachResult& result) {
  const Context& ctx = run.checking_context();
  const Graph& graph = run.checking_graph();
  std::size_t i = 0;
  for_batches(sources, batch, [&](std::span<const VertexId> some) {
    if (batch == 1)
      verify_bfs(ctx, graph, some, c.search, result.searches[i++]);
    else
      verify_multi_bfs(ctx, graph, some, together(c.search), result.batches[i++]);
  });
}

/// @throws Error(Usage) when two columns would be of the same source.
void check_distinct(const std::vector<std::string>& labels, std::span<const VertexId> sources) {
  std::map<VertexId, std::size_t> first;
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (const auto [at, fresh] = first.emplace(sources[i], i); !fresh)
      throw Error(ErrorCode::Usage,
                  fmt::format("--each gives a column per source, but {} is given twice",
                              labels[at->second] == labels[i]
                                  ? labels[i]
                                  : fmt::format("{} (also {})", labels[at->second], labels[i])));
}

void run_from_each(const BfsCommand& c, AlgorithmRun& run) {
  const auto sources = run.loaded().find(c.sources);
  check_distinct(c.sources, sources);
  const std::size_t batch = batch_size(c, run);
  const EachResult all =
      run.measure([&] { return search_each(c, run, sources, batch); },
                  [&](const EachResult& result) { verify_each(c, run, sources, batch, result); });
  std::vector<io::ResultColumn> columns;
  Json results = Json::array();
  std::string summary;
  const std::vector<Found> found = all.found();
  for (std::size_t i = 0; i < found.size(); ++i) {
    add_columns(columns, found[i], ":" + c.sources[i], run.loaded());
    results.push_back(result_json(found[i], Json::array({c.sources[i]})));
    summary += headline(found[i], c.sources[i]);
  }
  run.finish(all.report, {{"sources", c.sources}, {"batch", batch}, {"each", results}}, columns, {},
             summary);
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
  add_direction(*command, c->search.direction);
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
