// fathom bench emogi: the experiments of EMOGI's sections 5.3 to 5.6 (Figures 8 to 12, Table 3) on
// this machine's GPU: BFS, SSSP and CC over unified memory, with the paper's three access patterns,
// and as Fathom does them by default. Figure 12 compares two speeds of one link; with one, the
// share of what the link can do says the same.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "bench/papers/benchmarks.hpp"
#include "bench/papers/emogi/systems.hpp"
#include "cli/machine/probes.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/options.hpp"
#include "cli/shared/report_json.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/core/units.hpp"
#include "fathom/exec/link_profile.hpp"
#include "fathom/store/store.hpp"

namespace fathom::cli {
namespace {

struct EmogiCommand {
  std::vector<std::string> graphs;
  std::uint64_t sources = 64, seed = 1;
  int device = 0, threads = 0, repeats = 3;
  std::vector<std::string> apps{"bfs", "sssp", "cc"};
  std::vector<int> id_bytes{8, 4};
  std::vector<std::string> systems{"uvm", "naive", "merged", "aligned", "fathom"};
  std::size_t device_memory = 0;  // of the system "fathom"; 0: see budget_for()
  std::string zerocopy = "auto", save;
  bool json = false, quiet = false, budgets = false;
};

/// {min, max}, or null of a graph without weights.
Json weights_json(const CsrView& lists, int threads) {
  if (!lists.weight || lists.edges == 0) return nullptr;
  using Range = std::pair<Weight, Weight>;
  const Weight any = lists.weight[0];
  const Range range = parallel_reduce(
      worker_count(threads), lists.edges, std::size_t{1} << 20, Range(any, any),
      [&](std::size_t first, std::size_t last) {
        const auto [min, max] = std::minmax_element(lists.weight + first, lists.weight + last);
        return Range(*min, *max);
      },
      [](Range a, Range b) {
        return Range(std::min(a.first, b.first), std::max(a.second, b.second));
      });
  return {{"min", range.first}, {"max", range.second}};
}

/// Means over the runs of one system.
struct Measured {
  double seconds = 0, link_bytes = 0, link_requests = 0, edges = 0;
  double ceiling_gbps = 0;        // 0: nothing is read over the link in place
  std::size_t device_memory = 0;  // 0: not bounded
  std::size_t peak_device = 0;
  std::vector<double> runs;

  double gbps() const { return seconds > 0 ? link_bytes / seconds / 1e9 : 0; }
  std::optional<double> share_of_ceiling() const {
    if (ceiling_gbps <= 0 || link_bytes <= 0) return std::nullopt;
    return gbps() / ceiling_gbps;
  }
};

void add(Measured& m, const RunReport& run) {
  m.runs.push_back(run.seconds);
  m.seconds += run.seconds;
  m.link_bytes += static_cast<double>(run.link.bytes);
  m.link_requests += static_cast<double>(run.link.requests);
  m.edges += static_cast<double>(run.edges_traversed);
  m.peak_device = std::max(m.peak_device, run.peak_device_bytes);
}

Measured measure(const EmogiCommand& c, const std::shared_ptr<store::Store>& store,
                 const System& system, const std::string& app, const std::vector<VertexId>& sources,
                 const Task& task) {
  CudaOptions options;
  options.device = c.device;
  options.threads = c.threads;
  options.task = task;
  Measured m;
  if (!system.plain)
    options.device_memory = m.device_memory =
        c.device_memory > 0 ? c.device_memory : budget_for(store->header(), app);
  const Context ctx = Context::cuda(options);
  const Graph graph = make_graph(ctx, store, system.residency);
  run_once(app, ctx, graph, sources[0], system.plain);  // places the edges, loads the kernels
  const std::size_t runs = app == "cc" ? static_cast<std::size_t>(c.repeats) : sources.size();
  for (std::size_t i = 0; i < runs; ++i)
    add(m, run_once(app, ctx, graph, sources[i % sources.size()], system.plain));
  const double share = 1.0 / static_cast<double>(m.runs.size());
  for (double* sum : {&m.seconds, &m.link_bytes, &m.link_requests, &m.edges}) *sum *= share;
  m.ceiling_gbps = graph.link_ceiling();
  return m;
}

Json or_null(bool known, double value) {
  return known ? Json(value) : Json(nullptr);
}

Json json_of(const Measured& m, double dataset) {
  return {{"mean_seconds", m.seconds},
          {"runs", m.runs},
          {"link_bytes", m.link_bytes},
          {"link_requests", m.link_requests},
          {"gbps", m.gbps()},
          {"ceiling_gbps", or_null(m.ceiling_gbps > 0, m.ceiling_gbps)},
          {"share_of_ceiling",
           or_null(m.share_of_ceiling().has_value(), m.share_of_ceiling().value_or(0))},
          {"amplification", dataset > 0 ? m.link_bytes / dataset : 0},
          {"edges", m.edges},
          {"device_memory", m.device_memory > 0 ? Json(m.device_memory) : Json(nullptr)},
          {"peak_device_bytes", m.peak_device}};
}

constexpr const char* kPaper =
    "In the paper (V100, PCIe 3.0, 8-byte ids, its graphs): BFS naive 0.73x, merged 3.24x, "
    "aligned\n"
    "3.56x of unified memory's speed (Figure 9); 4.7, 11 and 11.5-12 GB/s of 12.3, unified memory "
    "9:\n"
    "38 %, 89 %, 93-98 % and 73 % of the link (Figure 8); amplification at most 1.31, unified "
    "memory\n"
    "up to 5.16 (Figure 10); BFS, SSSP and CC together 2.92x (Figure 11). From PCIe 3.0 to 4.0 "
    "(A100,\n"
    "12 to 24 GB/s): aligned 1.9x faster, 95 % of the link's gain, unified memory 1.53x, 77 %\n"
    "(Figure 12). Table 3: BFS 1.34-3.19x of HALO, SSSP 2.14-2.64x of Subway.\n";

std::string range_text(const Json& weights) {
  return fmt::format("{} to {}", weights["min"].get<double>(), weights["max"].get<double>());
}

/// When the link of the device was measured, or null: its ceiling is then that of one H200.
Json link_measured(int device) {
  const Json devices = probe_cuda()["devices"];
  const auto at = static_cast<std::size_t>(device);
  if (device < 0 || at >= devices.size()) return nullptr;
  const auto profile = load_link_profile(devices[at]["uuid"].get<std::string>());
  return profile ? Json(profile->measured) : Json(nullptr);
}

/// One application on one graph with one width of ids: a line per system. What is known is saved
/// after each, since a whole matrix takes many minutes.
void run_matrix(const EmogiCommand& c, const std::string& path, Session& session, Json& report) {
  const auto store = store::Store::open(path);
  const CsrView lists = store->out(c.threads);
  const auto sources = pick_sources(lists, c.sources, c.seed);
  const Json weights = weights_json(lists, c.threads);
  for (const std::string& app : c.apps) {
    for (const int bytes : c.id_bytes) {
      const int entry_bytes = bytes + (app == "sssp" ? 4 : 0);
      const double dataset = static_cast<double>(store->header().edges) * entry_bytes;
      if (!c.json)
        print("{} on {}, {}-byte ids{}\n  {:<8} {:>11} {:>9} {:>8} {:>9} {:>14} {:>9}\n", app, path,
              bytes, app == "sssp" ? ", weights " + range_text(weights) : "", "system", "mean ms",
              "speed-up", "GB/s", "of link", "requests", "read/size");
      std::optional<double> baseline;
      for (const std::string& name : c.systems) {
        if (name == "fathom" && bytes == 8) continue;  // Fathom stores 4
        const Measured m = measure(c, store, system_named(name, bytes, c.zerocopy), app, sources,
                                   session.task(c.quiet));
        if (!baseline) baseline = m.seconds;
        Json entry = json_of(m, dataset);
        entry["app"] = app;
        entry["graph"] = graph_json(store->header(), path);
        entry["weights"] = weights;
        entry["id_bytes"] = bytes;
        entry["system"] = name;
        if (!c.json) {
          const bool counted = m.link_requests > 0;
          const auto share = m.share_of_ceiling();
          print("  {:<8} {:>11.3f} {:>8.2f}x {:>8} {:>9} {:>14} {:>9}\n", name, m.seconds * 1e3,
                *baseline / m.seconds, counted ? fmt::format("{:.1f}", m.gbps()) : "-",
                share ? fmt::format("{:.0f} %", *share * 100) : "-",
                counted ? fmt::format("{:.0f}", m.link_requests) : "-",
                counted ? fmt::format("{:.3f}", m.link_bytes / dataset) : "-");
          flush_out();
        }
        report["results"].push_back(std::move(entry));
        if (!c.save.empty()) write_json(c.save, report);
      }
    }
  }
}

/// What device memory the system fathom gets, by application. Needs no device.
Json budgets_json(const EmogiCommand& c) {
  Json budgets = Json::object();
  for (const std::string& path : c.graphs)
    for (const std::string& app : c.apps)
      budgets[path][app] = budget_for(store::Store::open(path)->header(), app);
  return budgets;
}

void check_weights(const EmogiCommand& c) {
  if (std::find(c.apps.begin(), c.apps.end(), "sssp") == c.apps.end()) return;
  for (const std::string& path : c.graphs)
    if (!store::Store::open(path)->header().weighted)
      throw Error(ErrorCode::Usage, path + " has no weights; sssp needs them (or --apps bfs cc)");
}

void run_emogi(const EmogiCommand& c, Session& session) {
  if (c.budgets) return write_out(to_text(budgets_json(c)));
  check_weights(c);
  Json report;
  report["schema"] = "fathom.bench.emogi/1";
  CudaOptions device;
  device.device = c.device;
  report["device"] = Context::cuda(device).device_name();
  report["link_measured"] = link_measured(c.device);
  report["sources"] = c.sources;
  report["zerocopy"] = c.zerocopy;
  report["results"] = Json::array();
  for (const std::string& path : c.graphs) run_matrix(c, path, session, report);
  if (c.json) {
    write_out(to_text(report));
  } else {
    if (report["link_measured"].is_null())
      write_out(
          "The link was not measured (fathom bench link): shares are of what one H200 does.\n");
    write_out(kPaper);
  }
}

}  // namespace

void add_bench_emogi(CLI::App& bench, Session& session) {
  auto* command = bench.add_subcommand(
      "emogi", "EMOGI's Figures 8 to 12 and Table 3: access patterns and unified memory on a GPU");
  auto c = std::make_shared<EmogiCommand>();
  command->add_option("graphs", c->graphs, "Undirected .fg files, with weights for sssp")
      ->type_name("G.fg")
      ->required();
  command->add_option("--sources", c->sources, "Random vertices with edges to search from")
      ->type_name("N")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--seed", c->seed, "Chooses the sources")->type_name("S");
  command->add_option("--apps", c->apps, "Some of bfs, sssp, cc (default: all)")
      ->check(CLI::IsMember({"bfs", "sssp", "cc"}));
  command->add_option("--id-bytes", c->id_bytes, "Some of 8, 4 (default: both)")
      ->check(CLI::IsMember({4, 8}));
  command
      ->add_option("--systems", c->systems,
                   "Some of uvm, naive, merged, aligned, fathom (default: all)")
      ->check(CLI::IsMember({"uvm", "naive", "merged", "aligned", "fathom"}));
  command->add_option("--zerocopy", c->zerocopy, "How the plain systems obtain host memory")
      ->check(CLI::IsMember({"auto", "malloc", "register", "managed"}))
      ->capture_default_str();
  add_size(*command, "--device-memory", c->device_memory,
           "Budget of the system fathom (default: vertex state and a quarter of the edges)");
  command->add_option("--device", c->device, "Which GPU")->type_name("N")->capture_default_str();
  add_threads(*command, c->threads);
  command->add_flag("--budgets", c->budgets,
                    "Only print the default budgets of the system fathom, in bytes, as JSON");
  command
      ->add_option("--save", c->save, "Also write the JSON object to a file, anew after each row")
      ->type_name("FILE.json");
  command->add_flag("--json", c->json, "Print one JSON object instead of tables");
  command->add_flag("-q,--quiet", c->quiet, "No progress");
  command->footer(
      "Times are means over the sources and leave loading out.\n\n"
      "Examples:\n"
      "  fathom generate rmat --scale 22 --weights 8:72 -o kron22.fg     (EMOGI's weights)\n"
      "  fathom generate rmat --scale 22 --weights 1:255 -o gap22.fg     (GAP's weights)\n"
      "  fathom bench emogi kron22.fg --sources 64");
  command->callback([c, &session] { session.command = [c, &session] { run_emogi(*c, session); }; });
}

}  // namespace fathom::cli
