// The graphs of `fathom bench gts` and what is counted of them: Tables 3 and 4 of GTS.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "bench/papers/gts/gts.hpp"
#include "fathom/core/error.hpp"
#include "fathom/plan/workload.hpp"
#include "fathom/store/make/convert.hpp"
#include "fathom/store/make/repack.hpp"
#include "fathom/store/slotted/slotted_pages.hpp"
#include "fathom/store/stripes.hpp"

namespace fathom::cli::gts {
namespace {

bool is_there(const std::string& path, const std::string& provenance) {
  if (!std::filesystem::exists(path)) return false;
  return store::Store::open(path)->header().provenance == provenance;
}

/// Whether every stripe of a store is where --ssd says.
bool is_striped(const std::string& path, std::span<const std::string> directories) {
  try {
    const store::StoreFile file(path);
    const store::StripeFiles stripes(file, directories);
    return true;
  } catch (const Error&) {
    return false;
  }
}

void generate(const std::string& path, const generate::Spec& spec, const std::string& provenance,
              const Command& c, const Task& task) {
  store::ConvertOptions options;
  options.undirected = false;
  options.build.in_edges = false;
  options.build.duplicates = graph::Duplicates::Keep;
  options.build.threads = c.execution.threads;
  options.build.task = task;
  options.provenance = provenance;
  store::generate(generate::Generator(spec), path, options);
}

void paginate(const std::string& from, const std::string& to, const std::string& provenance,
              const Command& c, const Task& task) {
  store::RepackOptions options;
  options.slotted = store::SlottedOptions{};
  options.slotted->page_bytes = c.page_bytes;
  options.threads = c.execution.threads;
  options.provenance = provenance;
  options.task = task;
  store::repack(from, to, options);
}

struct Configuration {
  int pid_bytes, slot_bytes;
  std::size_t page_bytes;
};

// Those of Table 2, with the page sizes that Table 3 implies (1 MiB, 64 MiB) where they have such.
constexpr std::array kConfigurations{
    Configuration{2, 2, std::size_t{1} << 20}, Configuration{3, 3, std::size_t{64} << 20},
    Configuration{3, 3, std::size_t{1} << 20}, Configuration{2, 4, std::size_t{1} << 20},
    Configuration{4, 2, std::size_t{1} << 20}};

Json statistics_json(const store::SlottedStatistics& s, const Configuration& as) {
  return {{"pid_bytes", as.pid_bytes},
          {"slot_bytes", as.slot_bytes},
          {"page_bytes", as.page_bytes},
          {"small_pages", s.small_pages},
          {"large_pages", s.large_pages},
          {"large_vertices", s.large_vertices},
          {"bytes", s.bytes}};
}

struct PaperState {
  const char* app;
  double bytes_per_vertex;  // Table 4: WA of RMAT28 is .5, 1, 1 and 2 GB for 2^28 vertices
};
constexpr std::array kPaperState{PaperState{"bfs", 2}, PaperState{"pagerank", 4},
                                 PaperState{"sssp", 4}, PaperState{"cc", 8}};

}  // namespace

GraphFiles make_graph_files(const Command& c, Session& session, int scale,
                            std::uint32_t edge_factor, bool weights) {
  generate::Spec spec;
  spec.scale = scale;
  spec.edge_factor = edge_factor;
  spec.seed = c.seed;
  if (weights) spec.weights = generate::WeightRange{};
  const Task task = session.task(c.quiet || c.json);
  const std::string name =
      fmt::format("rmat{}-{}{}", scale, edge_factor, weights ? "-weighted" : "");
  const std::string made = fmt::format("fathom bench gts: {}, seed {}", name, c.seed);
  const std::string pages = fmt::format("{}, pages of {} bytes", made, c.page_bytes);
  GraphFiles files;
  files.scale = scale;
  files.edge_factor = edge_factor;
  files.csr = (std::filesystem::path(c.work) / (name + ".fg")).string();
  files.slotted = (std::filesystem::path(c.work) / (name + ".pages.fg")).string();
  const bool kept = is_there(files.csr, made);
  if (!kept) generate(files.csr, spec, made, c, task);
  if (!kept || !is_there(files.slotted, pages)) paginate(files.csr, files.slotted, pages, c, task);
  const std::vector<std::string>& ssd = c.execution.ssd;
  if (!ssd.empty() && !is_striped(files.slotted, ssd))
    store::write_stripes(files.slotted, ssd, task);
  const auto store = store::Store::open(files.csr);
  files.vertices = store->header().vertices;
  files.edges = store->header().edges;
  files.csr_bytes = files.edges * (sizeof(VertexId) + (weights ? sizeof(Weight) : 0));
  files.source = plan::longest_list(store->out_offsets(c.execution.threads));
  files.pages = *store::Store::open(files.slotted)->slotted_out_statistics();
  return files;
}

Json statistics_part(const Command& c, const GraphFiles& graph) {
  const auto store = store::Store::open(graph.csr);
  const auto offset = store->out_offsets(c.execution.threads);
  std::vector<Configuration> all(kConfigurations.begin(), kConfigurations.end());
  if (c.page_bytes != std::size_t{1} << 20) all.push_back({3, 3, c.page_bytes});
  Json rows = Json::array();
  for (const Configuration& as : all) {
    store::SlottedOptions options;
    options.pid_bytes = as.pid_bytes;
    options.slot_bytes = as.slot_bytes;
    options.page_bytes = as.page_bytes;
    const store::SlottedLayout layout = store::layout_of(options, false);
    store::Paginator paginator(layout);
    for (std::size_t v = 0; v + 1 < offset.size(); ++v) paginator.add(offset[v + 1] - offset[v]);
    paginator.finish();
    if (!paginator.fits()) continue;
    Json row{{"scale", graph.scale}, {"vertices", graph.vertices}, {"edges", graph.edges}};
    row.update(statistics_json(store::statistics_of(layout, paginator.take(), graph.vertices), as));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json state_part(const GraphFiles& graph) {
  plan::GraphShape shape;
  shape.vertices = graph.vertices;
  shape.edges = graph.edges;
  shape.has_in = false;
  shape.weighted = true;
  Json rows = Json::array();
  const auto topology = static_cast<double>(graph.pages.bytes);
  for (const PaperState& paper : kPaperState) {
    const auto vertices = static_cast<double>(graph.vertices);
    const double ours = plan::workload_of(paper.app, shape, {}, false).state * vertices;
    const double theirs = paper.bytes_per_vertex * vertices;
    rows.push_back({{"scale", graph.scale},
                    {"app", paper.app},
                    {"topology_bytes", graph.pages.bytes},
                    {"csr_bytes", graph.csr_bytes},
                    {"state_bytes", static_cast<std::uint64_t>(ours)},
                    {"ratio", ours / topology},
                    {"paper_state_bytes", static_cast<std::uint64_t>(theirs)},
                    {"paper_state_ratio", theirs / topology}});
  }
  return rows;
}

}  // namespace fathom::cli::gts
