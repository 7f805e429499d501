// fathom bench order: what orders of the vertices do for breadth-first searches, counted on the
// CPU. The same searches are judged in every order; no graph is written.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "bench/papers/benchmarks.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/loaded_graph.hpp"
#include "cli/shared/report_json.hpp"
#include "fathom/algorithms/multi_search/multi_bfs.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/core/units.hpp"
#include "fathom/reorder/metrics.hpp"
#include "fathom/reorder/order.hpp"

namespace fathom::cli {
namespace {

using reorder::GapCost;
using reorder::PageFetches;
using reorder::ReadVolume;

// What a line, a page, a batch of pages and a page of a GPU's driver have in bytes.
constexpr std::array<std::size_t, 4> kUnits{128, 4096, std::size_t{1} << 16, std::size_t{1} << 21};
// The paper's card has 12 GB; its largest graph for which ordering is studied, 32 GB of edges.
constexpr double kCacheShare = 12.0 / 32.0;

struct OrderCommand {
  std::string graph, picture;
  std::vector<std::string> methods = reorder::method_names();
  std::size_t sources = 20, cache_bytes = 0, page_bytes = 4096;
  std::uint64_t seed = 1;
  reorder::Options options;
  ExecutionOptions execution;
  bool json = false, quiet = false;
};

/// What the searches cost in one order.
struct Judged {
  std::string method;
  double seconds = 0;  // to find the order
  GapCost gaps;
  std::array<ReadVolume, kUnits.size()> volume;
  PageFetches cache;                 // all searches, each from an empty cache
  std::vector<std::uint32_t> first;  // depths of the first search, in the order
};

PageFetches add(PageFetches a, const PageFetches& b) {
  a.needed += b.needed;
  a.fetches += b.fetches;
  a.times.resize(std::max(a.times.size(), b.times.size()), 0);
  for (std::size_t t = 0; t < b.times.size(); ++t) a.times[t] += b.times[t];
  return a;
}

/// The lists of a graph as an order would place them.
std::vector<EdgeId> offsets_in(const reorder::Permutation& order, std::span<const EdgeId> offset) {
  std::vector<EdgeId> moved(offset.size(), 0);
  for (VertexId v = 0; v < order.size(); ++v)
    moved[std::size_t{order[v]} + 1] = offset[v + std::size_t{1}] - offset[v];
  for (std::size_t p = 1; p < moved.size(); ++p) moved[p] += moved[p - 1];
  return moved;
}

void judge(Judged& result, const OrderCommand& c, const LoadedGraph& graph,
           const reorder::Permutation& order, const MultiBfsResult& searches) {
  const std::vector<EdgeId> offset =
      offsets_in(order, graph.store().out_offsets(c.execution.threads));
  const std::size_t count = searches.reached.size();
  std::vector<Judged> parts(count);
  parallel_for(graph.context().threads(), count, 1, [&](std::size_t i, std::size_t, int) {
    std::vector<std::uint32_t> depth(order.size());
    for (VertexId v = 0; v < order.size(); ++v) depth[order[v]] = searches.depths(i)[v];
    parts[i].gaps = reorder::intra_level_cost(depth);
    for (std::size_t u = 0; u < kUnits.size(); ++u)
      parts[i].volume[u] = reorder::read_volume(offset, depth, kUnits[u]);
    parts[i].cache = reorder::lru_fetches(offset, depth, c.page_bytes, c.cache_bytes);
    if (i == 0) parts[i].first = std::move(depth);
  });
  for (Judged& part : parts) {
    result.gaps = result.gaps + part.gaps;
    for (std::size_t u = 0; u < kUnits.size(); ++u)
      result.volume[u] = result.volume[u] + part.volume[u];
    result.cache = add(std::move(result.cache), part.cache);
  }
  result.first = std::move(parts[0].first);
}

double amplification(const PageFetches& f, std::size_t page_bytes) {
  const double fetched = static_cast<double>(f.fetches) * static_cast<double>(page_bytes);
  return f.needed == 0 ? 0 : fetched / static_cast<double>(f.needed);
}

/// The share of the pages that were fetched at all which were fetched again.
double share_refetched(const PageFetches& f) {
  std::uint64_t once = f.times.size() > 1 ? f.times[1] : 0, more = 0;
  for (std::size_t t = 2; t < f.times.size(); ++t) more += f.times[t];
  return once + more == 0 ? 0 : static_cast<double>(more) / static_cast<double>(once + more);
}

std::string table(const std::vector<Judged>& all, const OrderCommand& c) {
  std::string text =
      fmt::format("  {:<20}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>10}\n", "order", "log gap",
                  "128 B", "4 KiB", "64 KiB", "2 MiB", "cached", "again", "seconds");
  for (const Judged& j : all) {
    text += fmt::format("  {:<20}{:>9.3f}", j.method, j.gaps.average());
    for (const ReadVolume& volume : j.volume)
      text += fmt::format("{:>9.2f}", volume.amplification());
    text += fmt::format("{:>9.2f}{:>8.1f}%{:>10.3f}\n", amplification(j.cache, c.page_bytes),
                        100 * share_refetched(j.cache), j.seconds);
  }
  return text +
         fmt::format(
             "log gap: mean log2 gap inside levels. Then bytes read per byte needed, by what is "
             "read at once;\ncached: pages of {} in an LRU cache of {}; again: pages fetched "
             "more than once, of those fetched.\n",
             format_bytes(c.page_bytes), format_bytes(c.cache_bytes));
}

Json json_of(const Judged& j, const OrderCommand& c) {
  Json units = Json::array();
  for (std::size_t u = 0; u < kUnits.size(); ++u)
    units.push_back({{"unit_bytes", kUnits[u]},
                     {"needed_bytes", j.volume[u].needed},
                     {"fetched_bytes", j.volume[u].fetched},
                     {"amplification", j.volume[u].amplification()}});
  return {{"method", j.method},
          {"seconds", j.seconds},
          {"log_gap", j.gaps.average()},
          {"log_gap_sum", j.gaps.log2_sum},
          {"gaps", j.gaps.gaps},
          {"units", units},
          {"cache",
           {{"needed_bytes", j.cache.needed},
            {"fetches", j.cache.fetches},
            {"amplification", amplification(j.cache, c.page_bytes)},
            {"pages_by_fetches", j.cache.times}}}};
}

void run_order(OrderCommand& c, Session& session) {
  check_writable(c.picture);
  const LoadedGraph graph(c.graph, c.execution, session.task(c.quiet));
  const auto sources =
      pick_sources(CsrView{graph.graph().vertices(), graph.graph().edges(),
                           graph.store().out_offsets(c.execution.threads).data(), nullptr, nullptr},
                   c.sources, c.seed);
  if (c.cache_bytes == 0)
    c.cache_bytes = static_cast<std::size_t>(
        kCacheShare * static_cast<double>(graph.graph().edges() * sizeof(VertexId)));
  const MultiBfsResult searches = multi_bfs(graph.context(), graph.graph(), sources);
  std::vector<Judged> all;
  for (const std::string& method : c.methods) {
    c.options.method = *reorder::method_of(method);
    const TimedOrder timed = time_order(graph, c.options);
    all.emplace_back();
    all.back().method = method;
    all.back().seconds = timed.seconds;
    judge(all.back(), c, graph, timed.order, searches);
  }
  if (!c.picture.empty()) {
    std::vector<reorder::PictureRow> rows;
    rows.reserve(all.size());
    for (const Judged& j : all) rows.push_back({j.method, j.first});
    write_text(c.picture, reorder::level_picture(rows));
  }
  session.progress.clear();
  if (!c.json) {
    print("{} searches of {}: {} vertices, {} edges\n", sources.size(), printable(c.graph),
          format_count(graph.graph().vertices()), format_count(graph.graph().edges()));
    write_out(table(all, c));
    return;
  }
  Json orders = Json::array();
  for (const Judged& j : all) orders.push_back(json_of(j, c));
  write_out(to_text(Json{{"schema", "fathom.bench.order/1"},
                         {"graph", graph_json(graph.store().header(), c.graph)},
                         {"threads", graph.context().threads()},
                         {"sources", sources.size()},
                         {"samples", c.options.samples},
                         {"by_component", c.options.by_component},
                         {"page_bytes", c.page_bytes},
                         {"cache_bytes", c.cache_bytes},
                         {"orders", orders}}));
}

}  // namespace

void add_bench_order(CLI::App& bench, Session& session) {
  auto* command = bench.add_subcommand(
      "order", "What orders of the vertices do for searches (HALO, Figures 3, 8, 9 and 10)");
  auto c = std::make_shared<OrderCommand>();
  add_graph(*command, c->graph);
  add_order_options(*command, c->methods, c->options);
  command->add_option("--sources", c->sources, "Random vertices with edges to search from")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{64}))
      ->capture_default_str();
  command->add_option("--seed", c->seed, "Which vertices")->type_name("S")->capture_default_str();
  add_size(*command, "--lru-size", c->cache_bytes,
           "The LRU cache that pages go through (default: 12/32 of the edges)");
  add_size(*command, "--lru-page", c->page_bytes, "Pages of the LRU cache (default 4KiB)");
  command->add_option("--picture", c->picture, "Draw who is active when, as SVG")
      ->type_name("FILE.svg");
  add_execution_options(*command, c->execution);
  command->add_flag("--json", c->json, "Print one JSON object");
  command->add_flag("-q,--quiet", c->quiet, "No progress");
  command->footer(
      "The same searches in every order; lists are read in ascending order inside a level. Ids "
      "have\n"
      "4 bytes.\n\n"
      "Examples:\n"
      "  fathom generate rmat --scale 18 -o kron18.fg\n"
      "  fathom bench order kron18.fg --methods natural halo2 rcm\n"
      "  fathom bench order kron18.fg --picture levels.svg --json");
  command->callback([c, &session] { session.command = [c, &session] { run_order(*c, session); }; });
}

}  // namespace fathom::cli
