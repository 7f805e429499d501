// Parts of `fathom bench gts` that vary one thing: what overlaps, reads under way at once, the
// buffer, and the density of the graph (GTS, Table 1, Figures 10, 11 and 14).
#include <array>

#include "bench/papers/gts/gts.hpp"
#include "fathom/core/error.hpp"

namespace fathom::cli::gts {
namespace {

constexpr std::array kBoth{"bfs", "pagerank"};

/// Slotted pages from disk.
Place from_disk(const Command& c, const GraphFiles& graph, const std::string& app) {
  for (const Place& place : places(c, graph, app, false))
    if (place.from_disk()) return place;
  throw Error(ErrorCode::Internal, "no place is on disk");
}

/// Slotted pages where they move: from disk, or from host memory to a GPU's frames.
Place streaming_place(const Command& c, const GraphFiles& graph, const std::string& app) {
  for (const Place& place : places(c, graph, app, false))
    if (c.on_gpu() && place.slotted && place.residency == "stream") return place;
  return from_disk(c, graph, app);
}

/// On a GPU once for each way in which its kernels can share out lists.
std::vector<Place> by_technique(const Command& c, const GraphFiles& graph, const std::string& app) {
  std::vector<Place> at;
  for (const char* technique : {"length", "vertex", "edge", "hybrid"}) {
    at.push_back(streaming_place(c, graph, app));
    if (!c.on_gpu()) break;
    at.back().technique = technique;
  }
  return at;
}

void with(Json& rows, const char* name, const Json& value, const Json& more) {
  for (Json row : more) {
    row[name] = value;
    rows.push_back(std::move(row));
  }
}

}  // namespace

double median_of(std::vector<double> values) {
  Timing timing;
  timing.trials = std::move(values);
  return timing.median();
}

Json overlap_part(const Command& c, const GraphFiles& graph, Session& session) {
  Json rows = Json::array();
  for (const std::string app : kBoth) {
    const Place place = streaming_place(c, graph, app);
    std::vector<double> transfer, work, idle, seconds;
    for (int t = 0; t < c.trials; ++t) {
      const Outcome run = run_at(c, graph, app, place, session, true);
      transfer.push_back(run.transfer);
      work.push_back(run.work);
      idle.push_back(run.busier_idle);
      seconds.push_back(run.report.seconds);
    }
    const double moved = median_of(transfer), worked = median_of(work);
    rows.push_back({{"scale", graph.scale},
                    {"app", app},
                    {"storage", place.storage},
                    {"transfer_seconds", moved},
                    {"kernel_seconds", worked},
                    {"seconds", median_of(seconds)},
                    {"ratio", worked > 0 ? Json(moved / worked) : Json(nullptr)},
                    {"busier_idle_seconds", median_of(idle)}});
  }
  return rows;
}

Json depth_part(const Command& c, const GraphFiles& graph, Session& session, Json& left_out) {
  Json rows = Json::array();
  constexpr std::array kDepths{1u, 2u, 4u, 8u, 16u, 32u};
  for (const std::string app : kBoth) {
    std::vector<Place> at(kDepths.size(), from_disk(c, graph, app));
    for (std::size_t i = 0; i < at.size(); ++i) at[i].io_depth = kDepths[i];
    std::size_t i = 0;
    for (Json row : measure_at(c, graph, app, at, session, left_out)) {
      row["io_depth"] = kDepths[i++];
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

Json cache_part(const Command& c, const GraphFiles& graph, Session& session, Json& left_out) {
  Json rows = Json::array();
  constexpr std::array kShares{.05, .1, .2, .4, .6, .8, 1.};
  const Place place = streaming_place(c, graph, "bfs");
  std::vector<Place> at;
  for (const double share : kShares) {
    at.push_back(place);
    Place& p = at.back();
    if (c.on_gpu() || place.devices > 0)
      p.device_memory = device_budget(graph, "bfs", p, share, c.execution.threads);
    else
      p.host_memory = host_budget(graph, "bfs", p, share, c.execution.threads);
  }
  for (std::size_t i = 0; i < at.size(); ++i)
    with(rows, "share_asked", kShares[i], measure_at(c, graph, "bfs", {at[i]}, session, left_out));
  return rows;
}

Json density_part(const Command& c, Session& session, Json& left_out) {
  Json rows = Json::array();
  constexpr std::array kDensities{4u, 8u, 16u, 32u};
  for (const std::uint32_t density : kDensities) {
    const GraphFiles graph = make_graph_files(c, session, c.scales.back(), density, false);
    for (const std::string app : kBoth)
      for (Json& row : measure_at(c, graph, app, by_technique(c, graph, app), session, left_out))
        rows.push_back(std::move(row));
  }
  if (!c.on_gpu()) left_out.push_back("fig14: vertex-centric and edge-centric kernels need a GPU");
  return rows;
}

}  // namespace fathom::cli::gts
