// What Winter's thesis measured, and the bars that Fathom set itself on one H200.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "bench/papers/dynamic/dynamic.hpp"

namespace fathom::cli::dynamic_bench {
namespace {

/// Milliseconds and MB of faimGraph on a Titan Xp (Tables 4.1 to 4.4), aimGraph's initialisation on
/// a GTX 780 (Table 3.1; negative: not there), and degrees (Table 6.1).
struct PaperGraph {
  const char* graph;
  const char* kind;  // of ours
  double mean, deviation;
  int most;
  double aim_init, init, megabytes, queries, vertex_insert, vertex_undirected, vertex_directed;
  double triangles_naive, triangles_balanced, pagerank_naive, pagerank_balanced;
};
constexpr double kNone = -1;
constexpr std::array kPaperGraphs{
    PaperGraph{"luxembourg_osm", "road", 2.08, .41, 6, 3.13, 1.16, 9.18, 2.61, 1.99, 1.49, 1.26,
               .03, .64, .28, .30},
    PaperGraph{"germany_osm", "road", 2.14, .53, 13, 101.68, 32.78, 925.16, 3.23, 11.33, 11.54,
               15.75, 1.74, 3.26, 5.31, 4.74},
    PaperGraph{"europe_osm", "road", 2.12, .48, 13, kNone, 145.16, 4078.4, 3.21, 45.68, 43.94,
               69.17, 7.60, 14.04, 18.49, 17.63},
    PaperGraph{"delaunay_n20", "triangulation", 6.0, 1.34, 23, kNone, 6.38, 84.0, 3.19, 2.85, 2.90,
               2.89, 1.37, 1.82, .99, .65},
    PaperGraph{"delaunay_n23", "triangulation", 6.0, 1.34, 28, kNone, 45.88, 672.01, 3.23, 9.42,
               10.42, 18.95, 10.18, 11.34, 7.07, 4.79},
    PaperGraph{"rgg_n_2_20_s0", "random-geometric", 13.14, 3.63, 36, kNone, 11.60, 99.98, 3.21,
               2.87, 4.01, 4.03, 6.92, 7.34, 2.19, .84},
    PaperGraph{"coAuthorsCiteseer", "coauthors", 7.16, 10.63, 1372, kNone, 2.47, 20.41, 3.26, 2.09,
               2.29, 2.36, 9.19, 3.57, 1.09, .32},
    PaperGraph{"coAuthorsDBLP", "coauthors", 6.54, 9.82, 336, 6.687, 2.61, 26.44, 3.12, 2.15, 2.82,
               2.02, 14.56, 4.90, .59, .31},
    PaperGraph{"nlpkkt120", "stencil", 27.34, 3.09, 28, kNone, 100.03, 494.62, 3.28, 4.87, 22.31,
               20.84, 307.89, 197.80, 15.20, 4.21},
    PaperGraph{"nlpkkt200", "stencil", 27.6, 2.42, 28, kNone, 459.36, 2277.3, 3.23, 15.19, 52.98,
               83.15, 1413.9, 923.98, 69.32, 18.94},
    PaperGraph{"nlpkkt240", "stencil", 27.66, 2.22, 28, kNone, 792.88, 3929.8, 3.24, 25.63, 74.27,
               144.15, 2490.4, 1484.71, 121.91, 32.67},
    PaperGraph{"ldoor", "stencil", 48.86, 11.95, 77, 53.704, 58.11, 244.66, 4.58, 2.82, 12.31,
               11.87, 152.41, 87.26, 12.87, 2.67},
    PaperGraph{"audikw_1", "stencil", 82.28, 42.45, 345, 86.713, 102.92, 355.53, 5.73, 2.80, 29.63,
               24.54, 742.23, 402.56, 31.00, 5.07}};

struct Stated {
  const char* part;
  const char* what;
  const char* value;
  const char* where;
};
constexpr std::array kStated{
    Stated{"updates", "aimGraph, GTX 780: M insertions/s and M deletions/s", "20 to 100, 50 to 150",
           "section 3.5"},
    Stated{"updates", "faimGraph, Titan Xp: M edge updates/s at most", "200", "section 4.5"},
    Stated{"updates", "focused updates: vertex-centric beats update-centric, by about", "10x",
           "section 4.5"},
    Stated{"queries", "faimGraph, Titan Xp: M queries/s, more than", "300", "section 4.5"},
    Stated{"vertices", "faimGraph, Titan Xp: M insertions/s, M deletions/s", "2 to 50, 1 to 50",
           "section 4.3.5"},
    Stated{"mixed", "insertions and deletions at once against one after the other", "faster",
           "section 4.3.4"},
    Stated{"longterm", "faimGraph, Sweep: rounds before memory ended", "all", "Tables 4.1, 4.2"},
    Stated{"longterm", "faimGraph, luxembourg_osm, MB: initially, Uniform, Random",
           "9.18, 41.97, 50.73", "Table 4.1"},
    Stated{"init", "ouroGraph and faimGraph over CudaGraph, Titan V", "1785x", "section 6.3.1"},
    Stated{"init", "footprint of faimGraph over ouroGraph, virtualised", "23x to 32x",
           "section 6.3.1"},
    Stated{"algorithms", "PageRank on ouroGraph over faimGraph", "1.06x to 2x, 1.5x on average",
           "section 6.3.1.3"},
    Stated{"algorithms", "triangles on ouroGraph over faimGraph", "1.03x to 2x, 1.8x on average",
           "section 6.3.1.3"},
    Stated{"algorithms", "finding the pages to balance by, ms", ".5 to 3", "section 4.4.1"}};

Json or_null(double value) {
  return value < 0 ? Json(nullptr) : Json(value);
}

/// Rows of a part for which `wanted` holds.
std::vector<Json> rows_of(const Json& report, const char* part,
                          const std::function<bool(const Json&)>& wanted) {
  std::vector<Json> rows;
  if (report[part].is_null()) return rows;
  for (const Json& row : report[part])
    if (wanted(row)) rows.push_back(row);
  return rows;
}

double median_in(const Json& row, const char* key) {
  return row[key]["median"].get<double>();
}

/// The best of some rows, absent without any.
template <class Value>
std::optional<double> extreme(const std::vector<Json>& rows, bool largest, const Value& value) {
  std::optional<double> best;
  for (const Json& row : rows) {
    const double v = value(row);
    if (!best || (largest ? v > *best : v < *best)) best = v;
  }
  return best;
}

class Bars {
 public:
  explicit Bars(const Json& report) : report_(report) {}

  void add(const std::string& bar, const std::string& unit, double limit,
           std::optional<double> measured, bool at_most = true) {
    if (!measured) return;
    const bool met = at_most ? *measured <= limit : *measured >= limit;
    list.push_back({{"bar", bar},
                    {"unit", unit},
                    {"at_most", at_most},
                    {"limit", limit},
                    {"measured", *measured},
                    {"met", met}});
  }

  /// Best time over strategies, in seconds; `from` the memory of the updates.
  std::optional<double> update(const std::string& graph, std::uint64_t batch, const char* sources,
                               const char* from, const char* key) const {
    const auto rows = rows_of(report_, "updates", [&](const Json& r) {
      return r["graph"] == graph && r["layout"] == "ouro" && r["batch"] == batch &&
             r["sources"] == sources && r["from"] == from;
    });
    return extreme(rows, false, [&](const Json& r) { return median_in(r, key); });
  }

  /// The largest or smallest value of a part, in one layout.
  std::optional<double> of(const char* part, const char* layout, bool largest,
                           const std::function<double(const Json&)>& value,
                           const std::function<bool(const Json&)>& wanted) const {
    const auto rows =
        rows_of(report_, part, [&](const Json& r) { return r["layout"] == layout && wanted(r); });
    return extreme(rows, largest, value);
  }

  Json list = Json::array();

 private:
  const Json& report_;
};

/// Half of what was measured on one H200 before: ms of a batch of 100K, best of faimGraph and
/// ouroGraph; and of initialisation a third.
struct Measured {
  const char* graph;
  double insert, remove, init;
};
constexpr std::array kMeasured{
    Measured{"grid22", .098, .094, 12.1}, Measured{"road22", .098, .094, 12.1},
    Measured{"uniform20", .118, .108, 5.3}, Measured{"rmat20", .395, .270, 8.8}};

void add_times(Bars& bars) {
  constexpr std::uint64_t kBatch = 100000;
  for (const Measured& m : kMeasured) {
    const std::string graph = m.graph;
    const auto ms = [](std::optional<double> seconds) {
      return seconds ? std::optional(*seconds * 1e3) : std::nullopt;
    };
    for (const char* from : {"device", "host"}) {
      const auto name = [&](const char* what) {
        return fmt::format("{}: 100K {}, ouro, updates in {} memory", graph, what, from);
      };
      bars.add(name("insertions"), "ms", m.insert / 2,
               ms(bars.update(graph, kBatch, "uniform", from, "insert_seconds")));
      bars.add(name("deletions"), "ms", m.remove / 2,
               ms(bars.update(graph, kBatch, "uniform", from, "delete_seconds")));
    }
    bars.add(graph + ": initialisation, ouro", "ms", m.init / 3,
             ms(bars.of(
                 "init", "ouro", false, [](const Json& r) { return median_in(r, "seconds"); },
                 [&](const Json& r) { return r["graph"] == graph; })));
  }
}

void add_ratios(Bars& bars, const Json& report) {
  std::optional<double> worst;
  for (const Json& g : report["graphs"])
    for (const Json& batch : report["batches"])
      for (const char* from : {"host", "device"})
        for (const char* key : {"insert_seconds", "delete_seconds"}) {
          const std::string graph = g["graph"].get<std::string>();
          const auto n = batch.get<std::uint64_t>();
          const auto uniform = bars.update(graph, n, "uniform", from, key);
          const auto focused = bars.update(graph, n, "focused", from, key);
          if (uniform && focused) worst = std::max(worst.value_or(0), *focused / *uniform);
        }
  bars.add("focused updates over uniform ones, ouro, at worst", "x", 2, worst);
  const auto any = [](const Json&) { return true; };
  bars.add(
      "footprint over a CSR of lists rounded up, ouro, at worst", "x", 1.15,
      bars.of(
          "init", "ouro", true, [](const Json& r) { return r["to_rounded"].get<double>(); }, any));
  for (const char* layout : {"ouro", "faim"})
    for (const char* algorithm : {"bfs", "pagerank"})
      bars.add(
          std::string(algorithm) + " on " + layout + " over static CSR, at worst", "x",
          layout == std::string("ouro") ? 1.2 : 2,
          bars.of(
              "algorithms", layout, true, [](const Json& r) { return r["ratio"].get<double>(); },
              [&](const Json& r) { return r["algorithm"] == algorithm && r["form"] == "ours"; }));
}

void add_rates(Bars& bars) {
  const auto rate = [&](const char* part, const char* key,
                        const std::function<bool(const Json&)>& wanted) {
    return bars.of(
        part, "ouro", true, [&](const Json& r) { return r[key].get<double>() / 1e6; }, wanted);
  };
  const auto large = [](const Json& r) {
    return r["batch"] >= 1000000 && r["sources"] == "uniform" &&
           r["graph"].get<std::string>().starts_with("uniform");
  };
  const auto road = [](const Json& r) {
    const std::string graph = r["graph"].get<std::string>();
    return r["batch"] == 100000 && (graph.starts_with("road") || graph.starts_with("grid"));
  };
  bars.add("insertions in batches of 1M and more, uniform, ouro", "M/s", 2000,
           rate("updates", "insert_rate", large), false);
  bars.add("deletions in batches of 1M and more, uniform, ouro", "M/s", 2000,
           rate("updates", "delete_rate", large), false);
  bars.add("100K vertex insertions, road or grid, ouro", "M/s", 100,
           rate("vertices", "insert_rate", road), false);
  bars.add("100K vertex deletions, road or grid, ouro", "M/s", 50,
           rate("vertices", "delete_rate", road), false);
  bars.add("queries for edges, ouro", "M/s", 3000,
           rate("queries", "rate", [](const Json& r) { return r["what"] == "edges"; }), false);
}

}  // namespace

Json paper_json() {
  Json graphs = Json::array(), stated = Json::array();
  for (const PaperGraph& g : kPaperGraphs)
    graphs.push_back({{"graph", g.graph},
                      {"kind", g.kind},
                      {"mean_degree", g.mean},
                      {"deviation", g.deviation},
                      {"most", g.most},
                      {"aim_init_ms", or_null(g.aim_init)},
                      {"init_ms", g.init},
                      {"megabytes", g.megabytes},
                      {"queries_ms", g.queries},
                      {"vertex_insertion_ms", g.vertex_insert},
                      {"vertex_deletion_undirected_ms", g.vertex_undirected},
                      {"vertex_deletion_directed_ms", g.vertex_directed},
                      {"triangles_naive_ms", g.triangles_naive},
                      {"triangles_balanced_ms", g.triangles_balanced},
                      {"pagerank_naive_ms", g.pagerank_naive},
                      {"pagerank_balanced_ms", g.pagerank_balanced}});
  for (const Stated& s : kStated)
    stated.push_back({{"part", s.part}, {"what", s.what}, {"value", s.value}, {"where", s.where}});
  return {{"faim_device", "NVIDIA Titan Xp"},
          {"aim_device", "NVIDIA GTX 780"},
          {"graphs", graphs},
          {"stated", stated}};
}

Json bars_json(const Json& report) {
  Bars bars(report);
  add_times(bars);
  add_ratios(bars, report);
  add_rates(bars);
  const auto any = [](const Json&) { return true; };
  const auto take = bars.of(
      "snapshots", "ouro", true, [](const Json& r) { return median_in(r, "take_seconds") * 1e3; },
      any);
  bars.add("taking a snapshot, ouro, at worst", "ms", 1, take);
  bars.add("batches beside PageRank on a snapshot over alone, ouro, at worst", "x", 2,
           bars.of(
               "snapshots", "ouro", true, [](const Json& r) { return r["slowdown"].get<double>(); },
               any));
  for (const char* algorithm : {"bfs", "components", "pagerank"})
    bars.add(std::string(algorithm) + " following less than 1 % of changes over anew, at worst",
             "x", 1,
             bars.of(
                 "incremental", "ouro", true,
                 [&](const Json& r) { return 1 / r[algorithm]["speedup"].get<double>(); },
                 [](const Json& r) { return r["share"].get<double>() < .01; }));
  return bars.list;
}

}  // namespace fathom::cli::dynamic_bench
