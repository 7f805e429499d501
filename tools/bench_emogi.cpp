// fathom bench emogi: the experiments of EMOGI's sections 5.3 and 5.4 (Figures 8 to 11, Table 3) on
// this machine's GPU: BFS, SSSP and CC over unified memory, with the paper's three access patterns,
// and as Fathom does them by default.
//
// The plain systems push every edge of each frontier, as the paper's do: no direction switching, no
// hints, no cache, no sampling, one bucket. Their unified memory is read-mostly and starts cold.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <optional>

#include "bench.hpp"
#include "console.hpp"
#include "fathom/algorithms/bfs.hpp"
#include "fathom/algorithms/components.hpp"
#include "fathom/algorithms/sssp.hpp"
#include "fathom/core/atomic_file.hpp"
#include "fathom/core/units.hpp"
#include "fathom/store/store.hpp"
#include "options.hpp"
#include "report_json.hpp"

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
  bool json = false, quiet = false;
};

/// One system of the paper's comparison.
struct System {
  std::string name;
  ResidencyOptions residency;
  bool plain = true;
};

System system_named(const std::string& name, int id_bytes, const std::string& zerocopy) {
  System s{name, {}, true};
  GpuEdgeOptions& gpu = s.residency.gpu;
  s.residency.kind = ResidencyOptions::Kind::ZeroCopy;
  gpu.cache = CachePolicy::None;
  gpu.id_bytes = id_bytes;
  gpu.interleave = false;
  if (zerocopy == "malloc") gpu.host_memory = ZeroCopyWay::Malloc;
  if (zerocopy == "register") gpu.host_memory = ZeroCopyWay::Register;
  if (zerocopy == "managed") gpu.host_memory = ZeroCopyWay::Managed;
  if (name == "uvm") {
    s.residency.kind = ResidencyOptions::Kind::Managed;
    gpu.read_mostly = true;
  } else if (name == "naive") {
    gpu.access = Access::Naive;
  } else if (name == "merged") {
    gpu.access = Access::Merged;
  } else if (name == "fathom") {
    s.plain = false;
    gpu.cache = CachePolicy::Auto;
    gpu.interleave = true;
  }
  return s;
}

/// Offsets, vertex state and hints, and a quarter of what the edges take: out of memory by design.
std::size_t budget_for(const store::Header& header, const std::string& app) {
  const std::size_t n = header.vertices;
  const std::size_t edge_bytes = app == "sssp" ? 8 : 4;
  constexpr std::size_t kOffsets = 8, kCacheIndex = 4, kHint = 4, kState = 40;
  return n * (kOffsets + kCacheIndex + kHint + kState) + (std::size_t{64} << 20) +
         header.edges * edge_bytes / 4;
}

/// Means over the runs of one system.
struct Measured {
  double seconds = 0, link_bytes = 0, link_requests = 0, edges = 0;
  std::size_t peak_device = 0;
  std::vector<double> runs;
};

void add(Measured& m, const RunReport& run) {
  m.runs.push_back(run.seconds);
  m.seconds += run.seconds;
  m.link_bytes += static_cast<double>(run.link.bytes);
  m.link_requests += static_cast<double>(run.link.requests);
  m.edges += static_cast<double>(run.edges_traversed);
  m.peak_device = std::max(m.peak_device, run.peak_device_bytes);
}

RunReport run_once(const std::string& app, const Context& ctx, const Graph& graph, VertexId source,
                   bool plain) {
  if (app == "bfs") {
    BfsOptions options;
    if (plain) options.direction = Direction::Push;
    return bfs(ctx, graph, {&source, 1}, options).report;
  }
  if (app == "sssp") {
    SsspOptions options;
    if (plain) options.delta = std::numeric_limits<Weight>::infinity();
    return sssp(ctx, graph, source, options).report;
  }
  ComponentsOptions options;
  options.sample = !plain;
  return connected_components(ctx, graph, options).report;
}

Measured measure(const EmogiCommand& c, const std::shared_ptr<store::Store>& store,
                 const System& system, const std::string& app, const std::vector<VertexId>& sources,
                 const Task& task) {
  CudaOptions options;
  options.device = c.device;
  options.threads = c.threads;
  options.task = task;
  if (!system.plain)
    options.device_memory =
        c.device_memory > 0 ? c.device_memory : budget_for(store->header(), app);
  const Context ctx = Context::cuda(options);
  const Graph graph = make_graph(ctx, store, system.residency);
  run_once(app, ctx, graph, sources[0], system.plain);  // places the edges, loads the kernels
  Measured m;
  const std::size_t runs = app == "cc" ? static_cast<std::size_t>(c.repeats) : sources.size();
  for (std::size_t i = 0; i < runs; ++i)
    add(m, run_once(app, ctx, graph, sources[i % sources.size()], system.plain));
  const double share = 1.0 / static_cast<double>(m.runs.size());
  for (double* sum : {&m.seconds, &m.link_bytes, &m.link_requests, &m.edges}) *sum *= share;
  return m;
}

Json json_of(const Measured& m, double dataset) {
  return {{"mean_seconds", m.seconds},
          {"runs", m.runs},
          {"link_bytes", m.link_bytes},
          {"link_requests", m.link_requests},
          {"gbps", m.seconds > 0 ? m.link_bytes / m.seconds / 1e9 : 0},
          {"amplification", dataset > 0 ? m.link_bytes / dataset : 0},
          {"edges", m.edges},
          {"peak_device_bytes", m.peak_device}};
}

constexpr const char* kPaper =
    "In the paper (V100, PCIe 3.0, 8-byte ids, its graphs): BFS naive 0.73x, merged 3.24x, "
    "aligned\n"
    "3.56x of unified memory's speed (Figure 9); 4.7, 11 and 11.5-12 GB/s of 12.3, unified memory "
    "9\n"
    "(Figure 8); amplification at most 1.31, unified memory up to 5.16 (Figure 10); BFS, SSSP and "
    "CC\n"
    "together 2.92x (Figure 11). Table 3: BFS 1.34-3.19x of HALO, SSSP 2.14-2.64x of Subway.\n";

/// One application on one graph with one width of ids: a line per system.
void run_matrix(const EmogiCommand& c, const std::string& path, Session& session, Json& results) {
  const auto store = store::Store::open(path);
  const auto sources = pick_sources(store->out(c.threads), c.sources, c.seed);
  for (const std::string& app : c.apps) {
    if (app == "sssp" && !store->header().weighted)
      throw Error(ErrorCode::Usage, path + " has no weights; sssp needs them (or --apps bfs cc)");
    for (const int bytes : c.id_bytes) {
      const int entry_bytes = bytes + (app == "sssp" ? 4 : 0);
      const double dataset = static_cast<double>(store->header().edges) * entry_bytes;
      if (!c.json)
        print("{} on {}, {}-byte ids\n  {:<8} {:>11} {:>9} {:>8} {:>14} {:>9}\n", app, path, bytes,
              "system", "mean ms", "speed-up", "GB/s", "requests", "read/size");
      std::optional<double> baseline;
      for (const std::string& name : c.systems) {
        if (name == "fathom" && bytes == 8) continue;  // Fathom stores 4
        const Measured m = measure(c, store, system_named(name, bytes, c.zerocopy), app, sources,
                                   session.task(c.quiet));
        if (!baseline) baseline = m.seconds;
        Json entry = json_of(m, dataset);
        entry["app"] = app;
        entry["graph"] = graph_json(store->header(), path);
        entry["id_bytes"] = bytes;
        entry["system"] = name;
        if (!c.json) {
          const bool counted = m.link_requests > 0;
          print("  {:<8} {:>11.3f} {:>8.2f}x {:>8} {:>14} {:>9}\n", name, m.seconds * 1e3,
                *baseline / m.seconds,
                counted ? fmt::format("{:.1f}", m.link_bytes / m.seconds / 1e9) : "-",
                counted ? fmt::format("{:.0f}", m.link_requests) : "-",
                counted ? fmt::format("{:.3f}", m.link_bytes / dataset) : "-");
          flush_out();
        }
        results.push_back(std::move(entry));
      }
    }
  }
}

void run_emogi(const EmogiCommand& c, Session& session) {
  Json report;
  report["schema"] = "fathom.bench.emogi/1";
  CudaOptions device;
  device.device = c.device;
  report["device"] = Context::cuda(device).device_name();
  report["sources"] = c.sources;
  report["zerocopy"] = c.zerocopy;
  report["results"] = Json::array();
  for (const std::string& path : c.graphs) run_matrix(c, path, session, report["results"]);
  if (c.json)
    write_out(to_text(report));
  else
    write_out(kPaper);
  if (!c.save.empty()) write_json(c.save, report);
}

}  // namespace

void add_bench_emogi(CLI::App& bench, Session& session) {
  auto* command = bench.add_subcommand(
      "emogi", "EMOGI's Figures 8 to 11 and Table 3: access patterns and unified memory on a GPU");
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
  command->add_option("--save", c->save, "Also write the JSON object to a file")
      ->type_name("FILE.json");
  command->add_flag("--json", c->json, "Print one JSON object instead of tables");
  command->add_flag("-q,--quiet", c->quiet, "No progress");
  command->footer(
      "Times are means over the sources and leave loading out.\n\n"
      "Examples:\n"
      "  fathom generate rmat --scale 22 --weights 8:72 -o kron22.fg\n"
      "  fathom bench emogi kron22.fg --sources 64");
  command->callback([c, &session] { session.command = [c, &session] { run_emogi(*c, session); }; });
}

}  // namespace fathom::cli
