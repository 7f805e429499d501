// fathom bench requests: EMOGI's Figures 5, 6, 7 and 10 for one graph, on the model of the
// coalescer, beside what the paper's text says of its own graphs.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>

#include "bench/papers/benchmarks.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/options.hpp"
#include "cli/shared/report_json.hpp"
#include "fathom/algorithms/bfs/traffic.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/units.hpp"
#include "fathom/generate/generate.hpp"
#include "fathom/graph/build.hpp"
#include "fathom/graph/edge_cdf.hpp"
#include "fathom/store/store.hpp"

namespace fathom::cli {
namespace {

struct RequestsCommand {
  std::string graph, kind;
  std::optional<int> scale;
  std::optional<std::uint32_t> edge_factor;
  std::uint32_t id_bytes = 8;
  std::uint64_t sources = 4, seed = 1;
  int threads = 0;
  bool json = false, quiet = false;
};

constexpr std::array kAccesses{Access::Naive, Access::Merged, Access::Aligned};
constexpr std::array kAccessNames{"naive", "merged", "aligned"};
constexpr std::array<std::uint32_t, 4> kSizes{32, 64, 96, 128};
constexpr EdgeId kCdfLimit = 96;  // where Figure 6 ends
// GPU memory for pages as a fraction of the edge array: 16 GB for the edges of the graphs for which
// the text of section 5.3.4 gives the baseline's amplification (sizes from Table 2).
constexpr std::array<double, 3> kPageCaches{16.0 / 49.7, 16.0 / 26.9, 16.0 / 14.5};
constexpr std::array kPageCacheNotes{"MOLIERE_2016: 2.28", "Friendster: 5.16", "sk-2005: 1.14"};

/// The lists to walk, and what keeps them alive.
struct Lists {
  std::string name;
  std::shared_ptr<store::Store> store;
  std::optional<graph::BuiltGraph> built;
  CsrView out;
};

Lists generated(const RequestsCommand& c, Session& session) {
  generate::Spec spec;
  spec.kind = generate::kind_named(c.kind).value();
  spec.scale = *c.scale;
  spec.edge_factor = c.edge_factor.value_or(spec.edge_factor);
  const generate::Generator generator(spec);
  graph::BuildOptions options;
  options.undirected = true;  // simple and undirected, as the paper's GAP-kron and GAP-urand
  options.loops = graph::Loops::Drop;
  options.threads = c.threads;
  options.task = session.task(c.quiet);
  const auto edges = [&](const auto& consume) {
    std::vector<Edge> batch;
    for (EdgeId first = 0; first < generator.edges(); first += batch.size()) {
      batch.resize(std::min<EdgeId>(generator.edges() - first, 1u << 20));
      generator.fill(first, batch);
      consume(batch, std::span<const Weight>{});
    }
  };
  Lists lists;
  lists.name = fmt::format("{} scale {}", c.kind, *c.scale);
  lists.built = graph::build(generator.vertices(), edges, options);
  lists.out = lists.built->out.view();
  return lists;
}

Lists lists_of(const RequestsCommand& c, Session& session) {
  if (c.graph.empty()) {
    if (c.kind.empty() || !c.scale)
      throw Error(ErrorCode::Usage, "bench requests needs a graph: G.fg, or --kind and --scale");
    return generated(c, session);
  }
  if (!c.kind.empty() || c.scale || c.edge_factor)
    throw Error(ErrorCode::Usage,
                "--kind, --scale and --edge-factor have no effect with a graph file");
  Lists lists;
  lists.name = c.graph;
  lists.store = store::Store::open(c.graph);
  lists.out = lists.store->out(c.threads);
  return lists;
}

/// Sums over all sources.
struct Counted {
  std::array<RequestCounts, 3> requests;            // per access
  std::array<double, 3> amplification{};            // per access; mean
  std::array<double, kPageCaches.size()> paged{};   // per page cache; mean
  std::array<std::vector<LevelTraffic>, 3> levels;  // of the first source
};

Counted measure(const Lists& lists, const RequestsCommand& c, const Task& task) {
  const std::vector<VertexId> sources = pick_sources(lists.out, c.sources, c.seed);
  const double share = 1.0 / static_cast<double>(sources.size());
  Counted m;
  for (const VertexId source : sources) {
    for (std::size_t a = 0; a < kAccesses.size(); ++a) {
      LinkModelOptions options;
      options.access = kAccesses[a];
      options.id_bytes = c.id_bytes;
      BfsTraffic traffic = bfs_traffic(lists.out, source, options, task);
      m.requests[a] += traffic.requests;
      m.amplification[a] += share * traffic.amplification();
      if (source == sources.front()) m.levels[a] = std::move(traffic.levels);
    }
    for (std::size_t p = 0; p < kPageCaches.size(); ++p) {
      task.check();
      const double bytes = kPageCaches[p] * static_cast<double>(lists.out.edges * c.id_bytes);
      m.paged[p] += share * bfs_paged_traffic(lists.out, source, c.id_bytes,
                                              static_cast<std::uint64_t>(bytes))
                                .amplification();
    }
  }
  return m;
}

double ratio(double a, double b) {
  return b == 0 ? 0 : a / b;
}

/// How much smaller the number of requests is than with the previous pattern.
double fewer(const Counted& m, std::size_t access) {
  return 1 - ratio(static_cast<double>(m.requests[access].total()),
                   static_cast<double>(m.requests[access - 1].total()));
}

double improvement(const Counted& m) {
  return ratio(m.requests[2].share(128), m.requests[1].share(128));
}

std::string sizes_table(const Counted& m) {
  std::string text = "\nFigure 5: requests by size\n";
  text += fmt::format("  {:<9}{:>9}{:>9}{:>9}{:>9}   paper\n", "", "32 B", "64 B", "96 B", "128 B");
  const std::array paper{"nearly all 32 B (Friendster: 98.7 %)",
                         "128 B about 40 % on average, MOLIERE_2016 46.7 %",
                         "128 B by 1.86x on GAP-kron, 1.25x on GAP-urand"};
  for (std::size_t a = 0; a < kAccesses.size(); ++a) {
    text += fmt::format("  {:<9}", kAccessNames[a]);
    for (const std::uint32_t size : kSizes)
      text += fmt::format("{:>7.1f} %", 100 * m.requests[a].share(size));
    text += fmt::format("   {}\n", paper[a]);
  }
  return text +
         fmt::format("  share of 128 B requests, aligned over merged: {:.2f}x\n", improvement(m));
}

std::string cdf_table(const CsrView& lists) {
  const std::vector<double> cdf = graph::edge_cdf(lists, kCdfLimit);
  std::string text = "\nFigure 6: edges in lists of at most so many edges\n  ";
  for (EdgeId d = 16; d <= kCdfLimit; d += 16) text += fmt::format("{:>9}", d);
  text += "   paper\n  ";
  for (EdgeId d = 16; d <= kCdfLimit; d += 16) text += fmt::format("{:>7.1f} %", 100 * cdf[d]);
  return text + "   GAP-urand: all between 16 and 48\n";
}

std::string counts_table(const Counted& m, std::uint64_t sources) {
  std::string text = "\nFigure 7: requests of a search\n";
  const std::array paper{"", "up to 83.3 % fewer", "up to 28.8 % fewer"};
  for (std::size_t a = 0; a < kAccesses.size(); ++a) {
    text += fmt::format("  {:<9}{:>15}", kAccessNames[a],
                        format_count(m.requests[a].total() / sources));
    if (a > 0) text += fmt::format("{:>7.1f} % fewer   paper: {}", 100 * fewer(m, a), paper[a]);
    text += "\n";
  }
  return text;
}

std::string amplification_table(const Counted& m) {
  std::string text = "\nFigure 10: bytes moved per byte of edges\n";
  for (std::size_t a = 0; a < kAccesses.size(); ++a)
    text += fmt::format("  {:<40}{:>7.2f}{}\n", kAccessNames[a], m.amplification[a],
                        kAccesses[a] == Access::Aligned ? "   paper: at most 1.31" : "");
  for (std::size_t p = 0; p < kPageCaches.size(); ++p)
    text += fmt::format("  {:<40}{:>7.2f}   paper, {}\n",
                        fmt::format("4 KiB pages, memory for {:.0f} % of them",
                                    100 * std::min(1.0, kPageCaches[p])),
                        m.paged[p], kPageCacheNotes[p]);
  return text;
}

std::string text_of(const Lists& lists, const RequestsCommand& c, const Counted& m) {
  return fmt::format("{}: {} vertices, {} edges; ids of {} bytes; {} breadth-first search{}\n",
                     printable(lists.name), format_count(lists.out.vertices),
                     format_count(lists.out.edges), c.id_bytes, c.sources,
                     c.sources == 1 ? "" : "es") +
         sizes_table(m) + cdf_table(lists.out) + counts_table(m, c.sources) +
         amplification_table(m);
}

Json json_of(const RequestCounts& counts) {
  Json json;
  for (std::size_t i = 0; i < kSizes.size(); ++i)
    json[fmt::format("requests_{}", kSizes[i])] = counts.of_size[i];
  json["requests"] = counts.total();
  json["bytes"] = counts.bytes();
  return json;
}

Json json_of(const Lists& lists, const RequestsCommand& c, const Counted& m) {
  Json json{{"schema", "fathom.bench.requests/1"},
            {"graph", lists.name},
            {"vertices", lists.out.vertices},
            {"edges", lists.out.edges},
            {"id_bytes", c.id_bytes},
            {"sources", c.sources}};
  for (std::size_t a = 0; a < kAccesses.size(); ++a) {
    Json access = json_of(m.requests[a]);
    access["amplification"] = m.amplification[a];
    access["levels"] = Json::array();  // of the first source
    for (const LevelTraffic& level : m.levels[a]) {
      Json step{{"vertices", level.vertices}, {"edges", level.edges}};
      step.update(json_of(level.requests));
      access["levels"].push_back(step);
    }
    json["access"][kAccessNames[a]] = access;
  }
  json["share_128_improvement"] = improvement(m);
  json["fewer_requests"] = {{"merged", fewer(m, 1)}, {"aligned", fewer(m, 2)}};
  json["edge_cdf"] = graph::edge_cdf(lists.out, kCdfLimit);
  json["paged"] = Json::array();
  for (std::size_t p = 0; p < kPageCaches.size(); ++p)
    json["paged"].push_back({{"cache_fraction", kPageCaches[p]}, {"amplification", m.paged[p]}});
  return json;
}

void run_requests(const RequestsCommand& c, Session& session) {
  const Lists lists = lists_of(c, session);
  session.progress.clear();
  const Counted m = measure(lists, c, session.task(c.quiet));
  write_out(c.json ? to_text(json_of(lists, c, m)) : text_of(lists, c, m));
}

void add_graph_options(CLI::App& command, RequestsCommand& c) {
  command.add_option("graph", c.graph, "A .fg file; or name a generated graph")->type_name("G.fg");
  command.add_option("--kind", c.kind, "Generate a simple undirected graph instead")
      ->check(CLI::IsMember({"rmat", "uniform"}));
  command.add_option("--scale", c.scale, "Generated: 2^N vertices")
      ->type_name("N")
      ->check(CLI::Range(0, 31));
  command.add_option("--edge-factor", c.edge_factor, "Generated edges per vertex (default 16)")
      ->type_name("K");
}

}  // namespace

void add_bench_requests(CLI::App& bench, Session& session) {
  auto* command = bench.add_subcommand(
      "requests",
      "Requests over the link by access pattern, modelled on the CPU (EMOGI, Figures "
      "5, 6, 7 and 10)");
  auto c = std::make_shared<RequestsCommand>();
  add_graph_options(*command, *c);
  command->add_option("--id-bytes", c->id_bytes, "Size of an edge's target, 8 as in the paper")
      ->check(CLI::IsMember(std::vector<std::uint32_t>{4, 8}))
      ->capture_default_str();
  command->add_option("--sources", c->sources, "Searches, from random vertices that have edges")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 20))
      ->capture_default_str();
  command->add_option("--seed", c->seed, "Which vertices")->type_name("S")->capture_default_str();
  add_threads(*command, c->threads);
  command->add_flag("--json", c->json, "Print one JSON object");
  command->add_flag("-q,--quiet", c->quiet, "No progress");
  command->footer(
      "A warp's loads are merged as EMOGI's traffic monitor saw it; no GPU is needed.\n"
      "Walks each graph once per source and pattern, about 10 million edges a second.\n\n"
      "Examples:\n"
      "  fathom bench requests --kind rmat --scale 16\n"
      "  fathom bench requests graph.fg --id-bytes 4 --sources 64 --json");
  command->callback(
      [c, &session] { session.command = [c, &session] { run_requests(*c, session); }; });
}

}  // namespace fathom::cli
