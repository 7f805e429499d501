// The report of `fathom bench halo` as tables, with the averages of the paper's text beside them.
#include <fmt/format.h>

#include <algorithm>

#include "bench/papers/halo/halo.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli::halo {
namespace {

std::string text(const Json& value) {
  return value.get<std::string>();
}

std::string number(const Json& value, int digits = 2) {
  return value.is_null() ? "-" : fmt::format("{:.{}f}", value.get<double>(), digits);
}

std::string times(const Json& value) {
  return value.is_null() ? "-" : number(value) + "x";
}

std::string milliseconds(const Json& seconds) {
  return fmt::format("{:.3f}", seconds.get<double>() * 1e3);
}

std::string whose(const Json& row) {
  return fmt::format("{} {}, {}", text(row["graph"]), text(row["form"]), text(row["residency"]));
}

/// Rows under a line for each graph, form and residency.
template <class Line>
std::string grouped(const Json& rows, const Line& line) {
  std::vector<std::string> groups;
  for (const Json& row : rows)
    if (groups.empty() || std::find(groups.begin(), groups.end(), whose(row)) == groups.end())
      groups.push_back(whose(row));
  std::string all;
  for (const std::string& group : groups) {
    all += "  " + group + "\n";
    for (const Json& row : rows)
      if (whose(row) == group) all += line(row);
  }
  return all;
}

std::string rows_table(const Json& rows) {
  std::string all =
      fmt::format("    {:<20}{:>11}{:>11}{:>9}{:>9}{:>9}{:>9}{:>11}\n", "order", "mean ms",
                  "median ms", "GTEPS", "speedup", "bytes", "log gap", "to order s");
  return all + grouped(rows, [](const Json& row) {
           return fmt::format("    {:<20}{:>11}{:>11}{:>9}{:>9}{:>9}{:>9}{:>11}\n",
                              text(row["method"]), milliseconds(row["seconds"]["mean"]),
                              milliseconds(row["seconds"]["median"]), number(row["gteps"], 3),
                              times(row["speedup"]), times(row["amplification"]),
                              number(row["log_gap"], 3), number(row["order_seconds"], 3));
         });
}

std::string paper_speedup(const Json& paper) {
  if (!paper["slowdown"].is_null())
    return fmt::format("{:.0f} % slower", paper["slowdown"].get<double>() * 100);
  return times(paper["speedup"]);
}

std::string means_table(const Json& means) {
  std::string all = fmt::format("  {:<12}{:<20}{:>9}{:>13}{:>9}{:>11}{:>9}\n", "all graphs",
                                "order", "speedup", "the paper", "bytes", "the paper", "log gap");
  for (const Json& row : means)
    all += fmt::format("  {:<12}{:<20}{:>9}{:>13}{:>9}{:>11}{:>9}\n", text(row["residency"]),
                       text(row["method"]), times(row["speedup"]), paper_speedup(row["paper"]),
                       times(row["amplification"]),
                       row["amplification"].is_null() ? "-" : times(row["paper"]["amplification"]),
                       number(row["log_gap"], 3));
  return all;
}

std::string both_tables(const Json& part) {
  return rows_table(part["rows"]) + means_table(part["means"]);
}

std::string samples_table(const Json& rows) {
  std::string all = fmt::format("    {:>8}{:>12}{:>11}{:>9}{:>9}{:>11}\n", "samples", "to order s",
                                "mean ms", "speedup", "log gap", "to last");
  return all + grouped(rows, [](const Json& row) {
           const bool natural = row["method"] == "natural";
           return fmt::format("    {:>8}{:>12}{:>11}{:>9}{:>9}{:>11}\n",
                              natural ? "natural" : row["samples"].dump(),
                              number(row["order_seconds"], 3), milliseconds(row["seconds"]["mean"]),
                              times(row["speedup"]), number(row["log_gap"], 3),
                              number(row["log_gap_ratio"], 3));
         });
}

std::string advice_table(const Json& rows) {
  std::string all = fmt::format("    {:<10}{:<14}{:<12}{:>11}{:>9}\n", "order", "advice",
                                "prefetched", "mean ms", "speedup");
  return all + grouped(rows, [](const Json& row) {
           return fmt::format("    {:<10}{:<14}{:<12}{:>11}{:>9}\n", text(row["method"]),
                              row["read_mostly"].get<bool>() ? "read-mostly" : "none",
                              row["prefetch"].get<bool>() ? "yes" : "no",
                              milliseconds(row["seconds"]["mean"]), times(row["speedup"]));
         });
}

struct Table {
  const char* name;
  const char* title;
  std::string (*table)(const Json& part);
  const char* paper;
};

constexpr Table kTables[] = {
    {"single", "Figures 1, 6, 9 and 10: searches from one source", both_tables,
     "Bytes: moved, per byte of the lists read. In the paper (unified memory, 64-bit ids) natural\n"
     "order reaches .24 GTEPS of the 1.51 that the link allows. It does not say what its "
     "slowdowns\n"
     "of 65 % (random) and 31 % (degree) are relative to.\n"},
    {"multi", "Figure 7: searches from several sources at once", both_tables, ""},
    {"samples", "Figure 11: samples of HALO-II", samples_table,
     "In the paper performance saturates around 32 samples.\n"},
    {"scaling", "Figure 12: Kronecker graphs by size", both_tables,
     "In the paper HALO-II gains 1.8x to 1.9x at every scale.\n"},
    {"advice", "Figures 3b and 13: unified memory", advice_table,
     "In the paper read-mostly advice gains 1.85x (pages need not be written back when they are\n"
     "evicted: beyond a card's memory), with HALO-II 2.84x; without the driver's own prefetcher,\n"
     "which a program cannot switch, 35 % fewer bytes take 4.15 times as long. Prefetched: what\n"
     "fits was moved before each search.\n"},
};

}  // namespace

std::string text_of(const Json& report) {
  std::string all = fmt::format(
      "{}, {} threads; {} sources, {} at once; every depth is that of natural order{}\n",
      text(report["device"]), report["threads"].get<int>(), report["sources"].get<int>(),
      report["together"].get<int>(), report["verified"].get<bool>() ? ", verified" : "");
  for (const Json& graph : report["graphs"])
    all += fmt::format("  {} {}: {} vertices, {} edges\n", text(graph["graph"]),
                       text(graph["form"]), format_count(graph["vertices"].get<std::uint64_t>()),
                       format_count(graph["edges"].get<std::uint64_t>()));
  for (const Table& part : kTables) {
    const Json& rows = report[part.name];
    if (rows.is_null()) continue;
    all += fmt::format("\n{}\n{}{}", part.title, part.table(rows), part.paper);
  }
  for (const Json& why : report["left_out"]) all += fmt::format("left out: {}\n", text(why));
  return all;
}

}  // namespace fathom::cli::halo
