// fathom bench gts: the experiments of GTS (Kim et al., SIGMOD 2016, section 7 and appendices D and
// E) on the executor it is given.
#include "bench/papers/gts/gts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "bench/papers/benchmarks.hpp"
#include "cli/shared/console.hpp"
#include "fathom/core/error.hpp"

namespace fathom::cli {
namespace {

using gts::Command;
using gts::GraphFiles;

const std::vector<std::string> kParts{"table1", "table3", "table4", "fig6",   "fig9", "fig10",
                                      "fig11",  "fig13",  "fig14",  "rmat32", "bars"};

bool wants(const Command& c, const std::string& part) {
  return c.parts.empty() || std::find(c.parts.begin(), c.parts.end(), part) != c.parts.end();
}

/// Decides on the device once: --device auto would decide for each graph by its size.
std::string settle_device(Command& c, const Task& task) {
  constexpr EdgeId kLarge = EdgeId{1} << 40;
  const Context context = make_context(c.execution, kLarge, task);
  if (!context.on_gpu()) c.execution.device = "cpu";
  if (context.on_gpu() && c.execution.device == "auto") c.execution.device = "cuda";
  if (context.on_gpu()) c.gpus = static_cast<int>(context.devices().size());
  c.execution.threads = context.threads();
  return context.device_name();
}

/// What the command was asked for.
Json settings_json(const Command& c, const std::string& device) {
  return {{"schema", "fathom.bench.gts/1"},
          {"device", device},
          {"threads", c.execution.threads},
          {"devices", std::max(1, c.devices())},
          {"disks", std::max<std::size_t>(1, c.execution.ssd.size())},
          {"edge_factor", c.edge_factor},
          {"seed", c.seed},
          {"page_bytes", c.page_bytes},
          {"buffer_share", c.buffer},
          {"iterations", c.iterations},
          {"trials", c.trials},
          {"verified", c.verify}};
}

void append(Json& to, const Json& rows) {
  for (const Json& row : rows) to.push_back(row);
}

/// The parts that each graph of the sweep has rows in.
void run_sweep(const Command& c, const GraphFiles& graph, Session& session, Json& report) {
  const std::vector<std::string> both{"bfs", "pagerank"};
  if (wants(c, "table1")) append(report["table1"], overlap_part(c, graph, session));
  if (wants(c, "table3")) append(report["table3"], statistics_part(c, graph));
  if (wants(c, "table4")) append(report["table4"], state_part(graph));
  if (wants(c, "fig6"))
    append(report["fig6"], measure(c, graph, both, false, session, report["left_out"]));
}

/// Those of the largest graph alone.
void run_largest(const Command& c, const GraphFiles& graph, Session& session, Json& report) {
  Json& left_out = report["left_out"];
  if (wants(c, "fig9"))
    report["fig9"] = measure(c, graph, {"bfs", "pagerank"}, true, session, left_out);
  if (wants(c, "fig10")) report["fig10"] = depth_part(c, graph, session, left_out);
  if (wants(c, "fig11")) report["fig11"] = cache_part(c, graph, session, left_out);
  if (wants(c, "fig13")) {
    report["fig13"] = measure(c, graph, {"cc", "bc"}, false, session, left_out);
    const GraphFiles weighted = make_graph_files(c, session, graph.scale, c.edge_factor, true);
    append(report["fig13"], measure(c, weighted, {"sssp"}, false, session, left_out));
  }
  if (wants(c, "fig14")) report["fig14"] = density_part(c, session, left_out);
  if (wants(c, "bars")) report["bars"] = bars_part(c, graph, session, left_out);
  if (wants(c, "rmat32")) {
    gts::Place disks;
    disks.storage = c.execution.ssd.empty() ? "ssd" : "ssds";
    report["rmat32"] = gts::trillion_part(disk_rate(c, disks, session));
  }
}

void run_gts(Command& c, Session& session) {
  check_writable(c.save);
  const Task task = session.task(c.quiet || c.json);
  Json report = settings_json(c, settle_device(c, task));
  std::filesystem::create_directories(c.work);
  report["graphs"] = Json::array();
  for (const std::string& part : kParts)
    report[part] = wants(c, part) ? Json(Json::array()) : Json(nullptr);
  report["left_out"] = Json::array();
  std::sort(c.scales.begin(), c.scales.end());
  GraphFiles graph;
  for (const int scale : c.scales) {
    graph = make_graph_files(c, session, scale, c.edge_factor, false);
    report["graphs"].push_back({{"scale", scale},
                                {"vertices", graph.vertices},
                                {"edges", graph.edges},
                                {"source", graph.source},
                                {"csr_bytes", graph.csr_bytes},
                                {"slotted_bytes", graph.pages.bytes},
                                {"pages", graph.pages.small_pages + graph.pages.large_pages}});
    run_sweep(c, graph, session, report);
  }
  run_largest(c, graph, session, report);
  session.progress.clear();
  write_out(c.json ? to_text(report) : gts::text_of(report));
  if (!c.save.empty()) write_json(c.save, report);
}

void add_options(CLI::App& command, Command& c) {
  command.add_option("--work", c.work, "Directory for graphs, which are kept for the next time")
      ->type_name("DIR")
      ->required();
  command.add_option("--scales", c.scales, "R-MAT graphs of 2^N vertices (default 14)")
      ->type_name("N")
      ->check(CLI::Range(1, 40));
  command.add_option("--edge-factor", c.edge_factor, "Edges per vertex")
      ->type_name("K")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command.add_option("--seed", c.seed, "Which graphs")->type_name("S")->capture_default_str();
  command.add_option("--only", c.parts, "Tables and figures to redo (default: all)")
      ->type_name("PART")
      ->delimiter(',')
      ->check(CLI::IsMember(kParts));
  add_size(command, "--page-size", c.page_bytes, "Of slotted pages (default 64KiB)");
  command
      .add_option("--buffer", c.buffer,
                  "What share of the lists has room in host memory when they come from disk")
      ->type_name("SHARE")
      ->check(CLI::Range(0., 1.))
      ->capture_default_str();
  command.add_option("--trials", c.trials, "Times are medians of so many runs, taken in turn")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--iterations", c.iterations, "Of PageRank, at most")
      ->type_name("N")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  add_device_options(command, c.execution);
  add_ssd(command, c.execution.ssd);
  command.add_flag("--verify", c.verify, "Check every result by its certificate too");
  command.add_option("--save", c.save, "Also write the JSON object to a file")
      ->type_name("FILE.json");
  command.add_flag("--json", c.json, "Print one JSON object instead of tables");
  command.add_flag("-q,--quiet", c.quiet, "No progress");
}

}  // namespace

void add_bench_gts(CLI::App& bench, Session& session) {
  auto* command = bench.add_subcommand(
      "gts", "Streamed pages, by size of graph and place of the edges (GTS, Figures 6 to 14)");
  auto c = std::make_shared<Command>();
  add_options(*command, *c);
  command->footer(
      "Graphs are directed R-MAT graphs of out-edges alone, as in the paper; searches start at "
      "the\n"
      "vertex of the longest list. Results of all places must agree. Times leave out loading.\n\n"
      "Examples:\n"
      "  fathom bench gts --work /ssd/gts --scales 16 18 20\n"
      "  fathom bench gts --work /ssd/gts --scales 20 --devices 2 --device-memory 64MiB\n"
      "  fathom bench gts --work /ssd/gts --scales 26 --only fig9 --device cuda:0,1\n"
      "  fathom bench gts --work /ssd/gts --only table3,fig9 --ssd /ssd1 /ssd2 --json");
  command->callback([c, &session] { session.command = [c, &session] { run_gts(*c, session); }; });
}

}  // namespace fathom::cli
