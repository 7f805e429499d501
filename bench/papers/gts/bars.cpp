// What `fathom bench gts` holds against bounds: the disk's own rate, the pages a search needs, and
// the memory a process may have.
#include <fmt/format.h>

#include <algorithm>

#include "bench/papers/gts/gts.hpp"
#include "cli/machine/probes.hpp"
#include "cli/machine/resident_memory.hpp"
#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/core/error.hpp"
#include "fathom/store/slotted/slotted_pages.hpp"

namespace fathom::cli::gts {
namespace {

constexpr std::uint64_t kProbeBytes = std::uint64_t{512} << 20;  // read for half a second at most

/// PageRank from each place on disk, the disk's own rate measured before every run.
Json rate_bar(const Command& c, const GraphFiles& graph, Session& session) {
  Json rows = Json::array();
  for (Place place : places(c, graph, "pagerank", true)) {
    if (!place.from_disk()) continue;
    if (c.on_gpu()) place.cache = "none";  // its frames would have all pages after one superstep
    std::vector<double> raw, rate, waited, idle, kernels, seconds;
    for (int t = 0; t < c.trials; ++t) {
      raw.push_back(disk_rate(c, place, session));
      const Outcome run = run_at(c, graph, "pagerank", place, session, true);
      const double took = run.report.seconds;
      const DiskTraffic& disk = run.report.link.disk;
      seconds.push_back(took);
      rate.push_back(static_cast<double>(disk.bytes) / took);
      waited.push_back(disk.seconds_waited / took);
      idle.push_back(run.busier_idle / took);
      kernels.push_back(run.work / took);
    }
    const double disk = median_of(raw), sustained = median_of(rate);
    rows.push_back({{"storage", place.storage},
                    {"layout", place.slotted ? "slotted" : "csr"},
                    {"devices", std::max(1, place.devices)},
                    {"seconds", median_of(seconds)},
                    {"bytes_per_second", sustained},
                    {"raw_bytes_per_second", disk > 0 ? Json(disk) : Json(nullptr)},
                    {"share_of_raw", disk > 0 ? Json(sustained / disk) : Json(nullptr)},
                    {"kernels_share", median_of(kernels)},
                    {"waited_share", median_of(waited)},
                    {"not_overlapped_share", median_of(idle)}});
  }
  return rows;
}

struct LevelPages {
  std::uint64_t pages = 0;
  std::uint64_t bytes = 0;      // of the units that are read at once
  std::uint64_t next_unit = 0;  // the first that is not counted yet
};

/// The model: a level needs the pages on which a vertex of that depth has edges (nextPIDSet), and
/// the disk is read in units of at least 1 MiB.
std::vector<LevelPages> pages_needed(const store::SlottedLists& lists,
                                     const std::vector<double>& depth) {
  const std::uint64_t page = lists.layout.page_bytes;
  const std::uint64_t unit = std::max(page, std::uint64_t{1} << 20);
  std::vector<LevelPages> level;
  std::vector<std::size_t> here;
  for (std::size_t p = 0; p < lists.rvt.size(); ++p) {
    here.clear();
    const std::uint64_t first = lists.rvt[p].start_vid;
    for (std::uint64_t v = first; v < first + store::slots_of(lists.rvt, p, lists.vertices); ++v)
      if (lists.offset[v + 1] > lists.offset[v] && depth[v] < kUnreached)
        here.push_back(static_cast<std::size_t>(depth[v]));
    std::sort(here.begin(), here.end());
    here.erase(std::unique(here.begin(), here.end()), here.end());
    for (const std::size_t d : here) {
      if (level.size() <= d) level.resize(d + 1);
      ++level[d].pages;
      const std::uint64_t u = p * page / unit;
      if (u < level[d].next_unit) continue;
      level[d].next_unit = u + 1;
      level[d].bytes += std::min(unit, lists.rvt.size() * page - u * unit);
    }
  }
  return level;
}

/// Pages that a search fetches without a cache and touches with one, beside those it needs.
Json pages_bar(const Command& c, const GraphFiles& graph, Session& session) {
  Place place;
  for (const Place& p : places(c, graph, "bfs", false))
    if (p.slotted && p.storage == "ssd") place = p;
  place.cache = "none";
  if (c.on_gpu()) place.page_move = "copy";  // what is read in place is not fetched
  const Outcome bare = run_at(c, graph, "bfs", place, session);
  place.cache.clear();
  const Outcome cached = run_at(c, graph, "bfs", place, session);
  const auto store = store::Store::open(graph.slotted);
  const auto lists = store->slotted_out(c.execution.threads);
  LevelPages needed;
  Json levels = Json::array();
  for (const LevelPages& level : pages_needed(*lists, bare.values)) {
    needed.pages += level.pages;
    needed.bytes += level.bytes;
    levels.push_back(level.pages);
  }
  const auto touched = [](const Traffic& t) { return t.cache_hits + t.cache_misses; };
  const Traffic& fetched = bare.report.link;
  return {
      {"needed_pages", needed.pages},
      {"fetched_pages", fetched.cache_misses},
      {"touched_pages", touched(cached.report.link)},
      {"needed_bytes", needed.bytes},
      {"fetched_bytes", fetched.disk.bytes},
      {"equal", touched(fetched) == needed.pages && touched(cached.report.link) == needed.pages &&
                    fetched.cache_misses == needed.pages && fetched.disk.bytes == needed.bytes},
      {"needed_by_level", levels},
      {"all_pages", lists->rvt.size()}};
}

/// Runs within a quarter of the graph, on a GPU also with a tenth of it there; one with long lists,
/// whose vertex state has room in that.
Json memory_bar(const Command& c, Session& session, Json& left_out) {
  constexpr std::uint32_t kDense = 64;
  const GraphFiles graph = make_graph_files(c, session, c.scales.back(), kDense, true);
  Json rows = Json::array();
  for (const std::string app : {"bfs", "sssp", "cc", "pagerank"}) {
    Place place;
    for (const Place& p : places(c, graph, app, false))
      if (p.slotted && p.storage == "ssd") place = p;
    place.host_memory = graph.pages.bytes / 4;
    if (c.on_gpu()) place.device_memory = graph.pages.bytes / 10;
    try {
      forget_peak_resident_bytes();
      const std::uint64_t before = resident_bytes();
      const Outcome run = run_at(c, graph, app, place, session);
      rows.push_back({{"app", app},
                      {"graph_bytes", graph.pages.bytes},
                      {"host_memory", place.host_memory},
                      {"peak_host_bytes", run.report.peak_host_bytes},
                      {"resident_before", before},
                      {"peak_resident_bytes", peak_resident_bytes()},
                      {"seconds", run.report.seconds}});
    } catch (const Error& e) {
      if (e.code() != ErrorCode::DoesNotFit) throw;
      left_out.push_back(fmt::format("bars, {} within a quarter: {}", app, e.what()));
    }
  }
  return rows;
}

}  // namespace

double disk_rate(const Command& c, const Place& place, Session& session) {
  std::vector<std::string> directories = c.execution.ssd;
  if (place.storage != "ssds") directories = {c.work};
  double rate = 0;
  for (const std::string& directory : directories) {
    const Json disk = probe_disk(directory, session.task(c.quiet || c.json), kProbeBytes);
    if (disk["read_bytes_per_second"].is_null()) return 0;
    rate += disk["read_bytes_per_second"].get<double>();
  }
  return rate;
}

Json bars_part(const Command& c, const GraphFiles& graph, Session& session, Json& left_out) {
  return {{"rate", rate_bar(c, graph, session)},
          {"pages", pages_bar(c, graph, session)},
          {"memory", memory_bar(c, session, left_out)}};
}

}  // namespace fathom::cli::gts
