// The report of `fathom bench dynamic` as tables, with the papers' numbers and the bars.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "bench/papers/dynamic/dynamic.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli::dynamic_bench {
namespace {

std::string word(const Json& value) {
  return value.get<std::string>();
}
std::string fixed(const Json& value, int digits = 2) {
  return value.is_null() ? "-" : fmt::format("{:.{}f}", value.get<double>(), digits);
}
std::string ms(const Json& row, const char* key) {
  if (row.is_null() || row[key].is_null()) return "-";
  const Json& seconds = row[key].is_object() ? row[key]["median"] : row[key];
  return fmt::format("{:.3f}", seconds.get<double>() * 1e3);
}
std::string millions(const Json& rate) {
  return fmt::format("{:.2f}", rate.get<double>() / 1e6);
}

std::string init_table(const Json& rows) {
  std::string all = fmt::format("  {:<22}{:<12}{:>11}{:>13}{:>9}{:>13}\n", "graph", "layout", "ms",
                                "bytes", "to CSR", "to rounded");
  for (const Json& r : rows)
    all += fmt::format(
        "  {:<22}{:<12}{:>11}{:>13}{:>8}x{:>12}x\n", word(r["graph"]), word(r["layout"]),
        ms(r, "seconds"),
        format_bytes(r["page_bytes"].get<std::uint64_t>() + r["record_bytes"].get<std::uint64_t>()),
        fixed(r["to_csr"]), fixed(r["to_rounded"]));
  return all;
}

std::string updates_table(const Json& rows) {
  std::string all =
      fmt::format("  {:<22}{:<12}{:<10}{:<9}{:<8}{:>10}{:>12}{:>12}{:>8}{:>8}\n", "graph", "layout",
                  "strategy", "sources", "from", "batch", "insert ms", "delete ms", "M/s", "M/s");
  for (const Json& r : rows)
    all += fmt::format("  {:<22}{:<12}{:<10}{:<9}{:<8}{:>10}{:>12}{:>12}{:>8}{:>8}\n",
                       word(r["graph"]), word(r["layout"]), word(r["strategy"]), word(r["sources"]),
                       word(r["from"]), r["batch"].get<std::uint64_t>(), ms(r, "insert_seconds"),
                       ms(r, "delete_seconds"), millions(r["insert_rate"]),
                       millions(r["delete_rate"]));
  return all;
}

std::string mixed_table(const Json& rows) {
  std::string all = fmt::format("  {:<22}{:<12}{:>10}{:>13}{:>12}{:>12}{:>9}\n", "graph", "layout",
                                "batch", "together ms", "insert ms", "delete ms", "gain");
  for (const Json& r : rows)
    all +=
        fmt::format("  {:<22}{:<12}{:>10}{:>13}{:>12}{:>12}{:>8}x\n", word(r["graph"]),
                    word(r["layout"]), r["batch"].get<std::uint64_t>(), ms(r, "together_seconds"),
                    ms(r, "insert_seconds"), ms(r, "delete_seconds"), fixed(r["speedup"]));
  return all;
}

std::string vertices_table(const Json& rows) {
  std::string all = fmt::format("  {:<22}{:<12}{:<12}{:>9}{:>12}{:>12}{:>8}{:>8}\n", "graph",
                                "layout", "form", "batch", "insert ms", "delete ms", "M/s", "M/s");
  for (const Json& r : rows)
    all += fmt::format("  {:<22}{:<12}{:<12}{:>9}{:>12}{:>12}{:>8}{:>8}\n", word(r["graph"]),
                       word(r["layout"]), word(r["form"]), r["batch"].get<std::uint64_t>(),
                       ms(r, "insert_seconds"), ms(r, "delete_seconds"), millions(r["insert_rate"]),
                       millions(r["delete_rate"]));
  return all;
}

std::string queries_table(const Json& rows) {
  std::string all = fmt::format("  {:<22}{:<12}{:<12}{:<8}{:>9}{:>12}{:>10}\n", "graph", "layout",
                                "what", "from", "queries", "ms", "M/s");
  for (const Json& r : rows)
    all += fmt::format("  {:<22}{:<12}{:<12}{:<8}{:>9}{:>12}{:>10}\n", word(r["graph"]),
                       word(r["layout"]), word(r["what"]), word(r["from"]),
                       r["queries"].get<std::uint64_t>(), ms(r, "seconds"), millions(r["rate"]));
  return all;
}

std::string algorithms_table(const Json& rows) {
  std::string all = fmt::format("  {:<22}{:<12}{:<11}{:<10}{:>12}{:>12}{:>9}\n", "graph", "layout",
                                "algorithm", "form", "ms", "balance ms", "to CSR");
  for (const Json& r : rows)
    all +=
        fmt::format("  {:<22}{:<12}{:<11}{:<10}{:>12}{:>12}{:>9}\n", word(r["graph"]),
                    word(r["layout"]), word(r["algorithm"]), word(r["form"]), ms(r, "seconds"),
                    ms(r, "balance_seconds"), r["ratio"].is_null() ? "-" : fixed(r["ratio"]) + "x");
  return all;
}

std::string configured_rows(const Json& rows, const char* key) {
  std::string all =
      fmt::format("  {:<22}{:<10}{:>9}{:>9}{:>9}{:>12}{:>12}{:>12}{:>12}\n", "graph", key,
                  "init ms", "to CSR", "batch", "uniform +", "uniform -", "focused +", "focused -");
  for (const Json& r : rows)
    all += fmt::format("  {:<22}{:<10}{:>9}{:>8}x{:>9}{:>12}{:>12}{:>12}{:>12}\n", word(r["graph"]),
                       r[key].is_string() ? word(r[key]) : r[key].dump(), ms(r, "init_seconds"),
                       fixed(r["to_csr"]), r["batch"].get<std::uint64_t>(),
                       ms(r["uniform"], "insert_seconds"), ms(r["uniform"], "delete_seconds"),
                       ms(r["focused"], "insert_seconds"), ms(r["focused"], "delete_seconds"));
  return all;
}
std::string pages_table(const Json& rows) {
  std::string all = configured_rows(rows, "page_bytes");
  for (const Json& r : rows)
    all += fmt::format("  {:<22}pages of {} bytes: PageRank {} ms\n", word(r["graph"]),
                       r["page_bytes"].get<std::uint64_t>(), ms(r, "pagerank_seconds"));
  return all;
}
std::string allocators_table(const Json& rows) {
  return configured_rows(rows, "allocator");
}

std::string snapshots_table(const Json& rows) {
  std::string all =
      fmt::format("  {:<22}{:<12}{:>9}{:>10}{:>12}{:>12}{:>9}{:>13}\n", "graph", "layout",
                  "take ms", "batch", "alone ms", "beside ms", "slower", "PageRank ms");
  for (const Json& r : rows)
    all += fmt::format("  {:<22}{:<12}{:>9}{:>10}{:>12}{:>12}{:>8}x{:>13}\n", word(r["graph"]),
                       word(r["layout"]), ms(r, "take_seconds"), r["batch"].get<std::uint64_t>(),
                       ms(r, "alone_seconds"), ms(r, "beside_seconds"), fixed(r["slowdown"]),
                       ms(r, "analysis_seconds"));
  return all;
}

std::string longterm_table(const Json& rows) {
  std::string all = fmt::format("  {:<22}{:<12}{:<9}{:>8}{:>10}{:>11}{:>8}{:>12}{:>12}{:>12}\n",
                                "graph", "layout", "test", "rounds", "batch", "median ms", "M/s",
                                "before", "most", "at the end");
  for (const Json& r : rows) {
    const auto bytes = [](const Json& value) { return format_bytes(value.get<std::uint64_t>()); };
    all += fmt::format("  {:<22}{:<12}{:<9}{:>8}{:>10}{:>11}{:>8}{:>12}{:>12}{:>12}\n",
                       word(r["graph"]), word(r["layout"]), word(r["test"]), r["rounds"].get<int>(),
                       r["batch"].get<std::uint64_t>(), ms(r, "seconds"), millions(r["rate"]),
                       bytes(r["page_bytes_before"]), bytes(r["page_bytes_most"]),
                       bytes(r["page_bytes"].back()));
  }
  return all;
}

std::string incremental_table(const Json& rows) {
  std::string all =
      fmt::format("  {:<22}{:<12}{:<12}{:<10}{:>8}{:>9}{:>10}{:>11}", "graph", "layout", "form",
                  "ends", "changed", "batch", "apply ms", "record ms");
  const bool on_host = !rows.empty() && rows[0].contains("sssp");
  std::vector<std::pair<const char*, const char*>> results{
      {"levels", "bfs"}, {"components", "components"}, {"ranks", "pagerank"}};
  if (on_host)
    results.insert(results.end(),
                   {{"distances", "sssp"}, {"triangles", "triangles"}, {"cores", "cores"}});
  for (const auto& [name, key] : results) all += fmt::format("{:>12}{:>10}", name, "anew");
  all += '\n';
  for (const Json& r : rows) {
    all += fmt::format("  {:<22}{:<12}{:<12}{:<10}{:>6} %{:>9}{:>10}{:>11}", word(r["graph"]),
                       word(r["layout"]), word(r["form"]), word(r["ends"]),
                       r["share"].get<double>() * 100, r["batch"].get<std::uint64_t>(),
                       ms(r, "apply_seconds"), ms(r, "record_seconds"));
    for (const auto& [name, key] : results)
      all += fmt::format("{:>12}{:>10}", ms(r[key], "update_seconds"), ms(r[key], "anew_seconds"));
    all += '\n';
  }
  return all;
}

std::string beyond_table(const Json& rows) {
  std::string all = fmt::format("  {:<22}{:<8}{:>7}{:>12}{:>12}{:>12}{:>12}{:>12}{:>9}{:>12}\n",
                                "graph", "layout", "times", "on the GPU", "on the host",
                                "insert ms", "delete ms", "init ms", "BFS ms", "PageRank ms");
  for (const Json& r : rows)
    all += fmt::format("  {:<22}{:<8}{:>7}{:>12}{:>12}{:>12}{:>12}{:>12}{:>9}{:>12}\n",
                       word(r["graph"]), word(r["layout"]), r["times"].get<int>(),
                       format_bytes(r["device_bytes"].get<std::uint64_t>()),
                       format_bytes(r["host_bytes"].get<std::uint64_t>()), ms(r, "insert_seconds"),
                       ms(r, "delete_seconds"), ms(r, "init_seconds"), ms(r, "bfs_seconds"),
                       ms(r, "pagerank_seconds"));
  return all;
}

struct PartTable {
  const char* name;
  const char* title;
  std::string (*table)(const Json& rows);
};
constexpr PartTable kPartTables[] = {
    {"init", "Initialisation from CSR (Tables 3.1, 4.1, 4.2; Figures 6.2, 6.3)", init_table},
    {"updates", "Edge insertion and deletion (Figures 3.2, 3.3, 4.11, 4.13, 6.4 to 6.7)",
     updates_table},
    {"mixed", "Insertions and deletions in one batch (Figure 4.12)", mixed_table},
    {"vertices", "Vertex insertion and deletion (Figures 4.14 to 4.16)", vertices_table},
    {"queries", "Queries (Tables 4.1, 4.2)", queries_table},
    {"algorithms", "Algorithms (Tables 4.3, 4.4; Figures 4.17, 4.18, 6.8, 6.9)", algorithms_table},
    {"pages", "Page sizes of faim", pages_table},
    {"snapshots", "Snapshots", snapshots_table},
    {"allocators", "Allocators (Figures 6.11 to 6.13)", allocators_table},
    {"longterm", "In use for long: memory of pages (section 4.3.2)", longterm_table},
    {"incremental", "Results that follow the graph, and computed anew, ms", incremental_table},
    {"beyond", "Beyond a GPU's memory", beyond_table}};

std::string paper_text(const Json& report) {
  const Json& paper = report["paper"];
  std::string all = fmt::format(
      "\nThe papers: faimGraph on an {}, aimGraph's initialisation on an {}; ms (MB)\n"
      "  {:<19}{:<18}{:>7}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>11}{:>9}\n",
      word(paper["faim_device"]), word(paper["aim_device"]), "graph", "like our", "degree", "aim",
      "faim", "(MB)", "queries", "vertex +", "vertex -", "triangles", "PageRank");
  for (const Json& g : paper["graphs"])
    all += fmt::format("  {:<19}{:<18}{:>7}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>11}{:>9}\n",
                       word(g["graph"]), word(g["kind"]), fixed(g["mean_degree"]),
                       fixed(g["aim_init_ms"]), fixed(g["init_ms"]), fixed(g["megabytes"], 1),
                       fixed(g["queries_ms"]), fixed(g["vertex_insertion_ms"]),
                       fixed(g["vertex_deletion_undirected_ms"]), fixed(g["triangles_balanced_ms"]),
                       fixed(g["pagerank_balanced_ms"]));
  all +=
      "  (100,000 vertices inserted or, of undirected graphs, deleted; triangles and PageRank "
      "balanced)\n";
  for (const Json& s : paper["stated"])
    if (!report[word(s["part"])].is_null())
      all += fmt::format("  {}: {} ({})\n", word(s["what"]), word(s["value"]), word(s["where"]));
  return all;
}

std::string bars_text(const Json& bars) {
  if (bars.empty()) return "";
  std::string all = "\nBars, set for one H200\n";
  for (const Json& b : bars)
    all += fmt::format("  {:<66}{:>9} {:>8.3f} {:<4}{:>10.3f}  {}\n", word(b["bar"]),
                       b["at_most"].get<bool>() ? "at most" : "at least", b["limit"].get<double>(),
                       word(b["unit"]), b["measured"].get<double>(),
                       b["met"].get<bool>() ? "met" : "missed");
  return all;
}

}  // namespace

std::string text_of(const Json& report) {
  std::string all = fmt::format(
      "{}, {} threads; medians of {} rounds; lists and results compared with what they should be\n",
      word(report["device"]), report["threads"].get<int>(), report["trials"].get<int>());
  for (const Json& g : report["graphs"])
    all += fmt::format("  {:<22}{:>12} vertices {:>12} edges, degrees {} +- {}, at most {}\n",
                       word(g["graph"]), format_count(g["vertices"].get<std::uint64_t>()),
                       format_count(g["edges"].get<std::uint64_t>()), fixed(g["mean_degree"]),
                       fixed(g["deviation"]), g["most"].get<std::uint64_t>());
  for (const PartTable& part : kPartTables)
    if (!report[part.name].is_null())
      all += fmt::format("\n{}\n{}", part.title, part.table(report[part.name]));
  all += paper_text(report) + bars_text(report["bars"]);
  for (const Json& why : report["left_out"]) all += fmt::format("left out: {}\n", word(why));
  return all;
}

}  // namespace fathom::cli::dynamic_bench
