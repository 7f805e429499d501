// fathom bench dynamic: the experiments of aimGraph, faimGraph and ouroGraph (Winter's thesis,
// chapters 3, 4 and 6) on generated graphs of the kinds of its Table 6.1. Every batch that is timed
// is held against lists made without it.
#include "bench/papers/dynamic/dynamic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "bench/papers/benchmarks.hpp"
#include "cli/shared/console.hpp"
#include "fathom/core/error.hpp"

namespace fathom::cli {
namespace dynamic_bench {
namespace {

constexpr std::uint64_t kUsual = 100000;
constexpr std::uint64_t kMostUpdates = 100000000;

std::uint64_t parse_batch(const std::string& text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto digits = std::from_chars(text.data(), end, value);
  const std::string_view unit(digits.ptr, static_cast<std::size_t>(end - digits.ptr));
  const std::uint64_t times = unit.empty() ? 1 : unit == "K" ? 1000 : unit == "M" ? 1000000 : 0;
  if (digits.ec != std::errc{} || times == 0 || value == 0 || value > kMostUpdates / times)
    throw Error(
        ErrorCode::Usage,
        fmt::format("--batches: expected numbers from 1 to 100M, such as 10K, found '{}'", text));
  return value * times;
}

/// What the command line gives, with batches as it writes them.
struct Line {
  Command command;
  std::vector<std::string> batches;
};

/// Fills in what was not given. @throws Error(Usage)
Command settled(const Line& line) {
  Command c = line.command;
  for (const std::string& text : line.batches) c.batches.push_back(parse_batch(text));
  if (c.batches.empty()) c.batches = {1000, 10000, 100000, 1000000, 10000000};
  std::ranges::sort(c.batches);
  c.batches.erase(std::unique(c.batches.begin(), c.batches.end()), c.batches.end());
  const auto all_unless_given = [](std::vector<std::string>& given, const auto& all) {
    if (given.empty()) given.assign(std::begin(all), std::end(all));
  };
  all_unless_given(c.parts, kParts);
  constexpr const char* kLayouts[] = {"ouro", "faim", "aim"};
  all_unless_given(c.layouts, kLayouts);
  constexpr const char* kStrategies[] = {"update", "sorted"};
  all_unless_given(c.strategies, kStrategies);
  constexpr const char* kUpdatesFrom[] = {"uniform", "focused"};
  all_unless_given(c.sources, kUpdatesFrom);
  if (c.graphs.empty() && c.stores.empty())
    c.graphs.assign(std::begin(kKinds), std::end(kKinds) - 1);
  if (c.allocators.empty())
    for (const PageAllocator allocator : page_allocators())
      c.allocators.emplace_back(name_of(allocator));
  for (const std::string& name : c.allocators) page_allocator(name);  // refuses what there is not
  return c;
}

Json settings_json(const Command& c, const Context& context) {
  return {{"schema", "fathom.bench.dynamic/1"},
          {"device", context.device_name()},
          {"threads", context.threads()},
          {"trials", c.trials},
          {"iterations", c.iterations},
          {"rounds", c.rounds},
          {"seed", c.seed},
          {"batches", c.batches},
          {"layouts", c.layouts},
          {"strategies", c.strategies},
          {"sources", c.sources},
          {"allocator_names", c.allocators},
          {"page_bytes", c.page_bytes},
          {"parts", c.parts},
          {"verified", true},
          {"graphs", Json::array()}};
}

struct RunPart {
  const char* name;
  void (*run)(const Part&, const Subject&);
};
constexpr RunPart kRuns[] = {
    {"init", init_part},         {"updates", updates_part},         {"mixed", mixed_part},
    {"vertices", vertices_part}, {"queries", queries_part},         {"algorithms", algorithms_part},
    {"pages", pages_part},       {"snapshots", snapshots_part},     {"allocators", allocators_part},
    {"longterm", longterm_part}, {"incremental", incremental_part}, {"beyond", beyond_part}};

void run_subject(const Part& p, const Subject& s, const Task& task) {
  p.report["graphs"].push_back({{"graph", s.name},
                                {"kind", s.kind.empty() ? Json(nullptr) : Json(s.kind)},
                                {"scale", s.kind.empty() ? Json(nullptr) : Json(s.scale)},
                                {"vertices", s.csr.vertices()},
                                {"edges", s.csr.edges()},
                                {"mean_degree", s.mean},
                                {"deviation", s.deviation},
                                {"most", s.most},
                                {"csr_bytes", s.csr_bytes()}});
  for (const std::uint64_t batch : p.c.batches) {
    const std::string why = too_large(s, batch, false);
    if (!why.empty()) p.leave_out(why);
    const std::string too = too_large(s, batch, true);
    if (!too.empty() && why.empty()) p.leave_out(too);
  }
  task.begin("measuring " + s.name, std::size(kRuns), "parts");
  std::uint64_t done = 0;
  for (const RunPart& part : kRuns) {
    p.check();
    if (p.c.wants(part.name)) part.run(p, s);
    task.at(++done);
  }
  task.end();
}

void run_dynamic(const Line& line, Session& session) {
  check_writable(line.command.save);
  Command c = settled(line);
  for (const std::string& path : c.stores) store::Store::open(path);  // fails now, not in an hour
  const Task task = session.task(c.quiet || c.json);
  const Context context = make_context(c.execution, EdgeId{1} << 40, task);
  c.execution.threads = context.threads();
  Json report = settings_json(c, context);
  for (const char* part : kParts)
    report[part] = c.wants(part) ? Json(Json::array()) : Json(nullptr);
  report["left_out"] = Json::array();
  const Part p{c, context, report, task};
  const auto measure = [&](const Subject& subject) {
    run_subject(p, subject, task);
    report["bars"] = bars_json(report);
    report["paper"] = paper_json();
    if (!c.save.empty()) write_json(c.save, report);  // what follows may take long, or fail
  };
  for (const std::string& path : c.stores) measure(load_subject(c, path, task));
  for (const std::string& graph : c.graphs) measure(make_subject(c, graph, task));
  session.progress.clear();
  write_out(c.json ? to_text(report) : text_of(report));
}

void add_what(CLI::App& command, Line& line) {
  Command& c = line.command;
  command.add_option("graphs", c.stores, "Stored graphs (.fg), taken both ways, each edge once")
      ->type_name("G.fg");
  command
      .add_option("--graphs", c.graphs,
                  "Graphs to generate: road, random-geometric, triangulation, stencil, coauthors, "
                  "uniform, rmat, grid; road:20 has 2^20 vertices (default: all but grid)")
      ->type_name("KIND[:N]");
  command.add_option("--scale", c.scale, "2^N vertices of those that do not say")
      ->type_name("N")
      ->check(CLI::Range(6, 30))
      ->capture_default_str();
  command.add_option("--only", c.parts, "Which parts (default: all)")
      ->type_name("PART")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kParts), std::end(kParts))));
  command.add_option("--batches", line.batches, "Updates of a batch (default: 1K 10K 100K 1M 10M)")
      ->type_name("N");
  command
      .add_option("--sources", c.sources,
                  "Of updates: any vertex, or 1,000 in a row (default: both)")
      ->type_name("WHICH")
      ->check(CLI::IsMember({"uniform", "focused"}));
  command
      .add_option("--layouts", c.layouts,
                  "Which layouts (default: all but faim-sorted, whose linked lists ascend)")
      ->type_name("LAYOUT")
      ->check(CLI::IsMember({"ouro", "faim", kSortedFaim, "aim"}));
  command
      .add_option("--strategies", c.strategies,
                  "Who looks for the edges of a batch (default: update sorted)")
      ->type_name("STRATEGY")
      ->check(CLI::IsMember({"auto", "update", "warp", "vertex", "sorted"}));
  command
      .add_option("--allocators", c.allocators,
                  "Of pages, as `fathom stream` names them (default: all)")
      ->type_name("NAME");
  command
      .add_option("--page-bytes", c.page_bytes, "Sizes of linked pages (default: 32 64 ... 512)")
      ->type_name("BYTES")
      ->check(CLI::Range(16, 1 << 20));
}

void add_how(CLI::App& command, Line& line) {
  Command& c = line.command;
  command
      .add_option(
          "--device", c.execution.device,
          "Where it runs: cpu, cuda, cuda:N, or cuda:N,N,... to which vertices are dealt out")
      ->type_name("DEVICE")
      ->capture_default_str();
  add_threads(command, c.execution.threads);
  command.add_option("--trials", c.trials, "Times are medians of so many rounds")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--iterations", c.iterations, "Of PageRank")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--rounds", c.rounds, "Batches of the part longterm")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command.add_option("--seed", c.seed, "Which graphs and updates")
      ->type_name("S")
      ->capture_default_str();
  command.add_flag("--json", c.json, "Print one JSON object instead of tables");
  command.add_option("--save", c.save, "Also write the JSON object to a file, after each graph")
      ->type_name("FILE.json");
  command.add_flag("-q,--quiet", c.quiet, "No progress");
}

}  // namespace

bool Command::wants(const char* part) const {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

std::uint64_t Command::usual_batch() const {
  return std::ranges::find(batches, kUsual) != batches.end() ? kUsual : batches.back();
}

DynamicGraphOptions one_way(const std::string& layout) {
  DynamicGraphOptions options;
  options.sorted_links = layout == kSortedFaim;
  options.layout = layout_named(options.sorted_links ? "faim" : layout);
  options.page_bytes = 64;  // the paper's
  options.in_edges = false;
  options.deal_vertices = true;  // of several GPUs
  return options;
}

}  // namespace dynamic_bench

void add_bench_dynamic(CLI::App& bench, Session& session) {
  auto* command = bench.add_subcommand(
      "dynamic", "Graphs that change (Winter, chapters 3, 4 and 6: aim-, faim- and ouroGraph)");
  auto line = std::make_shared<dynamic_bench::Line>();
  line->command.execution.device = "cpu";
  dynamic_bench::add_what(*command, *line);
  dynamic_bench::add_how(*command, *line);
  command->footer(
      "Parts: init (Tables 3.1, 4.1, 4.2; Figures 6.2, 6.3), updates (Figures 3.2, 3.3, 4.11, "
      "4.13,\n"
      "6.4 to 6.7), mixed (4.12), vertices (4.14 to 4.16), queries, algorithms (Tables 4.3, 4.4; "
      "Figures\n"
      "6.8, 6.9), pages (of faimGraph), snapshots, allocators (Figures 6.11 to 6.13), longterm "
      "(section\n"
      "4.3.2: Uniform, Random, Sweep), incremental (BFS levels, components, PageRank and, on the "
      "host,\n"
      "distances, triangles and core numbers that follow the graph, beside the same anew), beyond\n"
      "(on a GPU: budgets that lists exceed up to four times).\n"
      "Wrong lists or results end it with status 6.\n\n"
      "Examples:\n"
      "  fathom bench dynamic --scale 12 --only init updates\n"
      "  fathom bench dynamic --graphs road:22 uniform:20 rmat:20 --batches 100K 1M --device cuda\n"
      "  fathom bench dynamic g.fg --only allocators --allocators s-p vl-p --json");
  command->callback([line, &session] {
    session.command = [line, &session] { dynamic_bench::run_dynamic(*line, session); };
  });
}

}  // namespace fathom::cli
